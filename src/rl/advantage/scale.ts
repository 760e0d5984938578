// What advantages are divided by. A centred reward: (std + ε) of its group (GRPO) or of the whole batch (REINFORCE++
// baseline, Lite PPO), or nothing (Dr. GRPO, arXiv 2503.20783: dividing by the group's std favours
// questions that are nearly always right or nearly always wrong).

import { summarize } from "./statistics.ts";
import type { AdvantageConfig } from "./types.ts";

/** Divisor of each completion, [Q]; 1 where the standard deviation and ε are both 0. */
export function scaleOf(
  rewards_Q: Float64Array,
  members_P: readonly (readonly number[])[],
  config: Pick<AdvantageConfig, "advantageScale" | "advantageStd" | "advantageEps">,
): Float64Array {
  const scale_Q = new Float64Array(rewards_Q.length).fill(1);
  if (config.advantageScale === "none") return scale_Q;
  if (config.advantageScale === "batch-std") {
    return scale_Q.fill(summarize(rewards_Q, config.advantageStd).std + config.advantageEps || 1);
  }
  for (const members of members_P) {
    const values = members.map((q) => rewards_Q[q]!);
    const divisor = summarize(values, config.advantageStd).std + config.advantageEps || 1;
    for (const q of members) scale_Q[q] = divisor;
  }
  return scale_Q;
}

export const NOT_WHITENED = { shift: 0, spread: 1 } as const;

/**
 * Whitens the token advantages with mask 1 in place, as verl's masked_whiten: (A - mean) / sqrt(var + 1e-8) with the
 * unbiased variance over them; with fewer than two nothing changes. Returns what it took out.
 */
export function whitenTokens(values_K: Float64Array, mask_K: ArrayLike<number>): { readonly shift: number; readonly spread: number } {
  let count = 0;
  let sum = 0;
  for (let k = 0; k < values_K.length; k++) {
    if (!mask_K[k]) continue;
    count += 1;
    sum += values_K[k]!;
  }
  if (count < 2) return NOT_WHITENED;
  const mean = sum / count;
  let squares = 0;
  for (let k = 0; k < values_K.length; k++) if (mask_K[k]) squares += (values_K[k]! - mean) ** 2;
  const scale = 1 / Math.sqrt(squares / (count - 1) + 1e-8);
  for (let k = 0; k < values_K.length; k++) if (mask_K[k]) values_K[k] = (values_K[k]! - mean) * scale;
  return { shift: mean, spread: 1 / scale };
}
