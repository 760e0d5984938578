// Baselines: what a completion's reward is compared with. None of them looks at the completion's own
// tokens, so the policy gradient stays unbiased up to the usual 1/G of the group mean.
// - group-mean: Shao et al. 2024 (GRPO, arXiv 2402.03300)
// - leave-one-out: mean of the other completions; Ahmadian et al. 2024 (RLOO, arXiv 2402.14740)
// - length-weighted: Σ len·r / Σ len; Hao et al. 2025 (OPO, arXiv 2505.23585)
// - batch-mean: mean over the whole batch (REINFORCE with baseline, Williams 1992)
import type { RunConfig } from "../../protocol/config.ts";
import { summarize } from "./statistics.ts";

export type RewardBaseline = Exclude<RunConfig["advantageBaseline"], "critic">;

/**
 * rewards - baseline, [Q]; NaN rewards (unscorable) stay NaN.
 * A group whose rewards are equal gives exactly 0 under the three group baselines, whatever the
 * rounding of its mean; so does a group with one scorable member, which has nothing to compare with.
 * @param members_P completions of each group. @param lengths_Q sampled tokens of each completion.
 */
export function subtractBaseline(
  baseline: RewardBaseline,
  rewards_Q: Float64Array,
  members_P: readonly (readonly number[])[],
  lengths_Q: ArrayLike<number>,
): Float64Array {
  if (baseline === "none") return rewards_Q.slice();
  if (baseline === "batch-mean") {
    const { mean } = summarize(rewards_Q, "sample");
    return rewards_Q.map((reward) => reward - mean);
  }
  const centred_Q = new Float64Array(rewards_Q.length);
  for (const members of members_P) {
    const rewards = members.map((q) => rewards_Q[q]!);
    const { count, mean, equal } = summarize(rewards, "sample");
    const level = baseline === "length-weighted" ? weightedMean(members, rewards_Q, lengths_Q) : mean;
    // r - mean of the others = n/(n-1)·(r - mean of all).
    const stretch = baseline === "leave-one-out" && count > 1 ? count / (count - 1) : 1;
    for (const q of members) centred_Q[q] = Number.isNaN(rewards_Q[q]!) ? Number.NaN : equal ? 0 : stretch * (rewards_Q[q]! - level);
  }
  return centred_Q;
}

function weightedMean(members: readonly number[], rewards_Q: Float64Array, lengths_Q: ArrayLike<number>): number {
  let weight = 0;
  let sum = 0;
  for (const q of members) {
    if (Number.isNaN(rewards_Q[q]!)) continue;
    weight += lengths_Q[q]!;
    sum += lengths_Q[q]! * rewards_Q[q]!;
  }
  return weight > 0 ? sum / weight : 0;
}
