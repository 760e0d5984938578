// Keeps drawing cheap on long runs without hiding spikes: the range is cut into buckets of equal
// width in steps and each bucket keeps its lowest and its highest point. (Averages would hide the
// very outliers one looks for; largest-triangle sampling keeps shape but may drop extremes.)
import { lowerBound } from "../../../../rl/race/curve.ts";
import type { StepRange } from "../series/series.ts";

/** Most points drawn for one line. */
export const MAX_POINTS = 300;

/**
 * Indices of the points to draw, ascending and without repeats; at most `limit` of them (limit >= 4).
 * The first and the last point in range are always kept, as is each bucket's minimum and maximum.
 * Points that are not finite are dropped. Points outside the range are left out, except the nearest
 * one on each side (counted in the limit), so that the line runs to the edge of a zoomed chart.
 */
export function bucketIndices(xs: ArrayLike<number>, ys: ArrayLike<number>, range: StepRange, limit: number = MAX_POINTS): number[] {
  if (limit < 4) throw new Error(`limit must be >= 4, got ${limit}`);
  const start = Math.max(0, lowerBound(xs, range[0]) - 1);
  const edge = lowerBound(xs, range[1]);
  const end = Math.min(xs.length, xs[edge] === range[1] ? edge + 2 : edge + 1);
  const kept: number[] = [];
  for (let i = start; i < end; i++) if (Number.isFinite(ys[i])) kept.push(i);
  if (kept.length <= limit) return kept;

  const first = kept[0]!;
  const last = kept.at(-1)!;
  const buckets = (limit - 2) >> 1;
  const width = (xs[last]! - xs[first]!) / buckets;
  const lowest = new Int32Array(buckets).fill(-1);
  const highest = new Int32Array(buckets).fill(-1);
  for (const i of kept) {
    const bucket = Math.min(buckets - 1, Math.floor((xs[i]! - xs[first]!) / width));
    if (lowest[bucket]! < 0 || ys[i]! < ys[lowest[bucket]!]!) lowest[bucket] = i;
    if (highest[bucket]! < 0 || ys[i]! > ys[highest[bucket]!]!) highest[bucket] = i;
  }
  const chosen = new Set<number>([first, last]);
  for (const i of lowest) if (i >= 0) chosen.add(i);
  for (const i of highest) if (i >= 0) chosen.add(i);
  return [...chosen].sort((a, b) => a - b);
}
