// What a centred reward is divided by: (std + ε) of its group (GRPO) or of the whole batch (REINFORCE++
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
