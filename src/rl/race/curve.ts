// A measurement of a run along an axis, and what a race reads off several of them: the value at a common
// place, the place where a target is reached, and the band that several seeds span.
import { meanOf } from "../advantage/statistics.ts";

/** Places ascend strictly; between two of them a curve is a straight line. */
export interface Curve {
  readonly xs: readonly number[];
  readonly ys: readonly number[];
}

/** First index with xs[i] >= x (xs.length if none), by bisection. */
export function lowerBound(xs: ArrayLike<number>, x: number): number {
  let low = 0;
  let high = xs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (xs[middle]! < x) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The value at a place up to that of measurement `after`, at or behind the one before it. */
export function valueBefore({ xs, ys }: Curve, after: number, x: number): number {
  if (xs[after] === x) return ys[after]!;
  const share = (x - xs[after - 1]!) / (xs[after]! - xs[after - 1]!);
  return ys[after - 1]! + share * (ys[after]! - ys[after - 1]!);
}

/** The value at a place; null outside of what was measured. */
export function valueAt(curve: Curve, x: number): number | null {
  const after = curve.xs.findIndex((place) => place >= x);
  return after < 0 || curve.xs[0]! > x ? null : valueBefore(curve, after, x);
}

/** How far apart the measurements around a place may lie, as a multiple of the place, for a line between them to tell of it. */
const WIDEST_GAP = 2;

/** Whether the value at a place is told by what was measured: there, or not too far before and behind. */
export function isToldAt({ xs }: Curve, x: number): boolean {
  const after = xs.findIndex((place) => place >= x);
  if (after < 0 || xs[0]! > x) return false;
  return xs[after] === x || xs[after]! - xs[after - 1]! <= WIDEST_GAP * x;
}

/** The first measured place, not beyond `until`, with a value of at least `target`; null without one. */
export function reachedAt({ xs, ys }: Curve, target: number, until = Number.POSITIVE_INFINITY): number | null {
  const first = ys.findIndex((y, i) => y >= target && xs[i]! <= until);
  return first < 0 ? null : xs[first]!;
}

/** The last place of a curve; null for an empty one. */
export function endOf({ xs }: Curve): number | null {
  return xs.at(-1) ?? null;
}

/** Mean, least and greatest value of several curves at each place that any of them measured and all of them cover. */
interface Band extends Curve {
  readonly lows: readonly number[];
  readonly highs: readonly number[];
}

export function bandOf(curves: readonly Curve[]): Band {
  const xs = [...new Set(curves.flatMap((curve) => curve.xs))].sort((a, b) => a - b);
  const from = Math.max(...curves.map((curve) => curve.xs[0] ?? Number.POSITIVE_INFINITY));
  const to = Math.min(...curves.map((curve) => endOf(curve) ?? Number.NEGATIVE_INFINITY));
  const kept = xs.filter((x) => x >= from && x <= to);
  const values = curves.map((curve) => valuesAt(curve, kept));
  const over = (read: (all: readonly number[]) => number) => kept.map((_, i) => read(values.map((each) => each[i]!)));
  return {
    xs: kept,
    ys: over(meanOf),
    lows: over((all) => Math.min(...all)),
    highs: over((all) => Math.max(...all)),
  };
}

/** Values at ascending places that the curve covers, in one pass. */
function valuesAt(curve: Curve, places: readonly number[]): readonly number[] {
  let after = 0;
  return places.map((x) => {
    while (curve.xs[after]! < x) after++;
    return valueBefore(curve, after, x);
  });
}

/** Means over the last `count` values up to each place, fewer at the start. */
export function trailingMeans({ xs, ys }: Curve, count: number): Curve {
  let sum = 0;
  const means = ys.map((y, i) => {
    sum += y - (i >= count ? ys[i - count]! : 0);
    return sum / Math.min(count, i + 1);
  });
  return { xs, ys: means };
}
