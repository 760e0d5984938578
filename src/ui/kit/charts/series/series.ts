// What a chart draws: lines over steps with optional intervals, and named levels to compare with.
import { lowerBound } from "../../../../rl/race/curve.ts";

/** One line. All arrays have the same length; xs ascends strictly. A y that is not finite is a gap. */
export interface Series {
  readonly id: string;
  readonly label: string;
  readonly xs: ArrayLike<number>;
  readonly ys: ArrayLike<number>;
  /** Each point is a measurement of its own, as an evaluation is: never smoothed, and marked while there are few. */
  readonly measured?: boolean;
  /** The values are set, as a schedule's are: never smoothed. */
  readonly exact?: boolean;
  /** Drawn from this step on; what comes before still counts for smoothing, as a branch shares its run's past. */
  readonly from?: number;
  /** Dashes of the line as SVG writes them, where colour alone must not tell lines apart; solid without. */
  readonly dash?: string;
  /** Bounds of an interval around each y, where one was measured. */
  readonly lows?: ArrayLike<number>;
  readonly highs?: ArrayLike<number>;
}

/** What a chart's places are, in words: steps of a run, or another measure of how far it is. */
export interface AxisWords {
  /** "step". */
  readonly name: string;
  /** "step 40". */
  readonly at: (place: number) => string;
}

export const STEP_AXIS: AxisWords = { name: "step", at: (step) => `step ${step}` };

/** A dashed horizontal line with its name. */
export interface LevelLine {
  readonly id: string;
  readonly label: string;
  readonly value: number;
}

/** An inclusive range of steps. */
export type StepRange = readonly [from: number, to: number];

/** Index of the x nearest to the given one (the earlier of two equally near), or -1 without points. */
export function nearestIndex(xs: ArrayLike<number>, x: number): number {
  if (xs.length === 0) return -1;
  const after = lowerBound(xs, x);
  if (after === 0) return 0;
  if (after === xs.length) return after - 1;
  return x - xs[after - 1]! <= xs[after]! - x ? after - 1 : after;
}

/** Every step at which a series has a point, ascending; not copied where all series share theirs. */
export function allSteps(series: readonly Series[]): ArrayLike<number> {
  const [first, ...others] = series;
  if (!first) return [];
  const isShared = ({ xs }: Series) => xs.length === first.xs.length && Array.prototype.every.call(xs, (x, i) => x === first.xs[i]);
  if (others.every(isShared)) return first.xs;
  return [...new Set(series.flatMap(({ xs }) => Array.from(xs)))].sort((a, b) => a - b);
}

/** First and last step over all series, or null while there is no point. */
export function fullRange(series: readonly Series[]): StepRange | null {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const { xs } of series) {
    if (xs.length === 0) continue;
    from = Math.min(from, xs[0]!);
    to = Math.max(to, xs[xs.length - 1]!);
  }
  return from <= to ? [from, to] : null;
}

/** Index of the last finite y, or -1. */
export function lastFinite(ys: ArrayLike<number>): number {
  for (let i = ys.length - 1; i >= 0; i--) if (Number.isFinite(ys[i])) return i;
  return -1;
}

/**
 * Zooms a range around a centre by a factor (> 1 shows more) and keeps it inside the full range.
 * Null means "everything". Never narrower than two steps.
 */
export function zoomRange(current: StepRange, centre: number, factor: number, full: StepRange): StepRange | null {
  const width = Math.max(2, (current[1] - current[0]) * factor);
  if (width >= full[1] - full[0]) return null;
  const share = current[1] > current[0] ? (centre - current[0]) / (current[1] - current[0]) : 0.5;
  const from = Math.min(Math.max(full[0], Math.round(centre - share * width)), Math.floor(full[1] - width));
  return [from, Math.min(full[1], Math.round(from + width))];
}
