// Importance ratios between the policy being trained and the one that sampled, and the mask that takes the policy
// gradient (not the KL) away from some trained tokens.

import { exp } from "../exactMath.ts";
import { consecutiveSubarrays, type ObjectiveInput, type Ratios } from "./types.ts";

/** Ratios no further from 1, and their logarithms from 0, are rounding errors: both log-probs are single precision. */
export const RATIO_NOISE = 1e-4;

/** Whether the policy that is trained is still the one that sampled: one optimizer step for each batch. */
export function isOnPolicy({ innerEpochs, minibatches }: { readonly innerEpochs: number; readonly minibatches: number }): boolean {
  return innerEpochs * minibatches === 1;
}

/**
 * token: w_t = exp(lp_t - old_t). sequence: w = exp(mean over trained tokens of lp - old), the same at
 * each token (GSPO, Zheng et al. 2025, arXiv 2507.18071, eq. 7). Untrained tokens read 1.
 */
export function importanceRatios(
  input: Pick<ObjectiveInput, "logprobs_K" | "oldLogprobs_K" | "mask_K" | "sequenceStart_Q">,
  level: "token" | "sequence",
): Ratios {
  const { logprobs_K, oldLogprobs_K, mask_K, sequenceStart_Q } = input;
  const K = mask_K.length;
  const Q = sequenceStart_Q.length - 1;
  const base = sequenceStart_Q[0]!;
  const next = consecutiveSubarrays(new Float64Array(2 * K + Q));
  const ratio_K = next(K).fill(1);
  const logRatio_K = next(K);
  const trained_Q = next(Q);
  for (let q = 0; q < Q; q++) {
    const end = sequenceStart_Q[q + 1]! - base;
    let sum = 0;
    let count = 0;
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) {
      if (!mask_K[k]) continue;
      const logRatio = logprobs_K[k]! - oldLogprobs_K[k]!;
      logRatio_K[k] = logRatio;
      ratio_K[k] = exp(logRatio);
      sum += logRatio;
      count += 1;
    }
    trained_Q[q] = count;
    if (level === "token" || count === 0) continue;
    const ratio = exp(sum / count);
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) if (mask_K[k]) ratio_K[k] = ratio;
  }
  return { ratio_K, logRatio_K, trained_Q };
}

/**
 * Carries dLoss/dRatio (already weighted per token) back to the log-probs, adding to `grad_K`:
 * token: w_t·g_t; sequence: w/|o| times the sum of the sequence's g, at each trained token.
 */
export function backpropRatios(
  input: ObjectiveInput,
  ratios: Ratios,
  level: "token" | "sequence",
  dRatio_K: Float64Array,
  grad_K: Float64Array,
): void {
  const { mask_K, sequenceStart_Q } = input;
  const { ratio_K, trained_Q } = ratios;
  if (level === "token") {
    for (let k = 0; k < grad_K.length; k++) if (mask_K[k]) grad_K[k]! += dRatio_K[k]! * ratio_K[k]!;
    return;
  }
  const base = sequenceStart_Q[0]!;
  for (let q = 0; q < trained_Q.length; q++) {
    const end = sequenceStart_Q[q + 1]! - base;
    let sum = 0;
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) sum += dRatio_K[k]!;
    if (sum === 0) continue;
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) if (mask_K[k]) grad_K[k]! += (sum * ratio_K[k]!) / trained_Q[q]!;
  }
}

/** Carries dLoss/d(Σ log-ratio of the sequence) back: each trained token of a sequence gets the sequence's sum. */
export function backpropSequences(input: ObjectiveInput, ratios: Ratios, dSequence_K: Float64Array, grad_K: Float64Array): void {
  const { mask_K, sequenceStart_Q } = input;
  const base = sequenceStart_Q[0]!;
  for (let q = 0; q < ratios.trained_Q.length; q++) {
    const end = sequenceStart_Q[q + 1]! - base;
    let sum = 0;
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) sum += dSequence_K[k]!;
    if (sum === 0) continue;
    // A log-ratio beyond ±20 is clamped in the sum and passes nothing on.
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) if (mask_K[k] && Math.abs(ratios.logRatio_K[k]!) <= 20) grad_K[k]! += sum;
  }
}

/**
 * Tokens whose policy gradient counts, 1 or 0, [K]; starts from the trained tokens.
 * - top-entropy (Wang et al. 2025, "Beyond the 80/20 Rule", arXiv 2506.01939): entropy >= threshold.
 * - off-policy (DeepSeek-V3.2, arXiv 2512.02556, section 3.1): a token with negative advantage is dropped when
 *   its sequence's mean old - new log-prob exceeds `offPolicyThreshold`; 0 turns it off.
 */
export function policyMask(input: ObjectiveInput, ratios: Ratios, offPolicyThreshold: number): Uint8Array {
  const { mask_K, entropies_K, advantages_K, sequenceStart_Q, totals } = input;
  const keep_K = new Uint8Array(mask_K.length);
  // Without a threshold, entropies that a model does not tell are not asked for.
  const passes = (k: number) => !entropies_K || entropies_K[k]! >= totals.entropyThreshold;
  for (let k = 0; k < keep_K.length; k++) keep_K[k] = mask_K[k] && passes(k) ? 1 : 0;
  if (offPolicyThreshold <= 0) return keep_K;
  const base = sequenceStart_Q[0]!;
  for (let q = 0; q < ratios.trained_Q.length; q++) {
    const end = sequenceStart_Q[q + 1]! - base;
    let drift = 0;
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) drift -= ratios.logRatio_K[k]!;
    if (drift / Math.max(1, ratios.trained_Q[q]!) <= offPolicyThreshold) continue;
    for (let k = sequenceStart_Q[q]! - base; k < end; k++) if (advantages_K[k]! < 0) keep_K[k] = 0;
  }
  return keep_K;
}
