// Sums for the metrics of one optimizer batch, gathered part by part.

/** The neutral element of addSums. */
export function emptySums() {
  return {
    tokens: 0,
    /** What clip ratios are a share of: tokens, or sequences with a sequence ratio. */
    ratios: 0,
    clippedLow: 0,
    clippedHigh: 0,
    heldOuter: 0,
    /** Smallest low and largest high share of clipped tokens in one sequence. */
    lowShareMin: Number.POSITIVE_INFINITY,
    highShareMax: Number.NEGATIVE_INFINITY,
    /** Not a number where the model does not tell it. */
    entropy: 0,
    kl: 0,
    /** Σ of old - new log-prob (k1 towards the sampling policy), and of its k3. */
    approxKl: 0,
    approxKl3: 0,
    /** |new - old log-prob|: the distance between sampling and training. */
    logprobDifference: 0,
    logprobDifferenceMax: 0,
    ratio: 0,
    ratioMin: Number.POSITIVE_INFINITY,
    ratioMax: Number.NEGATIVE_INFINITY,
    /** Σ over sequences of their weight, of a surrogate that weighs whole sequences. */
    sequenceWeight: 0,
    sequences: 0,
    /** Tokens whose policy gradient the off-policy or top-entropy mask removed. */
    dropped: 0,
    valueClipped: 0,
    /** Losses as they enter the total: policy, KL (times β), entropy (times -coef), value (times its weight). */
    policyLoss: 0,
    klLoss: 0,
    entropyLoss: 0,
    valueLoss: 0,
  };
}
/** Sums over one call; add those of all calls (addSums), then read the metrics off the total. */
export type ObjectiveSums = ReturnType<typeof emptySums>;

const SMALLEST = new Set<keyof ObjectiveSums>(["lowShareMin", "ratioMin"]);
const LARGEST = new Set<keyof ObjectiveSums>(["highShareMax", "ratioMax", "logprobDifferenceMax"]);

/** Adds `part` to `total` in place: sums add, minima and maxima combine. */
export function addSums(total: ObjectiveSums, part: ObjectiveSums): void {
  for (const key of Object.keys(total) as (keyof ObjectiveSums)[]) {
    if (SMALLEST.has(key)) total[key] = Math.min(total[key], part[key]);
    else if (LARGEST.has(key)) total[key] = Math.max(total[key], part[key]);
    else total[key] += part[key];
  }
}
