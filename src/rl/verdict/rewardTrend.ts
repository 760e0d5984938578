// The trend of a run, one for its rewards and one for its held-out accuracy: what rose, what fell, what
// swung, and since when. Both are read the same way, from levels that are known to differ.

import type { EvaluationRecord } from "../../protocol/records.ts";
import { meanOf } from "../advantage/statistics.ts";
import { type Stretch, stretchesOf } from "./changePoints.ts";
import { type Answers, accuracyOf, liftOf } from "./evaluations.ts";
import { type RecordedRun, type RunHistory, rewardVariances } from "./history.ts";
import { trendPValue, upperQuantile } from "./tests.ts";
import { risenAt } from "./trend.ts";

/** A level and the steps it was measured over. */
export interface Level {
  readonly value: number;
  readonly first: number;
  readonly last: number;
}

/** A change from one level to another. */
export interface Change {
  readonly from: Level;
  readonly to: Level;
}

export interface Trend {
  /** From the first level to the last one, where that is higher. */
  readonly rise: Change | null;
  /** From the best level to the last one, where that is lower. */
  readonly fall: Change | null;
  /** A fall that was made up for, at least in part; the latest one. */
  readonly swing: { readonly fall: Change; readonly recovery: Change } | null;
  /** Whether the second half still rises: "unknown" where it is too short or noisy to show a rise as fast as the one before. */
  readonly goesOn: GoesOn;
}

export type GoesOn = "yes" | "no" | "unknown";

const NOTHING: Trend = { rise: null, fall: null, swing: null, goesOn: "unknown" };

/** Changes of the reward smaller than this share of all that it has ever moved are not worth a word. */
const MATERIAL = 0.15;
/** A swing is a change of direction, not of degree. */
const SWING = 0.3;
const LEVEL = 0.005;
/** Asked only of a run that rose. */
const RISING_LEVEL = 0.01;
/** Standard errors above the measured rise that its true size exceeds in 1 of 100 cases. */
const AT_MOST = 2.33;
const FEWEST_STEPS = 5;
/** Fewest values that can say whether a rise goes on. */
const FEWEST_LATE = 4;
const MOST_BLOCKS = 40;

/** Trends by the history they were read from, and after which step: a verdict and each of its diagnoses ask for the same one. */
const rewardTrends = new WeakMap<Omit<RecordedRun, "evaluations">, { readonly last: number | undefined; readonly trend: Trend }>();

/** The trend of the reward, one value a step. The rewards of random and starting policies belong to what it could have moved. */
export function rewardTrend(history: Omit<RecordedRun, "evaluations">): Trend {
  const { steps } = history.metric("reward");
  const last = steps[steps.length - 1];
  const known = rewardTrends.get(history);
  if (known && known.last === last) return known.trend;
  const others = history.baselines.flatMap(({ meanReward }) => meanReward ?? []);
  const trend = metricTrend(history, "reward", others, rewardVariances(history, steps));
  rewardTrends.set(history, { last, trend });
  return trend;
}

/**
 * The trend of a metric, one value a step.
 * @param others values that belong to what it could have moved
 * @param variances of the values, where they are known
 */
export function metricTrend(
  { metric }: Pick<RunHistory, "metric">,
  key: string,
  others: readonly number[] = [],
  variances: readonly number[] = [],
): Trend {
  const { steps, values } = metric(key);
  const series = Array.from(values);
  if (series.length < FEWEST_STEPS) return NOTHING;
  const levels = stretchesOf(series).map((stretch) => levelOf(stretch, steps));
  const means = [...levels.map(({ value }) => value), ...others].filter(Number.isFinite);
  const span = Math.max(...means) - Math.min(...means);
  const trend = trendOfLevels(levels, (a, b, isSwing) => Math.abs(a.value - b.value) >= (isSwing ? SWING : MATERIAL) * span);
  const found = trend.rise ?? (trend.fall || trend.swing ? null : trendRise(series, variances, steps));
  const rise = found ? found.to.value - found.from.value : 0;
  return { ...trend, rise: found, goesOn: seriesGoesOn(series.slice(Math.floor(series.length / 2)), rise) };
}

/** From the first third of the steps that showed a rise to the last third of all, as long as half of that rise is still there. */
function trendRise(series: readonly number[], variances: readonly number[], steps: ArrayLike<number>): Change | null {
  const look = risenAt(series, variances);
  if (look === null) return null;
  const [then, { to }] = [thirdsOf(series.slice(0, look), steps), thirdsOf(series, steps)];
  const rise = to.value - then.from.value;
  return rise > 0 && rise >= (then.to.value - then.from.value) / 2 ? { from: then.from, to } : null;
}

function thirdsOf(series: readonly number[], steps: ArrayLike<number>): Change {
  const third = Math.floor(series.length / 3);
  const level = (begin: number, end: number) => levelOf({ begin, end, mean: meanOf(series.slice(begin, end)) }, steps);
  return { from: level(0, third), to: level(series.length - third, series.length) };
}

/** The trend of the held-out accuracy, evaluation by evaluation; a single greedy answer is no measurement. */
export function accuracyTrend({ evaluations }: Pick<RunHistory, "evaluations">, answers?: Answers): Trend {
  const kind = answers ?? (evaluations.at(-1)?.problems === 1 ? "sampled" : "greedy");
  if (evaluations.length < 2) return NOTHING;
  // The best of many evaluations is compared with the last: as many looks, each at its part of the level.
  const z = upperQuantile(LEVEL / 2 / evaluations.length);
  const recordOf = new Map(
    evaluations.map((record): [Level, EvaluationRecord] => {
      const { step } = record;
      return [{ value: accuracyOf(record, kind), first: step, last: step }, record];
    }),
  );
  const levels = [...recordOf.keys()];
  const difference = (a: Level, b: Level) => liftOf(recordOf.get(a)!, recordOf.get(b)!, kind, z).interval;
  const differs = (a: Level, b: Level) => {
    const [low, high] = difference(a, b);
    return low > 0 || high < 0;
  };
  const last = levels.at(-1)!;
  const middle = levels.findLast((level) => level.last <= last.last / 2) ?? levels[0]!;
  const trend = trendOfLevels(levels, differs);
  const [low, high] = difference(middle, last);
  const isDenied = trend.rise !== null && high < (trend.rise.to.value - trend.rise.from.value) / 2;
  if (middle === levels[0] || middle === last) return { ...trend, goesOn: "unknown" };
  return { ...trend, goesOn: low > 0 ? "yes" : isDenied ? "no" : "unknown" };
}

/**
 * Whether the second half of a series that rose by so much in all still rises: found by its trend, denied where
 * it has surely risen by less than half of that, and else unknown.
 */
function seriesGoesOn(half: readonly number[], rise: number): GoesOn {
  const n = half.length;
  if (n < FEWEST_LATE) return "unknown";
  if (trendPValue(blockMeans(half)) < RISING_LEVEL) return "yes";
  const mean = meanOf(half);
  const centre = (n - 1) / 2;
  const squares = (n * (n * n - 1)) / 12;
  const slope = half.reduce((sum, value, i) => sum + (i - centre) * value, 0) / squares;
  const rest = half.reduce((sum, value, i) => sum + (value - mean - slope * (i - centre)) ** 2, 0);
  const error = n * Math.sqrt(rest / (n - 2) / squares);
  return rise / 2 > n * slope + AT_MOST * error ? "no" : "unknown";
}

/** Reads rises, falls and swings off levels, given when two of them count as different. */
function trendOfLevels(levels: readonly Level[], differs: (a: Level, b: Level, isSwing?: boolean) => boolean): Omit<Trend, "goesOn"> {
  const [first, last] = [levels[0]!, levels.at(-1)!];
  const best = levels.reduce((a, b) => (b.value > a.value ? b : a));
  let swing: Trend["swing"] = null;
  let [peak, trough] = [first, null as Level | null];
  for (const level of levels) {
    if (trough === null) {
      if (level.value > peak.value) peak = level;
      else if (level.value < peak.value && differs(peak, level, true)) trough = level;
    } else if (level.value < trough.value) trough = level;
    else if (level.value > trough.value && differs(trough, level, true)) {
      swing = { fall: { from: peak, to: trough }, recovery: { from: trough, to: level } };
      [peak, trough] = [level, null];
    }
  }
  return {
    rise: last.value > first.value && differs(first, last) ? { from: first, to: last } : null,
    fall: last.value < best.value && differs(best, last) ? { from: best, to: last } : null,
    swing,
  };
}

function levelOf({ begin, end, mean }: Stretch, steps: ArrayLike<number>): Level {
  return { value: mean, first: steps[begin]!, last: steps[end - 1]! };
}

/** Means of at most MOST_BLOCKS consecutive blocks of nearly equal length. */
function blockMeans(series: readonly number[]): readonly number[] {
  const blocks = Math.min(MOST_BLOCKS, series.length);
  return Array.from({ length: blocks }, (_, b) => {
    const block = series.slice(Math.floor((b * series.length) / blocks), Math.floor(((b + 1) * series.length) / blocks));
    return meanOf(block);
  });
}
