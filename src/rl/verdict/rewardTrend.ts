// The trend of a run, one for its rewards and one for its held-out accuracy: what rose, what fell, what swung, since when, and
// whether a rise goes on. Both are read the same way, from levels of which it is known whether two differ. The levels of a series
// are its blocks, some coarse and some fine, two of which differ at a level so strict that somebody may look after every step.
// A rise shows sooner: at a few lengths of the series its slope is asked for, and what one such look has shown
// stays shown; much of what chance may do in all is spent by step 10 (Lan and DeMets 1983, Biometrika 70:659). Where a run is over,
// a last look spends what the looks before have left: much of a short run, little of a long one.

import type { EvaluationRecord } from "../../protocol/records.ts";
import type { Interval } from "../accuracy.ts";
import { meanOf } from "../advantage/statistics.ts";
import { differenceEstimate, type Estimate, intervalOf, scoreOf, upperQuantile } from "./estimate.ts";
import { type Answers, accuracyOf, liftOf } from "./evaluations.ts";
import { isOver, type RecordedRun, type RunHistory, rewardVariances } from "./history.ts";
import { levelEstimate, type Noise, noiseOf, riseEstimate, spreadsOf } from "./trend.ts";

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

type GoesOn = "yes" | "no" | "unknown";

const NOTHING: Trend = { rise: null, fall: null, swing: null, goesOn: "unknown" };

/** Changes of the reward smaller than this share of all that it has ever moved are not worth a word. */
const MATERIAL = 0.15;
/** A swing is a change of direction, not of degree. */
const SWING = 0.3;
/** Into how many blocks a series is cut, of so many values at least, and the score by which two of them have to differ. */
const BLOCKS = [6, 12, 24] as const;
const LEAST_BLOCK = 5;
const BLOCK_SCORE = 5;
/**
 * Lengths at which the slope from the first step on is asked for, and the score it has to have: where the noise is
 * known, and where not.
 */
const LOOKS: readonly (readonly [length: number, known: number, unknown: number])[] = [
  [6, 3.6, Number.POSITIVE_INFINITY],
  [8, 3.2, 3.2],
  [10, 2.25, 3.2],
  ...[17, 25, 36, 52].map((length) => [length, 3.3, 3.3] as const),
];
/** The same where a run of so many steps at most is over, what a fall needs beyond that, and the fewest steps that can show either. */
const LAST_LOOKS: typeof LOOKS = [
  [12, 2, 2.4],
  [20, 2.3, 2.7],
  [Number.POSITIVE_INFINITY, 3, 3],
];
const FALL = 0.5;
const FEWEST = 6;
/** What is said to show does so in four of five runs. */
const MOSTLY = 0.84;
/** Standard deviations by which a rise goes on, and above the measured rise within which its true size lies. */
const GOES_ON = 2.33;
const AT_MOST = 1.7;
/** Fewest values that can say whether a rise goes on. */
const FEWEST_LATE = 6;
/** Of accuracies: each evaluation could be the best one, so that each has its part of the level. */
const LEVEL = 0.005;

/** Trends by the history they were read from, and after which step: a verdict and each of its diagnoses ask for the same one. */
const rewardTrends = new WeakMap<RecordedRun, { readonly last: number | undefined; readonly trend: Trend }>();

/** The trend of the reward, one value a step. The rewards of random and starting policies belong to what it could have moved. */
export function rewardTrend(history: RecordedRun): Trend {
  const { steps } = history.metric("reward");
  const last = steps[steps.length - 1];
  const known = rewardTrends.get(history);
  if (known && known.last === last) return known.trend;
  const others = history.baselines.flatMap(({ meanReward }) => meanReward ?? []);
  const variances = () => rewardVariances(history, steps);
  const trend = metricTrend(history, "reward", { others, variances, isComplete: isOver(history) });
  rewardTrends.set(history, { last, trend });
  return trend;
}

/** What is known of a series beside its values. */
interface Known {
  /** Values that belong to what it could have moved. */
  readonly others?: readonly number[];
  /** Of its values; asked where the blocks show nothing. */
  readonly variances?: () => readonly number[];
  /** Whether no more values will come. */
  readonly isComplete?: boolean;
}

/** The trend of a metric, one value a step. */
export function metricTrend(
  { metric }: Pick<RunHistory, "metric">,
  key: string,
  { others = [], variances = () => [], isComplete = false }: Known = {},
): Trend {
  const { steps, values } = metric(key);
  const series = Array.from(values);
  if (series.length < LEAST_BLOCK) return NOTHING;
  const spreads = spreadsOf(series);
  const noise = noiseOf(series, [], spreads);
  let trend = NOTHING;
  for (const most of BLOCKS) {
    const blocks = Math.min(most, Math.floor(series.length / LEAST_BLOCK));
    const at = (b: number) => Math.floor((b * series.length) / blocks);
    const levels = Array.from({ length: blocks }, (_, b): SeriesLevel => {
      const begin = at(b);
      const end = at(b + 1);
      const { value, variance, freedom } = levelEstimate(series.slice(begin, end), noise);
      return { value, variance, freedom, first: steps[begin]!, last: steps[end - 1]! };
    });
    const means = [...levels.map(({ value }) => value), ...others].filter(Number.isFinite);
    const span = Math.max(...means) - Math.min(...means);
    const { rise, fall, swing } = trendOfLevels(levels, (a, b, isSwing) => {
      const isMaterial = Math.abs(a.value - b.value) >= (isSwing ? SWING : MATERIAL) * span;
      return isMaterial && Math.abs(scoreOf(differenceEstimate(a, b))) > BLOCK_SCORE;
    });
    trend = { ...trend, rise: trend.rise ?? rise, fall: trend.fall ?? fall, swing: trend.swing ?? swing };
  }
  if (!trend.rise && !trend.fall && !trend.swing) {
    const known = variances();
    const rise = earlyRise(series, known, steps);
    trend = { ...trend, ...(rise || !isComplete ? { rise } : lastLook(series, noiseOf(series, known, spreads), steps)) };
  }
  return { ...trend, goesOn: halfGoesOn(series.slice(Math.floor(series.length / 2)), sizeOf(trend.rise)) };
}

interface SeriesLevel extends Level, Estimate {}

/** The mean of the values [begin, end) of a series. */
export function levelOf(series: readonly number[], steps: ArrayLike<number>, begin: number, end: number): Level {
  return { value: meanOf(series.slice(begin, end)), first: steps[begin]!, last: steps[end - 1]! };
}

/** The first and the last third. */
function thirdsOf(series: readonly number[], steps: ArrayLike<number>) {
  const third = Math.floor(series.length / 3);
  return { from: levelOf(series, steps, 0, third), to: levelOf(series, steps, series.length - third, series.length) };
}

/** From the first third of the steps that showed a rise to the last third of all, as long as half of that rise is still there. */
function earlyRise(series: readonly number[], variances: readonly number[], steps: ArrayLike<number>): Change | null {
  for (const [look, known, unknown] of LOOKS) {
    if (look > series.length) return null;
    const seen = series.slice(0, look);
    const noise = noiseOf(seen, variances.slice(0, look));
    const { from, to: then } = thirdsOf(seen, steps);
    if (scoreOf(riseEstimate(seen, noise)) <= (noise.isKnown ? known : unknown)) continue;
    const { to } = thirdsOf(series, steps);
    const rise = to.value - from.value;
    return rise > 0 && rise >= (then.value - from.value) / 2 ? { from, to } : null;
  }
  return null;
}

/** From the first third to the last one, where the slope over all steps shows it. */
function lastLook(series: readonly number[], noise: Noise, steps: ArrayLike<number>): Pick<Trend, "rise" | "fall"> {
  if (series.length < FEWEST) return NOTHING;
  const score = scoreOf(riseEstimate(series, noise));
  const least = lastScore(series.length, noise);
  const change = thirdsOf(series, steps);
  return { rise: score > least ? change : null, fall: -score > least + FALL ? change : null };
}

function lastScore(length: number, { isKnown }: Noise): number {
  const [, known, unknown] = LAST_LOOKS.find(([most]) => length <= most)!;
  return isKnown ? known : unknown;
}

/**
 * What a run that is over has seen from its first third to its last, and the rise that one of so many times the steps, or the prompts
 * a step, would mostly have shown; null where the steps are too few to say.
 */
export function seenAtEnd(history: RecordedRun, times: number): (Change & { readonly wouldShow: number }) | null {
  const { steps, values } = history.metric("reward");
  const series = Array.from(values);
  if (series.length < FEWEST) return null;
  const noise = noiseOf(series, rewardVariances(history, steps));
  const { variance, freedom } = riseEstimate(series, noise);
  const score = Math.max(lastScore(series.length, noise), lastScore(times * series.length, noise));
  const [, wouldShow] = intervalOf({ value: 0, variance: variance / times, freedom: times * freedom }, score + MOSTLY);
  return { ...thirdsOf(series, steps), wouldShow };
}

/** Whether the second half still rises. @param risen in all */
function halfGoesOn(half: readonly number[], risen: number): GoesOn {
  if (half.length < FEWEST_LATE) return "unknown";
  const added = riseEstimate(half, noiseOf(half));
  return goesOn([intervalOf(added, GOES_ON)[0], intervalOf(added, AT_MOST)[1]], risen);
}

const sizeOf = (rise: Change | null): number => (rise ? rise.to.value - rise.from.value : 0);

/** Whether a rise goes on by the interval of what the second half added: denied where that is surely less than half of all. */
function goesOn([low, high]: Interval, risen: number): GoesOn {
  return low > 0 ? "yes" : high < risen / 2 ? "no" : "unknown";
}

interface AccuracyLevel extends Level {
  readonly record: EvaluationRecord;
}

/** The trend of the held-out accuracy, evaluation by evaluation; a single greedy answer is no measurement. */
export function accuracyTrend({ evaluations }: Pick<RunHistory, "evaluations">, answers?: Answers): Trend {
  const kind = answers ?? (evaluations.at(-1)?.problems === 1 ? "sampled" : "greedy");
  if (evaluations.length < 2) return NOTHING;
  // The best of many evaluations is compared with the last: as many looks, each at its part of the level.
  const z = upperQuantile(LEVEL / 2 / evaluations.length);
  const levels = evaluations.map((record): AccuracyLevel => {
    return { record, value: accuracyOf(record, kind), first: record.step, last: record.step };
  });
  const difference = (a: AccuracyLevel, b: AccuracyLevel) => liftOf(a.record, b.record, kind, z).interval;
  const trend = trendOfLevels(levels, (a, b) => {
    const [low, high] = difference(a, b);
    return low > 0 || high < 0;
  });
  const last = levels.at(-1)!;
  const middle = levels.findLast((level) => level.last <= last.last / 2) ?? levels[0]!;
  if (middle === levels[0] || middle === last) return { ...trend, goesOn: "unknown" };
  return { ...trend, goesOn: goesOn(difference(middle, last), trend.rise ? sizeOf(trend.rise) : Number.NEGATIVE_INFINITY) };
}

/** Reads rises, falls and swings off levels, given when two of them count as different. */
function trendOfLevels<L extends Level>(levels: readonly L[], differs: (a: L, b: L, isSwing?: boolean) => boolean): Omit<Trend, "goesOn"> {
  const first = levels[0]!;
  const last = levels.at(-1)!;
  const best = levels.reduce((a, b) => (b.value > a.value ? b : a));
  let swing: Trend["swing"] = null;
  let peak = first;
  let trough = null as L | null;
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
