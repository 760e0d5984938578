// Summaries of repeated timings. Medians, because a timing is disturbed in one direction only and by
// any amount.

/** Middle value, or the mean of the two middle ones; NaN of nothing. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Linear interpolation between order statistics; q from 0 to 1. */
export function quantile(values: readonly number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = q * (sorted.length - 1);
  const low = sorted[Math.floor(at)];
  const high = sorted[Math.ceil(at)];
  if (low === undefined || high === undefined) return Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

export interface Timing {
  readonly medianMs: number;
  /** Quarter and three-quarter points. */
  readonly spreadMs: readonly [number, number];
  readonly samples: number;
}

/** Median and spread of timings in milliseconds. */
export function summarize(ms: readonly number[]): Timing {
  const round = (value: number) => Number(value.toPrecision(5));
  return { medianMs: round(median(ms)), spreadMs: [round(quantile(ms, 0.25)), round(quantile(ms, 0.75))], samples: ms.length };
}

/**
 * How a cost grows: the power of x that y goes with, the slope of log y on log x by least squares. 1 doubles the cost with
 * twice the x, 2 makes it four times as much. NaN of fewer than two points, or where one is not above 0.
 */
export function growthExponent(points: readonly (readonly [x: number, y: number])[]): number {
  if (points.length < 2 || points.some(([x, y]) => !(x > 0 && y > 0))) return Number.NaN;
  const logs = points.map(([x, y]) => [Math.log(x), Math.log(y)] as const);
  const meanX = logs.reduce((sum, [x]) => sum + x, 0) / logs.length;
  const meanY = logs.reduce((sum, [, y]) => sum + y, 0) / logs.length;
  const along = logs.reduce((sum, [x, y]) => sum + (x - meanX) * (y - meanY), 0);
  return along / logs.reduce((sum, [x]) => sum + (x - meanX) ** 2, 0);
}
