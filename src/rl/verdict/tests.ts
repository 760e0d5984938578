// The statistical tests behind a verdict, as functions of plain numbers.
// - Mann-Kendall (Mann 1945; Kendall 1975): does a series go up? By ranks, so no outlier decides.
// - Mann and Whitney (1947): is one stretch above another, by ranks?
// - Student's t between two stretches of a series, as a normal score by Wallace's transformation (1959).
// - Newcombe's score interval (1998, method 10): do two shares differ?
import { differenceInterval, type Interval, wilsonInterval } from "../accuracy.ts";

/**
 * The Mann-Kendall statistic S = Σ_{i<j} sign(x_j - x_i) as a normal score with continuity correction; ties
 * shrink the variance. Minus infinity when all values are equal.
 */
export function trendScore(values: readonly number[]): number {
  const n = values.length;
  let s = 0;
  const tied = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    tied.set(values[i]!, (tied.get(values[i]!) ?? 0) + 1);
    for (let j = i + 1; j < n; j++) s += Math.sign(values[j]! - values[i]!);
  }
  let variance = n * (n - 1) * (2 * n + 5);
  for (const t of tied.values()) variance -= t * (t - 1) * (2 * t + 5);
  return variance <= 0 ? Number.NEGATIVE_INFINITY : (s - Math.sign(s)) / Math.sqrt(variance / 18);
}

/** One-sided p value of the Mann-Kendall statistic. 1 when all values are equal. */
export function trendPValue(values: readonly number[]): number {
  return upperTail(trendScore(values));
}

/** The standard normal score that is as unlikely as Student's t with these degrees of freedom. */
export function normalScoreOf(t: number, freedom: number): number {
  return Math.sign(t) * ((8 * freedom + 1) / (8 * freedom + 3)) * Math.sqrt(freedom * Math.log1p((t * t) / freedom));
}

/** The Student t with these degrees of freedom that is as unlikely as a standard normal score: the inverse of normalScoreOf; too large by 4 % at 2, by less above. */
export function studentOf(z: number, freedom: number): number {
  const scaled = (z * (8 * freedom + 3)) / (8 * freedom + 1);
  return Math.sign(z) * Math.sqrt(freedom * Math.expm1((scaled * scaled) / freedom));
}

/** Mann and Whitney's U of `later` being larger than `earlier`, as a normal score corrected for ties; 0 when all values are equal. */
export function rankScore(earlier: readonly number[], later: readonly number[]): number {
  let wins = 0;
  for (const a of earlier) for (const b of later) wins += (Math.sign(b - a) + 1) / 2;
  const n = earlier.length + later.length;
  const tied = new Map<number, number>();
  for (const value of [...earlier, ...later]) tied.set(value, (tied.get(value) ?? 0) + 1);
  let variance = n + 1;
  for (const t of tied.values()) variance -= (t ** 3 - t) / (n * (n - 1));
  const pairs = earlier.length * later.length;
  return variance <= 0 ? 0 : (wins - pairs / 2) / Math.sqrt((pairs * variance) / 12);
}

/** P(Z > z) of the standard normal: Abramowitz and Stegun 26.2.17, absolute error below 7.5e-8. */
export function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * poly;
  return z >= 0 ? tail : 1 - tail;
}

/** The z with P(Z > z) = p, for p <= 0.5: Abramowitz and Stegun 26.2.23, absolute error below 4.5e-4. */
export function upperQuantile(p: number): number {
  const t = Math.sqrt(-2 * Math.log(p));
  return t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
}

/** `right` of `of` answers. */
export interface Share {
  readonly right: number;
  readonly of: number;
}

/** The share of right answers. */
export function shareOf({ right, of }: Share): number {
  return right / of;
}

/** The interval of the difference later - earlier of two shares, from the Wilson interval of each, at z standard deviations. */
export function shareDifference(earlier: Share, later: Share, z: number): Interval {
  const measured = (share: Share) => ({ value: shareOf(share), interval: wilsonInterval(share.right, share.of, z) });
  return differenceInterval(measured(earlier), measured(later));
}
