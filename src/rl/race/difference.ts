// How far apart two combinations of settings are, and how sure that is.
// - Over several seeds, each seed's run is one observation: Welch's t of the difference of two means (verdict/estimate.ts).
// - Where the values are shares of answers, Newcombe's interval (1998, method 10) over all answers of all seeds is worked out
//   too and the wider bound of both counts: few seeds that happen to agree do not make sixty-four problems more than sixty-four.
// - Rewards and places are no shares, and two seeds that happen to agree say nothing about their spread: three
//   seeds each are the least there. No value is surer than the grain it was measured with, so no interval has the width 0.
// - Paired seeds: where both were trained from the same seeds, each seed gives one difference, and Student's t of those is free of
//   what the seeds have in common. An answer or a grain is the least that they vary by.
// With one seed each only the second is left. It tells whether two policies differ, not whether what they
// were trained with makes them: that would take other seeds.

import { type Interval, meanInterval, wilsonInterval } from "../accuracy.ts";
import { meanOf } from "../advantage/statistics.ts";
import { differenceEstimate, type Estimate, intervalOf, meanEstimate, shareDifference, upperQuantile } from "../verdict/estimate.ts";

export interface Difference {
  /** later - earlier. */
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** What one combination reached: a value for each of its seeds. */
export interface Reached {
  readonly values: readonly number[];
  /** Answers behind each value where it is a share of them; null where it is not. */
  readonly trials: number | null;
  /** How coarsely the values were measured, such as the steps between two evaluations: no value is surer than that. */
  readonly grain?: number;
}

/** Seeds of each combination from which their own spread is taken for known, where no answers behind the values tell it too. */
export const LEAST_SEEDS = 3;

/** The mean over the seeds, as far as those are enough; rounding to a grain alone has the variance grain² / 12. */
function overSeeds({ values, grain = 0 }: Reached, isShare: boolean): Estimate | null {
  return values.length < (isShare ? 2 : LEAST_SEEDS) ? null : meanEstimate(values, (grain * grain) / 12);
}

/** All answers of all seeds; null where the values are no shares. */
const answersOf = ({ values, trials }: Reached) =>
  trials === null ? null : { right: meanOf(values) * values.length * trials, of: values.length * trials };

/** The wider of two intervals, within the least and the most that there can be. */
function widest(intervals: readonly (Interval | null)[], [least, most]: Interval): Interval | null {
  const known = intervals.filter((each) => each !== null);
  if (known.length === 0) return null;
  return [Math.max(least, Math.min(...known.map(([low]) => low))), Math.min(most, Math.max(...known.map(([, high]) => high)))];
}

const ANY: Interval = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];

/** One difference for each seed. Seeds that happen to agree are no surer than the answers that would have to be others, one at least. */
function overPairs(earlier: Reached, later: Reached): Estimate | null {
  const isShare = earlier.trials !== null && later.trials !== null;
  const differences = later.values.map((value, s) => value - earlier.values[s]!);
  if (differences.length < (isShare ? 2 : LEAST_SEEDS)) return null;
  const mean = Math.abs(meanOf(differences));
  const trials = Math.min(earlier.trials ?? 0, later.trials ?? 0);
  const grains = ((earlier.grain ?? 0) ** 2 + (later.grain ?? 0) ** 2) / 12;
  return meanEstimate(differences, isShare ? (mean + 1 / trials - mean * mean) / trials : grains);
}

/**
 * The difference with an interval that misses the truth in at most `level` of all cases; null where nothing
 * is known about the spread.
 * @param isPaired whether the values of a place have the same seed
 */
export function differenceOf(earlier: Reached, later: Reached, level: number, isPaired = false): Difference | null {
  const z = upperQuantile(level / 2);
  const value = meanOf(later.values) - meanOf(earlier.values);
  const pairs = isPaired ? overPairs(earlier, later) : null;
  if (pairs) {
    const [low, high] = intervalOf(pairs, z);
    return earlier.trials === null ? { value, low, high } : { value, low: Math.max(-1, low), high: Math.min(1, high) };
  }
  const answers = [answersOf(earlier), answersOf(later)] as const;
  const isShare = answers[0] !== null && answers[1] !== null;
  const seeds = [overSeeds(earlier, isShare), overSeeds(later, isShare)] as const;
  const bySeeds = seeds[0] && seeds[1] && intervalOf(differenceEstimate(seeds[0], seeds[1]), z);
  const byAnswers = answers[0] && answers[1] && shareDifference(answers[0], answers[1], z);
  // Two shares are never further apart than all from nothing, whatever Student's t allows.
  const interval = widest([bySeeds, byAnswers], isShare ? [-1, 1] : ANY);
  return interval && { value, low: interval[0], high: interval[1] };
}

/** Whether the interval leaves out 0. */
export function isApart({ low, high }: Difference): boolean {
  return low > 0 || high < 0;
}

/**
 * The interval of what a combination reached on the mean of its seeds, in 95 % of cases: Student's t over the seeds,
 * and for shares widened to Wilson's over all answers of all seeds. Null where nothing is known about the spread.
 */
export function reachedInterval(reached: Reached): Interval | null {
  const { values } = reached;
  const answers = answersOf(reached);
  if (answers) return widest([values.length > 1 ? meanInterval(values) : null, wilsonInterval(answers.right, answers.of)], [0, 1]);
  const seeds = overSeeds(reached, false);
  return seeds && intervalOf(seeds, upperQuantile(0.025));
}
