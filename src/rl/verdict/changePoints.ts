// Where the level of a noisy series changes: seeded binary segmentation (Kovács, Bühlmann, Li and Munk
// 2023, Biometrika 110:249). On intervals of every length and place, the split with the largest Student t
// between its two sides is a candidate; the most significant one is a change, the intervals that hold it
// are done with, and so on. A score must exceed by as much as autocorrelation widens the spread of a mean. The level is Bonferroni's over all splits looked at, so a series of mere noise
// shows a change in at most LEVEL of all cases. Departures: the noise is estimated in each interval, not
// once for the series, because rewards get quieter as a policy gets better, with a little of the series' usual noise,
// because a few equal answers are not noise of 0; the sides must differ by the noise of each alone (Welch 1947); and the ranks
// must agree (Mann and Whitney 1947), because a few lucky answers among rewards near 0 are no change of level.
import { meanOf } from "../advantage/statistics.ts";
import { normalScoreOf, rankScore, upperQuantile } from "./tests.ts";
import { inflationOf } from "./trend.ts";

/** A stretch of steps with one level. */
export interface Stretch {
  /** Indices into the series: `end` is the first one that is not part of it. */
  readonly begin: number;
  readonly end: number;
  readonly mean: number;
}

/** Chance of seeing any change in mere noise at one look; a growing series is looked at again and again. */
const LEVEL = 0.00005;
/** Fewest values to either side of a change. */
const FEWEST = 5;
/** Fewest standard deviations by which the ranks to either side must differ. */
const RANK_SCORE = 2.5;
/** Values that the usual noise of the whole series weighs as much as: a few equal values are no noise of 0. */
const USUAL_STEPS = 2;
/** Fewest of its own standard errors, each side by its own noise, by which the sides must differ. */
const OWN_SCORE = 3.5;
/** Longer series are looked at in blocks, so that the work stays small. */
const MOST_BLOCKS = 240;
/** Differences of neighbours beyond this many standard deviations are jumps of the level, no autocorrelation. */
const FAR = 4;
/** Each layer of intervals is this much shorter than the one before. */
const DECAY = Math.SQRT1_2;

interface Candidate {
  readonly begin: number;
  readonly end: number;
  readonly split: number;
  readonly score: number;
}

/** Running sums of the values and of their squares; entry i is over the first i values. */
function runningSums(values: ArrayLike<number>) {
  const sums = new Float64Array(values.length + 1);
  const squares = new Float64Array(values.length + 1);
  for (let i = 0; i < values.length; i++) {
    sums[i + 1] = sums[i]! + values[i]!;
    squares[i + 1] = squares[i]! + values[i]! ** 2;
  }
  return { sums, squares };
}

/** Intervals of every length and place, long before short. */
function seededIntervals(length: number): readonly (readonly [number, number])[] {
  const intervals: (readonly [number, number])[] = [];
  for (let span = length; span >= 2 * FEWEST; span *= DECAY) {
    const count = 2 * Math.ceil(length / span) - 1;
    const shift = count > 1 ? (length - span) / (count - 1) : 0;
    for (let i = 0; i < count; i++) intervals.push([Math.floor(i * shift), Math.ceil(i * shift + span)]);
  }
  return intervals;
}

/** Means of consecutive blocks of nearly equal length, and where each begins. */
function blocksOf(series: readonly number[]) {
  const count = Math.min(MOST_BLOCKS, series.length);
  const begins = Array.from({ length: count + 1 }, (_, b) => Math.floor((b * series.length) / count));
  const means = Array.from({ length: count }, (_, b) => meanOf(series.slice(begins[b], begins[b + 1])));
  return { begins, means };
}

/** The stretches of a series between the changes of its level, in order; one where nothing changes. */
export function stretchesOf(series: readonly number[]): readonly Stretch[] {
  const { begins, means } = blocksOf(series);
  const changes = changePoints(means).map((block) => begins[block]!);
  const ends = [...changes, series.length];
  return [0, ...changes].map((begin, i) => ({ begin, end: ends[i]!, mean: meanOf(series.slice(begin, ends[i])) }));
}

function changePoints(values: readonly number[]): readonly number[] {
  const sums = runningSums(values.map((value) => value - values[0]!));
  const intervals = seededIntervals(values.length);
  const looks = intervals.reduce((count, [begin, end]) => count + end - begin - 2 * FEWEST + 1, 0);
  if (looks <= 0) return [];
  const threshold = upperQuantile(LEVEL / 2 / looks) * Math.sqrt(inflationOf(values, FAR));
  const isSurely = ({ begin, end, split, score }: Candidate) => {
    if (score <= threshold) return false;
    const [before, after] = [values.slice(begin, split), values.slice(split, end)];
    return Math.abs(rankScore(before, after)) > RANK_SCORE && ownScore(before, after) > OWN_SCORE;
  };
  const usual = usualVariance(values);
  let candidates = intervals.map(([begin, end]) => bestSplit(sums, begin, end, usual)).filter(isSurely);
  const changes: number[] = [];
  while (candidates.length > 0) {
    const best = candidates.reduce((a, b) => (b.score > a.score ? b : a));
    changes.push(best.split);
    candidates = candidates.filter(({ begin, end }) => best.split <= begin || best.split >= end);
  }
  return changes.sort((a, b) => a - b);
}

/** The variance of the values around their level, from the differences of neighbours, which few changes touch. */
function usualVariance(values: readonly number[]): number {
  return meanOf(values.slice(1).map((value, i) => (value - values[i]!) ** 2)) / 2;
}

/** By how many standard errors two sides differ, each side by its own noise. */
function ownScore(before: readonly number[], after: readonly number[]): number {
  const error = usualVariance(before) / before.length + usualVariance(after) / after.length;
  return Math.abs(meanOf(after) - meanOf(before)) / Math.sqrt(Math.max(error, 1e-300));
}

/** The split of an interval with the largest difference between its sides, as a normal score. */
function bestSplit({ sums, squares }: ReturnType<typeof runningSums>, begin: number, end: number, usual: number): Candidate {
  let [split, score] = [begin, 0];
  const sum = sums[end]! - sums[begin]!;
  const all = squares[end]! - squares[begin]!;
  for (let at = begin + FEWEST; at <= end - FEWEST; at++) {
    const [n1, n2] = [at - begin, end - at];
    const [sum1, sum2] = [sums[at]! - sums[begin]!, sums[end]! - sums[at]!];
    const difference = sum2 / n2 - sum1 / n1;
    const between = (difference * difference * n1 * n2) / (n1 + n2);
    const total = all - (sum * sum) / (n1 + n2);
    // Sums of squares of equal values are 0 up to rounding.
    if (between <= 1e-12 * all) continue;
    const freedom = n1 + n2 - 2 + USUAL_STEPS;
    const within = Math.max(total - between, 0) + USUAL_STEPS * usual;
    const found = normalScoreOf(Math.sqrt((between / within) * freedom), freedom);
    if (found > score) [split, score] = [at, found];
  }
  return { begin, end, split, score };
}
