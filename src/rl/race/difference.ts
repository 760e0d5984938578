// How far apart two racers are, and how sure that is.
// - Over several seeds, each seed's run is one observation: Welch's t interval for the difference of two
//   means (Welch 1947), with the Student quantile by Wallace's transformation (1959).
// - Where the values are shares of answers, Newcombe's interval (1998, method 10) over all answers of all
//   seeds is worked out too and the wider bound of both counts: few seeds that happen to agree do not make
//   sixty-four problems more than sixty-four.
// - Rewards and places are no shares, and two seeds that happen to agree say nothing about their spread: three
//   seeds each are the least there. No value is surer than the grain it was measured with, so no interval has the width 0.
// With one seed each only the second is left. It tells whether two policies differ, not whether what they
// were trained with makes them: that would take other seeds.

import { type Interval, meanInterval, wilsonInterval } from "../accuracy.ts";
import { meanOf } from "../advantage/statistics.ts";
import { shareDifference, studentOf, upperQuantile } from "../verdict/tests.ts";

export interface Difference {
  /** later - earlier. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What one racer reached: a value for each of its seeds. */
export interface Reached {
  readonly values: readonly number[];
  /** Answers behind each value where it is a share of them; null where it is not. */
  readonly trials: number | null;
  /** How coarsely the values were measured, such as the steps between two evaluations: no value is surer than that. */
  readonly grain?: number;
}

/** Seeds of each racer from which their own spread is taken for known, where no answers behind the values tell it too. */
export const LEAST_SEEDS = 3;

/**
 * The difference with an interval that misses the truth in at most `level` of all cases; null where nothing
 * is known about the spread.
 */
export function differenceOf(earlier: Reached, later: Reached, level: number): Difference | null {
  const z = upperQuantile(level / 2);
  const value = meanOf(later.values) - meanOf(earlier.values);
  const intervals = [welchInterval(earlier, later, z), sharesInterval(earlier, later, z)].filter((each) => each !== null);
  if (intervals.length === 0) return null;
  const isShare = earlier.trials !== null && later.trials !== null;
  // Two shares are never further apart than all from nothing, whatever Student's t allows.
  const least = isShare ? -1 : Number.NEGATIVE_INFINITY;
  return {
    value,
    low: Math.max(least, Math.min(...intervals.map(([low]) => low))),
    high: Math.min(-least, Math.max(...intervals.map(([, high]) => high))),
  };
}

/** Whether the interval leaves out 0. */
export function isApart({ low, high }: Difference): boolean {
  return low > 0 || high < 0;
}

function welchInterval(earlier: Reached, later: Reached, z: number): readonly [number, number] | null {
  const least = earlier.trials === null || later.trials === null ? LEAST_SEEDS : 2;
  if (earlier.values.length < least || later.values.length < least) return null;
  const [a, b] = [errorOf(earlier), errorOf(later)];
  const difference = meanOf(later.values) - meanOf(earlier.values);
  const variance = a.variance + b.variance;
  if (variance === 0) return [difference, difference];
  const freedom = variance ** 2 / (a.variance ** 2 / a.freedom + b.variance ** 2 / b.freedom);
  const half = studentOf(z, freedom) * Math.sqrt(variance);
  return [difference - half, difference + half];
}

/** Squared standard error of a mean, and its degrees of freedom; rounding to a grain alone has the variance grain² / 12. */
function errorOf({ values, grain = 0 }: Reached): { readonly variance: number; readonly freedom: number } {
  const mean = meanOf(values);
  const freedom = values.length - 1;
  const spread = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / freedom;
  return { variance: Math.max(spread, (grain * grain) / 12) / values.length, freedom };
}

function sharesInterval(earlier: Reached, later: Reached, z: number): readonly [number, number] | null {
  if (earlier.trials === null || later.trials === null) return null;
  const pooled = ({ values, trials }: Reached) => {
    const of = values.length * (trials ?? 0);
    return { right: meanOf(values) * of, of };
  };
  return shareDifference(pooled(earlier), pooled(later), z);
}

/**
 * The interval of what a racer reached on the mean of its seeds, in 95 % of cases: Student's t over the seeds, and for shares widened to
 * Wilson's over all answers of all seeds. Null where nothing is known about the spread.
 */
export function reachedInterval(reached: Reached): Interval | null {
  const { values, trials } = reached;
  if (trials === null) {
    if (values.length < LEAST_SEEDS) return null;
    const { variance, freedom } = errorOf(reached);
    const half = studentOf(upperQuantile(0.025), freedom) * Math.sqrt(variance);
    return [meanOf(values) - half, meanOf(values) + half];
  }
  const of = values.length * trials;
  const answers = wilsonInterval(meanOf(values) * of, of);
  if (values.length < 2) return answers;
  const [low, high] = meanInterval(values);
  return [Math.max(0, Math.min(answers[0], low)), Math.min(1, Math.max(answers[1], high))];
}
