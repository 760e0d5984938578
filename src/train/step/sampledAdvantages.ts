// From the rewards of a sampled step to its advantages, which are written into it.
import type { RunConfig } from "../../protocol/config.ts";
import { turnSpans } from "../../rl/advantage/turnSpans.ts";
import type { AdvantageInput, AdvantageResult } from "../../rl/advantage/types.ts";
import { computeAdvantages } from "../../rl/advantages.ts";
import { endToEnd } from "../../rl/objective/types.ts";
import type { SampledStep } from "./sampledStep.ts";

type Judged = Pick<SampledStep, "trajectories_Q" | "rewards_P_G" | "groupOf_Q" | "mask_K" | "oldLogprobs_K" | "refLogprobs_K">;
type Valued = Pick<AdvantageInput, "sequenceStart_Q" | "values_K" | "bootstrap_Q">;

/** What the advantages of a step are computed from. */
export function advantageInput(
  step: Judged,
  { rewardAggregation }: Pick<RunConfig, "rewardAggregation">,
  { sequenceStart_Q, ...values }: Valued,
): AdvantageInput {
  const { trajectories_Q, groupOf_Q, mask_K, oldLogprobs_K, refLogprobs_K } = step;
  const rewards_Q = endToEnd(step.rewards_P_G);
  return {
    rewards_Q: rewards_Q.map(({ total }) => total),
    ...(rewardAggregation === "normalize-then-sum" ? { parts_Q: rewards_Q.map(({ parts }) => parts) } : {}),
    ...turnSpans(
      trajectories_Q.map(({ mask, report }, q) => ({ mask, report, rewards: rewards_Q[q]!.turns })),
      sequenceStart_Q,
    ),
    tokenCount_Q: trajectories_Q.map(({ logprobs }) => logprobs.length),
    groupOf_Q,
    sequenceStart_Q,
    mask_K,
    oldLogprobs_K,
    refLogprobs_K,
    ...values,
  };
}

function inputOf(sampled: SampledStep, config: RunConfig): AdvantageInput {
  const { batch, values_K, bootstrap_Q } = sampled;
  return advantageInput(sampled, config, { sequenceStart_Q: batch.sequenceStart_Q, values_K, bootstrap_Q });
}

/**
 * The critic's TD errors, r + γ V(next) − V, at the trained tokens of a step that has its advantages: what GAE with λ = 0 gives
 * (Schulman et al. 2016). Null without a critic.
 */
export function tdErrors(sampled: SampledStep): Float64Array | null {
  if (!sampled.values_K || sampled.phase === "sample" || sampled.phase === "score") return null;
  return computeAdvantages(inputOf(sampled, sampled.config), { ...sampled.config, gaeLambda: 0, whitenAdvantages: false }).advantages_K;
}

/** Advantages of a step that has been scored; completions that train nothing are masked first. */
export function sampledAdvantages(sampled: SampledStep, config: RunConfig): AdvantageResult {
  const { batch, trajectories_Q } = sampled;
  for (let q = 0; config.maskTruncated && q < trajectories_Q.length; q++) {
    if (trajectories_Q[q]!.stopReason === "max-tokens") sampled.mask_K.fill(0, batch.sequenceStart_Q[q], batch.sequenceStart_Q[q + 1]);
  }
  const advantages = computeAdvantages(inputOf(sampled, config), config);
  sampled.advantages_Q = advantages.advantages_Q;
  sampled.advantages_K = advantages.advantages_K;
  sampled.advantageTerms = advantages.terms;
  sampled.zeroSpread_P = advantages.zeroSpread_P;
  sampled.phase = "advantage";
  return advantages;
}
