// Whether a series rises from its first steps on, asked again and again while it grows. The slope of a line is
// held against the noise around a parabola, so that a rise that slows down is not taken for noise, and against what
// is known of the noise beforehand: the standard errors of the steps, which their groups give (history.ts), weigh as much as
// KNOWN_STEPS residuals. Student's t is made smaller by what autocorrelation adds to the variance of a slope,
// (1 + ρ) / (1 - ρ) (Bayley and Hammersley 1946). ρ is read off the differences of neighbours and next neighbours, which
// a trend hardly touches, and in a short series drawn towards a usual value. The ranks must agree (Mann 1945; Kendall 1975).
// Looks lie at a growing distance (BOUNDS), and much of what chance may do in all is spent by step 10 (Lan and DeMets 1983,
// Biometrika 70:659): the false alarms of a whole run stay below 5 %. What a look has shown stays shown.
import { meanOf, medianOf } from "../advantage/statistics.ts";
import { normalScoreOf, trendScore } from "./tests.ts";

/** Looks at these lengths, each with the normal score it asks for; later ones are GROWTH times as long as the one before. */
const BOUNDS: readonly (readonly [length: number, score: number])[] = [
  [5, 3.6],
  [6, 3.6],
  [7, 3.6],
  [8, 3],
  [9, 3],
  [10, 2.1],
];
const LATER_LOOK = 17;
const GROWTH = 1.45;
const LATER_SCORE = 3.3;
const RANK_SCORE = 0.9;
/** Residuals that a known noise weighs as much as: of 16 groups of 8 its own error is some 20 %. */
const KNOWN_STEPS = 30;
/** Without a known noise looks begin here, and ask for these. */
const FIRST_UNKNOWN = 8;
const UNKNOWN_SCORE = 3.2;
const UNKNOWN_RANK_SCORE = 2.3;
/** The usual autocorrelation, and the steps that it weighs as much as. */
const USUAL = 0.2;
const USUAL_STEPS = 20;
const MOST = 0.8;
/** The median absolute deviation of the standard normal. */
const NORMAL_MAD = 0.6745;
const LEAST_USUAL = 0.25;

/** The looks at a series that grows to a length. */
function looksUpTo(length: number): readonly (readonly [number, number])[] {
  const looks = BOUNDS.filter(([look]) => look <= length);
  for (let look = LATER_LOOK; look <= length; look = Math.round(look * GROWTH)) looks.push([look, LATER_SCORE]);
  return looks;
}

/**
 * The first length at which the series had risen by more than chance would make it; null where none shows it.
 * @param variances of the values, as far as they are known; NaN where one is not
 */
export function risenAt(series: readonly number[], variances: readonly number[]): number | null {
  const risen = looksUpTo(series.length).find(([look, score]) => {
    const values = series.slice(0, look);
    const known = variances.slice(0, look).filter((variance) => variance >= 0);
    if (known.length > look / 2) return slopeScore(values, meanOf(known)) > score && trendScore(values) > RANK_SCORE;
    return look >= FIRST_UNKNOWN && slopeScore(values) > UNKNOWN_SCORE && trendScore(values) > UNKNOWN_RANK_SCORE;
  });
  return risen?.[0] ?? null;
}

/**
 * By how much the variance of a mean or slope exceeds that of independent values.
 * @param far robust standard deviations beyond which a difference is a jump of the level, and counts as that far
 */
export function inflationOf(values: readonly number[], far = Number.POSITIVE_INFINITY): number {
  const near = differenceVariance(values, 1, far);
  const found = near > 0 ? differenceVariance(values, 2, far) / near - 1 : 0;
  const n = values.length;
  const rho = Math.min(MOST, Math.max(0, (n * found + USUAL_STEPS * USUAL) / (n + USUAL_STEPS)));
  return (1 + rho) / (1 - rho);
}

function differenceVariance(values: readonly number[], lag: number, far: number): number {
  const differences = values.slice(lag).map((value, i) => value - values[i]!);
  const mean = meanOf(differences);
  const size = Math.sqrt(meanOf(differences.map((each) => (each - mean) ** 2)));
  const usual = medianOf(differences.map((each) => Math.abs(each - mean))) / NORMAL_MAD;
  // Where most rewards are equal, the median says nothing of the others.
  const most = far * Math.max(usual, LEAST_USUAL * size);
  return differences.reduce((sum, each) => sum + Math.min(most, Math.abs(each - mean)) ** 2, 0) / (differences.length - 1);
}

/** The slope as a normal score; 0 where all values are equal. @param known the variance of a value, where it is known */
function slopeScore(values: readonly number[], known?: number): number {
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
  const weight = known === undefined ? 0 : KNOWN_STEPS;
  const freedom = n - 3 + weight;
  const variance = (rest + weight * (known ?? 0)) / freedom;
  return normalScoreOf(line.share / Math.sqrt((variance / line.length) * inflationOf(values)), freedom);
}
