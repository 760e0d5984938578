// Masks that take the policy gradient (not the KL) away from some trained tokens, and the one that
// takes completions cut off by the length limit out of training altogether.
import type { ObjectiveInput, Ratios } from "./types.ts";

/**
 * Mask of trained tokens with truncated completions removed (DAPO's overlong filtering, arXiv 2503.14476
 * section 3.4; TRL's mask_truncated_completions). Their rewards still count in the group's statistics.
 * @param truncated_Q 1 where the length limit ended the completion.
 */
export function withoutTruncated(mask_K: ArrayLike<number>, sequenceStart_Q: Int32Array, truncated_Q: ArrayLike<number>): Uint8Array {
  const kept_K = Uint8Array.from(mask_K);
  for (let q = 0; q + 1 < sequenceStart_Q.length; q++) {
    if (truncated_Q[q]) kept_K.fill(0, sequenceStart_Q[q]!, sequenceStart_Q[q + 1]!);
  }
  return kept_K;
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
