// The tests of a trend: does a series rise along a line, do two stretches of it differ by more than its noise would make them?
// By Student's t of the slope and of the difference of two means (Welch 1947). What is known of the noise beforehand,
// the standard errors of the steps, which their groups give (history.ts), weighs as much as KNOWN_STEPS values.
// Departures:
// - The noise is read off the differences of neighbours (von Neumann 1941), which a trend hardly touches.
// - Autocorrelation ρ widens the spread of a mean by (1 + ρ) / (1 - ρ) (Bayley and Hammersley 1946). It is read off the
//   differences of neighbours and next neighbours, and in a short series drawn towards a usual value.
// - A stretch is as noisy as the whole series at least: a few equal answers are not noise of 0.
import { meanOf, medianOf } from "../advantage/statistics.ts";
import type { Estimate } from "./estimate.ts";

/** Values that a known noise weighs as much as: of 16 groups of 8 its own error is some 20 %. */
const KNOWN_STEPS = 30;
/** The usual autocorrelation, and the values that it weighs as much as. */
const USUAL = 0.2;
const USUAL_STEPS = 20;
const MOST = 0.8;
/** Fewest values whose own noise is looked at. */
const LEAST_OWN = 5;
/** Standard deviations, by the median, beyond which a difference is a jump of the level, and says nothing of autocorrelation. */
const FAR = 4;
const LEAST_USUAL = 0.25;
/** The median absolute deviation of the standard normal. */
const NORMAL_MAD = 0.6745;

/** What the values of a series spread by, and what is known of that. */
export interface Noise {
  readonly variance: number;
  readonly freedom: number;
  readonly autocorrelation: number;
  /** Whether it was known beforehand. */
  readonly isKnown: boolean;
}

/** Half the variance of the differences of a series: of neighbours, and of neighbours and next ones where none counts as a jump. */
interface Spreads {
  readonly near: number;
  readonly one: number;
  readonly two: number;
}

export function spreadsOf(values: readonly number[]): Spreads {
  const next = differencesOf(values, 1);
  const second = differencesOf(values, 2);
  return { near: halfVariance(next), one: withoutJumps(next), two: withoutJumps(second) };
}

/** @param known variances of the values; not finite where one is not known. @param spreads of the values, where they are known already */
export function noiseOf(values: readonly number[], known: readonly number[] = [], { near, one, two }: Spreads = spreadsOf(values)): Noise {
  const n = values.length;
  const told = known.filter(Number.isFinite);
  const weight = told.length > n / 2 ? KNOWN_STEPS : 0;
  const mean = weight > 0 ? meanOf(told) : 0;
  const byNext = one > 0 ? two / one - 1 : 0;
  const found = weight > 0 ? (byNext + 1 - near / Math.max(mean, near / 2)) / 2 : byNext;
  const autocorrelation = Math.min(MOST, Math.max(0, (n * found + USUAL_STEPS * USUAL) / (n + USUAL_STEPS)));
  const freedom = n - 1 + weight;
  const variance = (((n - 1) * near) / (1 - autocorrelation) + weight * mean) / freedom;
  return { variance, freedom, autocorrelation, isKnown: weight > 0 };
}

/** The level of a stretch of a series of this noise. */
export function levelEstimate(stretch: readonly number[], noise: Noise): Estimate {
  const own = stretch.length < LEAST_OWN ? 0 : halfVariance(differencesOf(stretch, 1)) / (1 - noise.autocorrelation);
  return estimateOf(meanOf(stretch), Math.max(noise.variance, own) / stretch.length, noise);
}

/** By how much a series of this noise rises from its first value to its last along a line. */
export function riseEstimate(series: readonly number[], noise: Noise): Estimate {
  const n = series.length;
  const mean = meanOf(series);
  const squares = (n * (n * n - 1)) / 12;
  const slope = series.reduce((sum, each, i) => sum + (i - (n - 1) / 2) * (each - mean), 0) / squares;
  return estimateOf(slope * (n - 1), ((n - 1) ** 2 / squares) * noise.variance, noise);
}

/** Autocorrelation widens it; what equal values give is equal up to rounding. */
function estimateOf(value: number, variance: number, { autocorrelation: rho, freedom }: Noise): Estimate {
  return { value, variance: Math.max((variance * (1 + rho)) / (1 - rho), (1e-9 * value) ** 2, 1e-30), freedom };
}

/** The differences of values so far apart: their mean, and the sum of the squares of how far they are from it. */
interface Differences {
  readonly values: readonly number[];
  readonly lag: number;
  readonly count: number;
  readonly mean: number;
  readonly squares: number;
}

function differencesOf(values: readonly number[], lag: number): Differences {
  // Of long series it is asked again and again while they grow: no list of them is made.
  const count = Math.max(0, values.length - lag);
  let sum = 0;
  for (let i = 0; i < count; i++) sum += values[i + lag]! - values[i]!;
  const mean = sum / count;
  let squares = 0;
  for (let i = 0; i < count; i++) {
    const size = values[i + lag]! - values[i]! - mean;
    squares += size * size;
  }
  return { values, lag, count, mean, squares };
}

/** Not a number where all are equal. */
function halfVariance({ count, squares }: Differences): number {
  const variance = squares / count;
  return variance > 0 ? variance / 2 : Number.NaN;
}

/** The same of differences that count as FAR deviations at most. */
function withoutJumps({ values, lag, count, mean, squares }: Differences): number {
  const sizes = new Float64Array(count);
  for (let i = 0; i < count; i++) sizes[i] = Math.abs(values[i + lag]! - values[i]! - mean);
  // Where most values are equal, the median says nothing of the others.
  const most = FAR * Math.max(medianOf(sizes) / NORMAL_MAD, LEAST_USUAL * Math.sqrt(squares / count));
  let capped = 0;
  for (const each of sizes) capped += Math.min(most, each) ** 2;
  return capped / count / 2;
}
