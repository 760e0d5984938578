// Whether a series rises from its first steps on, asked again and again while it grows. The slope of a line is
// held against the noise around a parabola, so that a rise that slows down is not taken for noise, and its
// Student t is made smaller by what autocorrelation adds to the variance of a slope, (1 + ρ) / (1 - ρ) (Bayley and
// Hammersley 1946). ρ is read off the differences of neighbours and next neighbours, which a trend hardly touches,
// and in a short series drawn towards a usual value. The ranks must agree (Mann 1945; Kendall 1975).
// Looks lie at a growing distance (LOOKS): that many at these scores, and not one at each step, keep the false alarms of
// a whole run below 5 %. What a look has shown stays shown.
import { meanOf } from "../advantage/statistics.ts";
import { normalScoreOf, trendScore } from "./tests.ts";

const FIRST_LOOK = 8;
const SCORE = 2.95;
const RANK_SCORE = 2.3;
/** The usual autocorrelation, and the steps that it weighs as much as. */
const USUAL = 0.2;
const USUAL_STEPS = 20;
const MOST = 0.8;

/** Lengths at which a growing series is looked at: 8, 10, 12, and each 20 % longer than the one before. */
export function looksUpTo(length: number): readonly number[] {
  const looks: number[] = [];
  for (let look = FIRST_LOOK; look <= length; look = Math.round(look * 1.2)) looks.push(look);
  return looks;
}

/** The first length at which the series had risen by more than chance would make it; null where none shows it. */
export function risenAt(series: readonly number[]): number | null {
  return looksUpTo(series.length).find((look) => isRising(series.slice(0, look))) ?? null;
}

function isRising(values: readonly number[]): boolean {
  return slopeScore(values) > SCORE && trendScore(values) > RANK_SCORE;
}

/** By how much the variance of a mean or slope exceeds that of independent values. */
export function inflationOf(values: readonly number[]): number {
  const near = differenceVariance(values, 1);
  const found = near > 0 ? differenceVariance(values, 2) / near - 1 : 0;
  const n = values.length;
  const rho = Math.min(MOST, Math.max(0, (n * found + USUAL_STEPS * USUAL) / (n + USUAL_STEPS)));
  return (1 + rho) / (1 - rho);
}

function differenceVariance(values: readonly number[], lag: number): number {
  const differences = values.slice(lag).map((value, i) => value - values[i]!);
  const mean = meanOf(differences);
  return differences.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (differences.length - 1);
}

/** The slope as a normal score; 0 where all values are equal. */
function slopeScore(values: readonly number[]): number {
  const n = values.length;
  const centre = (n - 1) / 2;
  const mean = meanOf(values);
  const linear = values.map((_, i) => i - centre);
  const squared = linear.map((x) => x * x - (n * n - 1) / 12);
  const along = (axis: readonly number[]) => {
    const length = axis.reduce((sum, x) => sum + x * x, 0);
    return { length, share: axis.reduce((sum, x, i) => sum + x * (values[i]! - mean), 0) / length };
  };
  const [line, bend] = [along(linear), along(squared)];
  const total = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  // Sums of squares of equal values are 0 up to rounding.
  if (total <= 1e-12 * n * Math.max(1e-12, mean * mean)) return 0;
  const rest = Math.max(total - line.share ** 2 * line.length - bend.share ** 2 * bend.length, 1e-9 * total);
  const freedom = n - 3;
  return normalScoreOf(line.share / Math.sqrt((rest / freedom / line.length) * inflationOf(values)), freedom);
}
