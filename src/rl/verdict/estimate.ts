// Figures that are known up to an error, and how surely two of them differ: one interval for the lift of a run, for the seeds of
// races, sweeps and forks, and for the stretches of a series.
// - Student's t of a mean over units that do not depend on each other (problems, seeds).
// - Welch's t (1947) of the difference of two such figures.
// - Newcombe's score interval (1998, method 10) of the difference of two shares.
// Departure: the quantiles of t are made of the normal ones by Wallace's transformation (1959).
import { differenceInterval, type Interval, wilsonInterval } from "../accuracy.ts";
import { meanOf } from "../advantage/statistics.ts";

export interface Estimate {
  readonly value: number;
  /** Of the value. */
  readonly variance: number;
  readonly freedom: number;
}

/** The mean of values that do not depend on each other. @param least what the variance of one of them is at least */
export function meanEstimate(values: readonly number[], least = 0): Estimate {
  const value = meanOf(values);
  const freedom = values.length - 1;
  const spread = values.reduce((sum, each) => sum + (each - value) ** 2, 0) / freedom;
  return { value, variance: Math.max(spread, least) / values.length, freedom };
}

/** later - earlier, of two that do not depend on each other. */
export function differenceEstimate(earlier: Estimate, later: Estimate): Estimate {
  const variance = earlier.variance + later.variance;
  const freedom = variance ** 2 / (earlier.variance ** 2 / earlier.freedom + later.variance ** 2 / later.freedom);
  return { value: later.value - earlier.value, variance, freedom: Number.isNaN(freedom) ? later.freedom : freedom };
}

/** The interval that is as wide as z standard deviations of a normal. */
export function intervalOf({ value, variance, freedom }: Estimate, z: number): Interval {
  const half = studentOf(z, freedom) * Math.sqrt(variance);
  return [value - half, value + half];
}

/** By how many standard deviations of a normal it lies above 0. */
export const scoreOf = ({ value, variance, freedom }: Estimate): number =>
  value === 0 ? 0 : normalScoreOf(value / Math.sqrt(variance), freedom);

/** The standard normal score that is as unlikely as Student's t with these degrees of freedom. */
export function normalScoreOf(t: number, freedom: number): number {
  return Math.sign(t) * ((8 * freedom + 1) / (8 * freedom + 3)) * Math.sqrt(freedom * Math.log1p((t * t) / freedom));
}

/**
 * The Student t with these degrees of freedom that is as unlikely as a standard normal score: the inverse of
 * normalScoreOf; too large by 4 % at 2, by less above.
 */
export function studentOf(z: number, freedom: number): number {
  const scaled = (z * (8 * freedom + 3)) / (8 * freedom + 1);
  return Math.sign(z) * Math.sqrt(freedom * Math.expm1((scaled * scaled) / freedom));
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
export const shareOf = ({ right, of }: Share): number => right / of;

/** The interval of the difference later - earlier of two shares, from the Wilson interval of each, at z standard deviations. */
export function shareDifference(earlier: Share, later: Share, z: number): Interval {
  const measured = (share: Share) => ({ value: shareOf(share), interval: wilsonInterval(share.right, share.of, z) });
  return differenceInterval(measured(earlier), measured(later));
}
