// The mask that takes the policy gradient (not the KL) away from some trained tokens.
import type { ObjectiveInput, Ratios } from "./types.ts";

/**
 * Tokens whose policy gradient counts, 1 or 0, [K]; starts from the trained tokens.
 * - top-entropy (Wang et al. 2025, "Beyond the 80/20 Rule", arXiv 2506.01939): entropy >= threshold.
 * - off-policy (DeepSeek-V3.2, arXiv 2512.02556, section 3.1): a token with negative advantage is dropped when
 *   its sequence's mean old - new log-prob exceeds `offPolicyThreshold`; 0 turns it off.
 */
export function policyMask(input: ObjectiveInput, ratios: Ratios, offPolicyThreshold: number): Uint8Array {
  const { mask_K, entropies_K, advantages_K, sequenceStart_Q, totals } = input;
  const keep_K = new Uint8Array(mask_K.length);
  for (let k = 0; k < keep_K.length; k++) keep_K[k] = mask_K[k] && entropies_K[k]! >= totals.entropyThreshold ? 1 : 0;
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
