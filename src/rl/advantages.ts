// From rewards to advantages: who did better than expected, and by how much. One file per idea lies in
// advantage/; this one composes them as the configuration says.
//
// Reward-only baselines give each completion one number A = (r - baseline) / scale, discounted back
// from the last trained token when γ < 1. Without a baseline the token's own return-to-go is used, so
// a KL in the reward is felt only by the tokens up to it (REINFORCE++). With a critic it is GAE. What is
// compared with what, where conversations have several turns or agents, is decided in advantage/credit.ts:
// below, a unit is a completion or a turn, and everything is done for each agent.
import { type RewardBaseline, subtractBaseline } from "./advantage/baseline.ts";
import { comparedUnits, type Units } from "./advantage/credit.ts";
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
  const units = comparedUnits(input, rewards_Q, config);
  const parts = units.map((each) => unitAdvantages(each, config));
  const [first] = parts;
  if (!first) throw new Error("internal: a batch has at least one set of rewards");
  // Agents have no token in common: together their arrays are sums.
  const together = (read: (part: UnitAdvantages) => Float64Array) =>
    parts.length === 1 ? read(first) : Float64Array.from(mask_K, (_, k) => parts.reduce((sum, part) => sum + read(part)[k]!, 0));
  const advantages_K = together(({ advantages_K }) => advantages_K);
  const scored_K =
    parts.length === 1 ? first.scored_K : Uint8Array.from(mask_K, (_, k) => (parts.some((part) => part.scored_K[k]) ? 1 : 0));
  if (config.whitenAdvantages) whitenTokens(advantages_K, scored_K);
  const keepsCompletion = units[0]!.rewards_U === rewards_Q && config.discount === 1 && !config.whitenAdvantages;
  return {
    advantages_Q: meanPerSequence(advantages_K, scored_K, sequenceStart_Q, keepsCompletion ? first.advantages_U : null),
    advantages_K,
    returns_K: first.returns_K && together(({ returns_K }) => returns_K!),
    zeroSpread_P: zeroSpreads(units, parts),
  };
}

interface UnitAdvantages {
  readonly advantages_K: Float64Array;
  readonly returns_K: Float64Array | null;
  /** One for each unit, where that is what its tokens have. */
  readonly advantages_U: Float64Array | null;
  /** Trained tokens of units that could be scored. */
  readonly scored_K: Uint8Array;
  /** Of each group of units. */
  readonly isEqual_P: readonly boolean[];
}

/** A prompt tells nothing apart where none of its groups of units does. */
function zeroSpreads(units: readonly Units[], parts: readonly UnitAdvantages[]): boolean[] {
  const zeroSpread_P: boolean[] = [];
  for (const [i, { groupsPerPrompt }] of units.entries())
    for (const [group, isEqual] of parts[i]!.isEqual_P.entries()) {
      const prompt = Math.floor(group / groupsPerPrompt);
      zeroSpread_P[prompt] = (zeroSpread_P[prompt] ?? true) && isEqual;
    }
  return zeroSpread_P;
}

/** Advantages of units that are compared with each other. */
function unitAdvantages(units: Units, config: AdvantageConfig): UnitAdvantages {
  const { rewards_U, mask_K, start_U } = units;
  const members_P = membersOf(units.groupOf_U);
  const scored_K = scoredMask(rewards_U, mask_K, start_U);
  const klRewards_K = klRewards(units, config);

  let advantages_K: Float64Array;
  let returns_K: Float64Array | null = null;
  let advantages_U: Float64Array | null = null;
  if (config.advantageBaseline === "critic") {
    if (!units.values_K) throw new Error("internal: the critic baseline needs values");
    const { turnRewards_K } = units;
    const stream_K = turnRewards_K
      ? turnRewards_K.map((reward, k) => reward + (klRewards_K?.[k] ?? 0))
      : rewardStream(rewards_U, klRewards_K, mask_K, start_U);
    const gae = generalizedAdvantages(stream_K, units.values_K, mask_K, start_U, config.discount, config.gaeLambda);
    advantages_K = gae.advantages_K;
    returns_K = gae.returns_K;
    // An unscorable completion teaches the critic nothing: its target is what was predicted.
    for (let k = 0; k < scored_K.length; k++) if (mask_K[k] && !scored_K[k]) returns_K[k] = units.values_K[k]!;
  } else if (config.advantageBaseline === "none" && config.rewardAggregation === "sum-then-normalize") {
    const scale_U = scaleOf(withKl(rewards_U, klRewards_K, start_U), members_P, config);
    const stream_K = rewardStream(rewards_U, klRewards_K, mask_K, start_U);
    advantages_K = discountedReturns(stream_K, mask_K, start_U, config.discount);
    forEachToken(start_U, (k, u) => {
      advantages_K[k]! /= scale_U[u]!;
    });
  } else {
    advantages_U = completionAdvantages(units, config, config.advantageBaseline, members_P, klRewards_K);
    advantages_K = discountedReturns(rewardStream(advantages_U, null, mask_K, start_U), mask_K, start_U, config.discount);
  }
  for (let k = 0; k < advantages_K.length; k++) if (!scored_K[k]) advantages_K[k] = 0;
  const isEqual_P = members_P.map(
    (members) =>
      summarize(
        members.map((u) => rewards_U[u]!),
        "sample",
      ).equal,
  );
  return { advantages_K, returns_K, advantages_U, scored_K, isEqual_P };
}

/** One advantage per unit; NaN where it is unscorable. */
function completionAdvantages(
  { rewards_U, parts_Q, tokenCount_U, start_U }: Units,
  config: AdvantageConfig,
  baseline: RewardBaseline,
  members_P: readonly (readonly number[])[],
  klRewards_K: Float64Array | null,
): Float64Array {
  if (config.rewardAggregation === "normalize-then-sum") {
    if (!parts_Q) throw new Error("internal: normalize-then-sum needs the reward parts");
    const sums_U = normalizedSum(parts_Q, members_P, config.advantageStd, config.advantageEps);
    return standardize(withKl(sums_U, klRewards_K, start_U), config.advantageStd, config.advantageEps);
  }
  const totals_U = withKl(rewards_U, klRewards_K, start_U);
  const centred_U = subtractBaseline(baseline, totals_U, members_P, tokenCount_U);
  const scale_U = scaleOf(totals_U, members_P, config);
  return centred_U.map((value, u) => value / scale_U[u]!);
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
