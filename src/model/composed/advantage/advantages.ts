// The advantages of rl/advantages.ts a second time, on tensors: groups are a matrix of memberships,
// tokens a table, and neither form calls the other.
import * as tf from "@tensorflow/tfjs";
import type { AdvantageConfig, AdvantageInput } from "../../../rl/advantage/types.ts";
import { tidy } from "../differentiable.ts";
import { flatOf, type TokenTable, tableOf, tokenTable } from "../tokenTable.ts";
import { scaleOf, subtractBaseline } from "./baseline.ts";
import { discountedReturns, generalizedAdvantages } from "./returns.ts";
import { type CompletionValues, membership, standardize, wholeBatch } from "./statistics.ts";
import { klRewards, rewardStream } from "./tokenRewards.ts";
import { whitenTokens } from "./whiten.ts";

export interface TensorAdvantages {
  /** One advantage per completion, before it is spread over tokens; null where each token has its own return, and with a critic. */
  readonly completion_Q: Float64Array | null;
  /** One advantage per token, 0 where it is not trained. */
  readonly advantages_K: Float64Array;
  /** What the critic should have predicted; null without a critic. */
  readonly returns_K: Float64Array | null;
}

interface AdvantageTables {
  readonly completion_Q: tf.Tensor | null;
  readonly advantages_QT: tf.Tensor;
  readonly returns_QT: tf.Tensor | null;
}

/** Advantages of one batch in float32, on whichever tfjs backend is selected. Throws as computeAdvantages does. */
export async function tensorAdvantages(input: AdvantageInput, config: AdvantageConfig): Promise<TensorAdvantages> {
  const table = tokenTable(input.sequenceStart_Q);
  const { completion_Q, advantages_QT, returns_QT } = tidy(() => advantageTables(table, input, config));
  try {
    return {
      completion_Q: completion_Q && Float64Array.from(await completion_Q.data()),
      advantages_K: flatOf(table, await advantages_QT.data()),
      returns_K: returns_QT && flatOf(table, await returns_QT.data()),
    };
  } finally {
    tf.dispose([advantages_QT, ...(completion_Q ? [completion_Q] : []), ...(returns_QT ? [returns_QT] : [])]);
  }
}

function advantageTables(table: TokenTable, input: AdvantageInput, config: AdvantageConfig): AdvantageTables {
  const optional = (values_K: ArrayLike<number> | null) => values_K && tableOf(table, values_K);
  const mask_QT = tableOf(table, input.mask_K);
  const rewards = completionValues(input.rewards_Q);
  const kl_QT = klRewards(tableOf(table, input.oldLogprobs_K), optional(input.refLogprobs_K), mask_QT, config);
  // Only tokens of completions that could be scored.
  const scored_QT = tf.mul(mask_QT, tf.expandDims(rewards.present_Q, 1));
  const finish = (raw_QT: tf.Tensor) => {
    const advantages_QT = tf.mul(raw_QT, scored_QT);
    return config.whitenAdvantages ? whitenTokens(advantages_QT, scored_QT) : advantages_QT;
  };

  if (config.advantageBaseline === "critic") {
    const values_QT = optional(input.values_K);
    if (!values_QT) throw new Error("internal: the critic baseline needs values");
    const stream_QT = rewardStream(rewards.values_Q, kl_QT, mask_QT);
    const gae = generalizedAdvantages(stream_QT, values_QT, mask_QT, config.discount, config.gaeLambda);
    // An unscorable completion teaches the critic nothing: its target is what was predicted.
    const taught_QT = tf.mul(tf.add(values_QT, tf.mul(tf.sub(gae.returns_QT, values_QT), scored_QT)), mask_QT);
    return { completion_Q: null, advantages_QT: finish(gae.advantages_QT), returns_QT: taught_QT };
  }
  const member_GQ = membership(input.groupOf_Q);
  if (config.advantageBaseline === "none" && config.rewardAggregation === "sum-then-normalize") {
    const scale_Q = scaleOf(withKl(rewards, kl_QT), member_GQ, config);
    const returns_QT = discountedReturns(rewardStream(rewards.values_Q, kl_QT, mask_QT), mask_QT, config.discount);
    return { completion_Q: null, advantages_QT: finish(tf.div(returns_QT, tf.expandDims(scale_Q, 1))), returns_QT: null };
  }
  const completion_Q = tf.mul(completionAdvantages(input, config, rewards, kl_QT, member_GQ), rewards.present_Q);
  const returns_QT = discountedReturns(rewardStream(completion_Q, null, mask_QT), mask_QT, config.discount);
  return { completion_Q, advantages_QT: finish(returns_QT), returns_QT: null };
}

/** Missing values are null. */
function completionValues(values_Q: readonly (number | null)[]): CompletionValues {
  return {
    values_Q: tf.tensor1d(values_Q.map((value) => value ?? 0)),
    present_Q: tf.tensor1d(values_Q.map((value) => (value === null ? 0 : 1))),
  };
}

/** Rewards with each sequence's KL rewards added. */
function withKl({ values_Q, present_Q }: CompletionValues, kl_QT: tf.Tensor | null): CompletionValues {
  return { values_Q: kl_QT ? tf.mul(tf.add(values_Q, tf.sum(kl_QT, 1)), present_Q) : values_Q, present_Q };
}

function completionAdvantages(
  input: AdvantageInput,
  config: AdvantageConfig,
  rewards: CompletionValues,
  kl_QT: tf.Tensor | null,
  member_GQ: tf.Tensor2D,
): tf.Tensor {
  const { advantageBaseline: baseline, advantageStd: kind, advantageEps: eps } = config;
  if (config.rewardAggregation === "normalize-then-sum") {
    if (!input.parts_Q) throw new Error("internal: normalize-then-sum needs the reward parts");
    return standardize(withKl(normalizedSum(input.parts_Q, member_GQ, config), kl_QT), wholeBatch(input.rewards_Q.length), kind, eps);
  }
  if (baseline === "critic") throw new Error("internal: a critic gives no advantage per completion");
  const totals = withKl(rewards, kl_QT);
  const centred_Q = subtractBaseline(baseline, totals, member_GQ, tf.tensor1d(Array.from(input.tokenCount_Q)));
  return tf.div(centred_Q, scaleOf(totals, member_GQ, config));
}

/** Weighted sum of the parts, each standardised within its group (GDPO, arXiv 2601.05242); missing where no part could score. */
function normalizedSum(
  parts_Q: NonNullable<AdvantageInput["parts_Q"]>,
  member_GQ: tf.Tensor2D,
  config: Pick<AdvantageConfig, "advantageStd" | "advantageEps">,
): CompletionValues {
  const names = [...new Set(parts_Q.flatMap((parts) => parts.map(({ name }) => name)))];
  let values_Q: tf.Tensor = tf.zeros([parts_Q.length]);
  let present_Q: tf.Tensor = tf.zeros([parts_Q.length]);
  for (const name of names) {
    const named_Q = parts_Q.map((parts) => parts.find((part) => part.name === name));
    const part = completionValues(named_Q.map((one) => one?.value ?? null));
    const weight_Q = tf.mul(tf.tensor1d(named_Q.map((one) => one?.weight ?? 0)), part.present_Q);
    values_Q = tf.add(values_Q, tf.mul(standardize(part, member_GQ, config.advantageStd, config.advantageEps), weight_Q));
    present_Q = tf.maximum(present_Q, part.present_Q);
  }
  return { values_Q, present_Q };
}
