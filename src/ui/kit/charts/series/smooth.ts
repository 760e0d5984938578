// Smoothing of noisy curves: an exponential moving average started without bias, as TensorBoard
// draws it (the debiasing is that of Adam: Kingma & Ba, arXiv 1412.6980, section 3).
import type { Series } from "./series.ts";

/**
 * ema_i = sum_j w^(i-j) y_j / sum_j w^(i-j) over the finite y_j up to i. `weight` in [0, 1): 0 returns
 * the values. A y that is not finite stays a gap and does not enter the average.
 */
export function smooth(ys: ArrayLike<number>, weight: number): Float64Array {
  if (!(weight >= 0 && weight < 1)) throw new Error(`weight must be >= 0 and < 1, got ${weight}`);
  // The mean moved all the way to y would miss it by a rounding error.
  if (weight === 0) return Float64Array.from(ys, (y) => (Number.isFinite(y) ? y : Number.NaN));
  const out = new Float64Array(ys.length);
  let mean = 0;
  let norm = 0;
  for (let i = 0; i < ys.length; i++) {
    const y = ys[i]!;
    if (!Number.isFinite(y)) {
      out[i] = Number.NaN;
      continue;
    }
    // Moving the mean by its share of the difference keeps a constant exactly constant.
    norm = weight * norm + 1;
    mean += (y - mean) / norm;
    out[i] = mean;
  }
  return out;
}

/** Lines whose intervals are smoothed as the lines themselves are, so that a line stays within its band. */
export function withDrawnBands(series: readonly Series[], weight: number): readonly Series[] {
  return series.map((line) => {
    const { lows, highs, measured, exact } = line;
    return lows && highs && !measured && !exact ? { ...line, lows: smooth(lows, weight), highs: smooth(highs, weight) } : line;
  });
}

/** The values of each line as drawn: smoothed, but for those that are measurements of their own or exact. */
export function drawnValues(series: readonly Series[], weight: number): readonly Float64Array[] {
  return series.map(({ ys, measured, exact }) => smooth(ys, measured || exact ? 0 : weight));
}
