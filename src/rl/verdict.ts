// Is the policy learning? A noisy curve fools people, so the answer comes from a stated test: the
// Mann-Kendall trend test (Mann 1945; Kendall 1975), which asks only whether later rewards tend to be
// higher than earlier ones, on means of consecutive blocks (at most 40, so that slow drifts within a
// block do not count as evidence). One-sided at the 1 % level for learning at all; once that is found,
// one-sided at 5 % over the last half for whether it still goes on. Looking again after every step makes
// a false alarm somewhere along a long run likelier than 1 %.

export type Verdict = "no evidence of learning yet" | "improving" | "plateau";

export interface VerdictResult {
  readonly verdict: Verdict;
  /** One-sided p value of a rise over the whole series, and over its last half; 1 where too short. */
  readonly pWhole: number;
  readonly pRecent: number;
  /** One sentence that names the test and its outcome. */
  readonly reason: string;
}

const LEVEL = 0.01;
const RECENT_LEVEL = 0.05;
const FEWEST_STEPS = 10;
const MOST_BLOCKS = 40;

/** Judges a series of mean rewards, one per step in order; NaN entries are left out. */
export function judgeLearning(rewards: readonly number[]): VerdictResult {
  const series = rewards.filter((reward) => !Number.isNaN(reward));
  if (series.length < FEWEST_STEPS) {
    const reason = `a trend test needs at least ${FEWEST_STEPS} steps, there are ${series.length}`;
    return { verdict: "no evidence of learning yet", pWhole: 1, pRecent: 1, reason };
  }
  const pWhole = risePValue(blockMeans(series));
  const recent = series.slice(Math.floor(series.length / 2));
  const pRecent = recent.length >= FEWEST_STEPS ? risePValue(blockMeans(recent)) : 1;
  const shown = `Mann-Kendall test of a rise over ${series.length} steps: p = ${pWhole.toPrecision(2)}`;
  if (pWhole >= LEVEL) return { verdict: "no evidence of learning yet", pWhole, pRecent, reason: `${shown}, not below ${LEVEL}` };
  if (recent.length < FEWEST_STEPS) return { verdict: "improving", pWhole, pRecent, reason: `${shown}, below ${LEVEL}` };
  const late = `over the last half p = ${pRecent.toPrecision(2)}`;
  if (pRecent < RECENT_LEVEL) return { verdict: "improving", pWhole, pRecent, reason: `${shown}; ${late}, below ${RECENT_LEVEL}` };
  return { verdict: "plateau", pWhole, pRecent, reason: `${shown}; ${late}, not below ${RECENT_LEVEL}` };
}

/** Means of at most MOST_BLOCKS consecutive blocks of nearly equal length. */
function blockMeans(series: readonly number[]): readonly number[] {
  const blocks = Math.min(MOST_BLOCKS, series.length);
  return Array.from({ length: blocks }, (_, b) => {
    const block = series.slice(Math.floor((b * series.length) / blocks), Math.floor(((b + 1) * series.length) / blocks));
    return block.reduce((sum, value) => sum + value, 0) / block.length;
  });
}

/**
 * One-sided p value of the Mann-Kendall statistic S = Σ_{i<j} sign(x_j - x_i), by the normal
 * approximation with continuity correction; ties shrink the variance. 1 when all values are equal.
 */
export function risePValue(values: readonly number[]): number {
  const n = values.length;
  let s = 0;
  const tied = new Map<number, number>();
  for (let i = 0; i < n; i++) {
    tied.set(values[i]!, (tied.get(values[i]!) ?? 0) + 1);
    for (let j = i + 1; j < n; j++) s += Math.sign(values[j]! - values[i]!);
  }
  let variance = n * (n - 1) * (2 * n + 5);
  for (const t of tied.values()) variance -= t * (t - 1) * (2 * t + 5);
  if (variance <= 0) return 1;
  return upperTail((s - Math.sign(s)) / Math.sqrt(variance / 18));
}

/** P(Z > z) of the standard normal: Abramowitz and Stegun 26.2.17, absolute error below 7.5e-8. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * poly;
  return z >= 0 ? tail : 1 - tail;
}
