// Accuracies and their 95 % confidence intervals, so that none is shown without its uncertainty.

/** A 95 % interval. */
export type Interval = readonly [low: number, high: number];

/** The 97.5 % point of the standard normal. */
const Z = 1.959963984540054;

/**
 * Wilson score interval of a share (Wilson 1927), clipped to [0, 1]; [0, 1] without trials. Unlike
 * p ± z·se it does not collapse at 0 or 1.
 * @param z standard deviations to each side; 1.96 make it the 95 % interval.
 */
export function wilsonInterval(successes: number, trials: number, z = Z): Interval {
  if (trials === 0) return [0, 1];
  const share = successes / trials;
  const spread = z * z;
  const centre = share + spread / (2 * trials);
  const half = z * Math.sqrt((share * (1 - share)) / trials + spread / (4 * trials * trials));
  const norm = 1 + spread / trials;
  const low = successes === 0 ? 0 : Math.max(0, (centre - half) / norm);
  const high = successes === trials ? 1 : Math.min(1, (centre + half) / norm);
  return [low, high];
}

/**
 * Student's t interval of a mean over independent units (problems, seeds): mean ± t(n - 1)·s/√n.
 * With one value nothing is known about the spread: [-Infinity, Infinity]; NaN without values.
 * Shares that are all equal, as where every problem is solved by all or by none of its samples, have s = 0
 * and would claim certainty; theirs is Wilson's score interval (Wilson 1927; Brown, Cai and DasGupta 2001,
 * section 3.1.1) of that share over the n units, as if each were one trial: it counts no sample beyond the
 * first, so it errs on the wide side. Equal values outside [0, 1] are no shares and keep the width 0.
 */
export function meanInterval(values: readonly number[]): Interval {
  const n = values.length;
  if (n === 0) return [Number.NaN, Number.NaN];
  if (n === 1) return [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  const share = values[0]!;
  if (share >= 0 && share <= 1 && values.every((value) => value === share)) return wilsonInterval(share * n, n);
  const mean = values.reduce((sum, value) => sum + value, 0) / n;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (n - 1);
  const half = studentQuantile(n - 1) * Math.sqrt(variance / n);
  return [mean - half, mean + half];
}

/** A figure and its 95 % interval, or one at another level. */
export interface Measured {
  readonly value: number;
  readonly interval: Interval;
}

/**
 * The interval of the difference later - earlier from the interval of each (Newcombe 1998, method 10; for any
 * figures Zou and Donner 2008). Where the same problems are asked both times it errs on the wide side.
 */
export function differenceInterval(earlier: Measured, later: Measured): Interval {
  const difference = later.value - earlier.value;
  const below = Math.hypot(later.value - later.interval[0], earlier.interval[1] - earlier.value);
  const above = Math.hypot(later.interval[1] - later.value, earlier.value - earlier.interval[0]);
  return [difference - below, difference + above];
}

/**
 * The 97.5 % point of Student's t with the given degrees of freedom: closed forms for 1 and 2, the
 * Cornish-Fisher expansion (Abramowitz and Stegun 26.7.5) above, within 0.5 % at 3 and 1e-4 from 6 on.
 */
export function studentQuantile(freedom: number): number {
  if (freedom === 1) return 12.706204736174707;
  if (freedom === 2) return 4.302652729749464;
  const z2 = Z * Z;
  const g1 = (Z * (z2 + 1)) / 4;
  const g2 = (Z * ((5 * z2 + 16) * z2 + 3)) / 96;
  const g3 = (Z * (((3 * z2 + 19) * z2 + 17) * z2 - 15)) / 384;
  const g4 = (Z * ((((79 * z2 + 776) * z2 + 1482) * z2 - 1920) * z2 - 945)) / 92160;
  return Z + (g1 + (g2 + (g3 + g4 / freedom) / freedom) / freedom) / freedom;
}

/**
 * The chance that at least one of k samples is right, estimated without bias from n >= k samples (Chen et al. 2021,
 * arXiv 2107.03374, eq. 1): 1 - C(n - c, k) / C(n, k), as the stable product 1 - Π_{i = n-c+1..n} (1 - k/i).
 * @param n samples drawn. @param c how many are right, 0 .. n. @param k 1 .. n.
 */
export function passAtK(n: number, c: number, k: number): number {
  if (k < 1 || k > n) throw new RangeError(`k must be from 1 to n = ${n}, got ${k}`);
  if (c < 0 || c > n) throw new RangeError(`c must be from 0 to n = ${n}, got ${c}`);
  if (n - c < k) return 1;
  let allWrong = 1;
  for (let i = n - c + 1; i <= n; i++) allWrong *= 1 - k / i;
  return 1 - allWrong;
}

/** The widest interval, at a share of one half, with which problems decide something. */
const WIDEST = 0.6;

/**
 * That so few held-out problems decide nothing, in a sentence; null where they are more.
 * @param isOnly the problem is the only one that the task has: its share says all there is to say.
 */
export function fewProblems(problems: number, isOnly: boolean): string | null {
  const [low, high] = wilsonInterval(problems / 2, problems);
  if (problems === 0 || isOnly || high - low <= WIDEST) return null;
  const [from, to] = (problems === 1 ? wilsonInterval(1, 1) : [low, high]).map((share) => Math.round(100 * share));
  const [who, when] =
    problems === 1 ? ["1 held-out problem decides", "where it is"] : [`${problems} held-out problems decide`, "with half of them"];
  return `${who} nothing: ${when} right, the share of all such problems may be ${from} to ${to} %`;
}

/** The same of an evaluation: only of the one problem that a task has is nothing left to chance. */
export const fewEvaluated = ({ problems, greedyInterval: [low, high] }: { readonly problems: number; readonly greedyInterval: Interval }) =>
  fewProblems(problems, low === high);
