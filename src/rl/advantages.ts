// From rewards to advantages: who did better than expected, and by how much. One file per idea lies in
// advantage/; this one composes them as the configuration says.
//
// Reward-only baselines give each completion one number A = (r - baseline) / scale, discounted back
// from the last trained token when γ < 1. Without a baseline the token's own return-to-go is used, so
// a KL in the reward is felt only by the tokens up to it (REINFORCE++). With a critic it is GAE.
import { type RewardBaseline, subtractBaseline } from "./advantage/baseline.ts";
import { normalizedSum, standardize } from "./advantage/normalizeThenSum.ts";
import { discountedReturns, generalizedAdvantages } from "./advantage/returns.ts";
import { scaleOf, whitenTokens } from "./advantage/scale.ts";
import { membersOf, summarize } from "./advantage/statistics.ts";
import { klRewards, rewardStream, sumPerSequence } from "./advantage/tokenRewards.ts";
import type { AdvantageConfig, AdvantageInput, AdvantageResult } from "./advantage/types.ts";

/**
 * Advantages of one batch.
 * @throws "internal: ..." when the configuration needs values, reference log-probs or parts that were not given.
 */
export function computeAdvantages(input: AdvantageInput, config: AdvantageConfig): AdvantageResult {
  const { mask_K, sequenceStart_Q } = input;
  const rewards_Q = Float64Array.from(input.rewards_Q, (reward) => reward ?? Number.NaN);
  const members_P = membersOf(input.groupOf_Q);
  const zeroSpread_P = members_P.map(
    (members) =>
      summarize(
        members.map((q) => rewards_Q[q]!),
        "sample",
      ).equal,
  );
  const scored_K = scoredMask(rewards_Q, mask_K, sequenceStart_Q);
  const klRewards_K = klRewards(input, config);

  let advantages_K: Float64Array;
  let returns_K: Float64Array | null = null;
  let completion_Q: Float64Array | null = null;
  if (config.advantageBaseline === "critic") {
    if (!input.values_K) throw new Error("internal: the critic baseline needs values");
    const stream_K = rewardStream(rewards_Q, klRewards_K, mask_K, sequenceStart_Q);
    const gae = generalizedAdvantages(stream_K, input.values_K, mask_K, sequenceStart_Q, config.discount, config.gaeLambda);
    advantages_K = gae.advantages_K;
    returns_K = gae.returns_K;
    // An unscorable completion teaches the critic nothing: its target is what was predicted.
    for (let k = 0; k < scored_K.length; k++) if (mask_K[k] && !scored_K[k]) returns_K[k] = input.values_K[k]!;
  } else if (config.advantageBaseline === "none" && config.rewardAggregation === "sum-then-normalize") {
    const scale_Q = scaleOf(withKl(rewards_Q, klRewards_K, sequenceStart_Q), members_P, config);
    const stream_K = rewardStream(rewards_Q, klRewards_K, mask_K, sequenceStart_Q);
    advantages_K = discountedReturns(stream_K, mask_K, sequenceStart_Q, config.discount);
    forEachToken(sequenceStart_Q, (k, q) => {
      advantages_K[k]! /= scale_Q[q]!;
    });
  } else {
    completion_Q = completionAdvantages(input, config, config.advantageBaseline, rewards_Q, members_P, klRewards_K);
    advantages_K = discountedReturns(rewardStream(completion_Q, null, mask_K, sequenceStart_Q), mask_K, sequenceStart_Q, config.discount);
  }
  for (let k = 0; k < advantages_K.length; k++) if (!scored_K[k]) advantages_K[k] = 0;
  if (config.whitenAdvantages) whitenTokens(advantages_K, scored_K);
  const keepsCompletion = completion_Q !== null && config.discount === 1 && !config.whitenAdvantages;
  return {
    advantages_Q: meanPerSequence(advantages_K, scored_K, sequenceStart_Q, keepsCompletion ? completion_Q : null),
    advantages_K,
    returns_K,
    zeroSpread_P,
  };
}

/** One advantage per completion, [Q]; NaN where it is unscorable. */
function completionAdvantages(
  input: AdvantageInput,
  config: AdvantageConfig,
  baseline: RewardBaseline,
  rewards_Q: Float64Array,
  members_P: readonly (readonly number[])[],
  klRewards_K: Float64Array | null,
): Float64Array {
  const { sequenceStart_Q } = input;
  if (config.rewardAggregation === "normalize-then-sum") {
    if (!input.parts_Q) throw new Error("internal: normalize-then-sum needs the reward parts");
    const sums_Q = normalizedSum(input.parts_Q, members_P, config.advantageStd, config.advantageEps);
    return standardize(withKl(sums_Q, klRewards_K, sequenceStart_Q), config.advantageStd, config.advantageEps);
  }
  const totals_Q = withKl(rewards_Q, klRewards_K, sequenceStart_Q);
  const centred_Q = subtractBaseline(baseline, totals_Q, members_P, input.tokenCount_Q);
  const scale_Q = scaleOf(totals_Q, members_P, config);
  return centred_Q.map((value, q) => value / scale_Q[q]!);
}

function withKl(rewards_Q: Float64Array, klRewards_K: Float64Array | null, sequenceStart_Q: Int32Array): Float64Array {
  if (!klRewards_K) return rewards_Q;
  const kl_Q = sumPerSequence(klRewards_K, sequenceStart_Q);
  return rewards_Q.map((reward, q) => reward + kl_Q[q]!);
}

/** Trained tokens of completions that could be scored. */
function scoredMask(rewards_Q: Float64Array, mask_K: ArrayLike<number>, sequenceStart_Q: Int32Array): Uint8Array {
  const scored_K = new Uint8Array(mask_K.length);
  forEachToken(sequenceStart_Q, (k, q) => {
    scored_K[k] = mask_K[k] && !Number.isNaN(rewards_Q[q]!) ? 1 : 0;
  });
  return scored_K;
}

/** Mean over trained tokens; a completion that trains none keeps its own advantage from `fallback_Q`, or 0. */
function meanPerSequence(
  advantages_K: Float64Array,
  mask_K: ArrayLike<number>,
  sequenceStart_Q: Int32Array,
  fallback_Q: Float64Array | null,
): Float64Array {
  const means_Q = new Float64Array(sequenceStart_Q.length - 1);
  for (let q = 0; q < means_Q.length; q++) {
    if (fallback_Q) {
      means_Q[q] = Number.isNaN(fallback_Q[q]!) ? 0 : fallback_Q[q]!;
      continue;
    }
    let count = 0;
    let sum = 0;
    for (let k = sequenceStart_Q[q]!; k < sequenceStart_Q[q + 1]!; k++) {
      if (!mask_K[k]) continue;
      count += 1;
      sum += advantages_K[k]!;
    }
    means_Q[q] = count > 0 ? sum / count : 0;
  }
  return means_Q;
}

function forEachToken(sequenceStart_Q: Int32Array, visit: (token: number, sequence: number) => void): void {
  for (let q = 0; q + 1 < sequenceStart_Q.length; q++) {
    for (let k = sequenceStart_Q[q]!; k < sequenceStart_Q[q + 1]!; k++) visit(k, q);
  }
}
