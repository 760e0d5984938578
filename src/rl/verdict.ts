// Is the policy learning? A noisy curve fools people, so the answer comes from stated tests. Learning at
// all is found by either of two one-sided tests at the 0.5 % level each (1 % together):
// - the Mann-Kendall trend test (Mann 1945; Kendall 1975) on means of at most 40 consecutive blocks,
//   which sees a slow rise;
// - Welch's t test (1947) of the last fifth of the steps against the first, which sees a rise that was
//   over within a few steps of a long run.
// Once learning is found, Mann-Kendall at 5 % over the last half says whether it still goes on. Looking
// again after every step makes a false alarm somewhere along a long run likelier than 1 %.
// A collapse is found by the same two tests on the reward with its sign turned, 1 % again, and only where
// the last fifth lies below the first: that is what its word says.

export type Verdict = "no evidence of learning yet" | "improving" | "plateau" | "worse than at the start";

export interface VerdictResult {
  readonly verdict: Verdict;
  /** One-sided p values: of a trend over the whole series, of the last fifth being above the first, and of a trend over the last half; 1 where too short. */
  readonly pTrend: number;
  readonly pEnds: number;
  readonly pRecent: number;
  /** One sentence that names the test and its outcome. */
  readonly reason: string;
}

const LEVEL = 0.005;
const RECENT_LEVEL = 0.05;
const FEWEST_STEPS = 10;
const MOST_BLOCKS = 40;

/** Judges a series of mean rewards, one per step in order; NaN entries are left out. */
export function judgeLearning(rewards: readonly number[]): VerdictResult {
  const series = rewards.filter((reward) => !Number.isNaN(reward));
  if (series.length < FEWEST_STEPS) {
    const reason = `a test needs at least ${FEWEST_STEPS} steps, there are ${series.length}`;
    return { verdict: "no evidence of learning yet", pTrend: 1, pEnds: 1, pRecent: 1, reason };
  }
  const fifth = Math.max(FEWEST_STEPS / 2, Math.floor(series.length / 5));
  const first = series.slice(0, fifth);
  const last = series.slice(-fifth);
  const blocks = blockMeans(series);
  const pTrend = trendPValue(blocks);
  const pEnds = higherMeanPValue(first, last);
  const recent = series.slice(Math.floor(series.length / 2));
  const pRecent = recent.length >= FEWEST_STEPS ? trendPValue(blockMeans(recent)) : 1;
  const shown = `over ${series.length} steps: trend ${show(pTrend)}, last fifth above first ${show(pEnds)}`;
  const result = { pTrend, pEnds, pRecent };
  const worse = fallReason(series.length, blocks, first, last);
  // Before learning: a long rise does not make up for an end below the start.
  if (worse !== null) return { verdict: "worse than at the start", ...result, reason: worse };
  if (pTrend >= LEVEL && pEnds >= LEVEL)
    return { verdict: "no evidence of learning yet", ...result, reason: `${shown}, neither below ${LEVEL}` };
  if (recent.length < FEWEST_STEPS) return { verdict: "improving", ...result, reason: `${shown}, below ${LEVEL}` };
  const late = `trend over the last half ${show(pRecent)}`;
  if (pRecent < RECENT_LEVEL) return { verdict: "improving", ...result, reason: `${shown}; ${late}, below ${RECENT_LEVEL}` };
  return { verdict: "plateau", ...result, reason: `${shown}; ${late}, not below ${RECENT_LEVEL}` };
}

/** The sentence for a reward that ends below its start by either test; null where neither sees a fall. */
function fallReason(steps: number, blocks: readonly number[], first: readonly number[], last: readonly number[]): string | null {
  const pFall = trendPValue(blocks.map((value) => -value));
  const pBelow = higherMeanPValue(last, first);
  if (meanAndError(last).mean >= meanAndError(first).mean || (pFall >= LEVEL && pBelow >= LEVEL)) return null;
  return `over ${steps} steps: falling trend ${show(pFall)}, last fifth below first ${show(pBelow)}, below ${LEVEL}`;
}

function show(p: number): string {
  return p < 1e-4 ? "p < 0.0001" : `p = ${p.toPrecision(2)}`;
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
export function trendPValue(values: readonly number[]): number {
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

/**
 * One-sided p value of Welch's t test that `late` has the higher mean. The t tail is read off the normal
 * through Wallace's transformation (1959). Without any variance only the means decide.
 */
export function higherMeanPValue(early: readonly number[], late: readonly number[]): number {
  const first = meanAndError(early);
  const second = meanAndError(late);
  const squares = first.squaredError + second.squaredError;
  const difference = second.mean - first.mean;
  if (squares === 0) return difference > 0 ? 0 : 1;
  const t = difference / Math.sqrt(squares);
  const freedom = squares ** 2 / (first.squaredError ** 2 / (early.length - 1) + second.squaredError ** 2 / (late.length - 1));
  const z = Math.sign(t) * ((8 * freedom + 1) / (8 * freedom + 3)) * Math.sqrt(freedom * Math.log1p((t * t) / freedom));
  return upperTail(z);
}

/** Mean and squared standard error of the mean. */
function meanAndError(values: readonly number[]): { readonly mean: number; readonly squaredError: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0);
  return { mean, squaredError: squares / (values.length - 1) / values.length };
}

/** P(Z > z) of the standard normal: Abramowitz and Stegun 26.2.17, absolute error below 7.5e-8. */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * Math.abs(z));
  const poly = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  const tail = (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * poly;
  return z >= 0 ? tail : 1 - tail;
}
