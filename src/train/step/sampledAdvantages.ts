// From the rewards of a sampled step to its advantages, which are written into it.
import type { RunConfig } from "../../protocol/config.ts";
import { turnSpans } from "../../rl/advantage/turnSpans.ts";
import type { AdvantageInput, AdvantageResult } from "../../rl/advantage/types.ts";
import { computeAdvantages } from "../../rl/advantages.ts";
import { endToEnd } from "../../rl/objective/types.ts";
import type { SampledStep } from "./sampledStep.ts";

/** What the advantages of a step are computed from. */
function advantageInput(sampled: SampledStep, { rewardAggregation }: RunConfig): AdvantageInput {
  const { batch, trajectories_Q } = sampled;
  const rewards_Q = endToEnd(sampled.rewards_P_G);
  return {
    rewards_Q: rewards_Q.map(({ total }) => total),
    ...(rewardAggregation === "normalize-then-sum" ? { parts_Q: rewards_Q.map(({ parts }) => parts) } : {}),
    groupOf_Q: sampled.groupOf_Q,
    ...turnSpans(
      trajectories_Q.map(({ mask, report }, q) => ({ mask, report, rewards: rewards_Q[q]!.turns })),
      batch.sequenceStart_Q,
    ),
    tokenCount_Q: trajectories_Q.map(({ logprobs }) => logprobs.length),
    sequenceStart_Q: batch.sequenceStart_Q,
    mask_K: sampled.mask_K,
    oldLogprobs_K: sampled.oldLogprobs_K,
    refLogprobs_K: sampled.refLogprobs_K,
    values_K: sampled.values_K,
    bootstrap_Q: sampled.bootstrap_Q,
  };
}

/**
 * The critic's TD errors, r + γ V(next) − V, at the trained tokens of a step that has its advantages: what GAE with λ = 0 gives
 * (Schulman et al. 2016). Null without a critic.
 */
export function tdErrors(sampled: SampledStep): Float64Array | null {
  if (!sampled.values_K || sampled.phase === "sample" || sampled.phase === "score") return null;
  return computeAdvantages(advantageInput(sampled, sampled.config), { ...sampled.config, gaeLambda: 0, whitenAdvantages: false })
    .advantages_K;
}

/** Advantages of a step that has been scored; completions that train nothing are masked first. */
export function sampledAdvantages(sampled: SampledStep, config: RunConfig): AdvantageResult {
  const { batch } = sampled;
  const { trajectories_Q } = sampled;
  for (let q = 0; config.maskTruncated && q < trajectories_Q.length; q++) {
    if (trajectories_Q[q]!.stopReason === "max-tokens") sampled.mask_K.fill(0, batch.sequenceStart_Q[q], batch.sequenceStart_Q[q + 1]);
  }
  const advantages = computeAdvantages(advantageInput(sampled, config), config);
  sampled.advantages_Q = advantages.advantages_Q;
  sampled.advantages_K = advantages.advantages_K;
  sampled.advantageTerms = advantages.terms;
  sampled.zeroSpread_P = advantages.zeroSpread_P;
  sampled.phase = "advantage";
  return advantages;
}
