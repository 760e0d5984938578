// What a completion's reward is compared with, and what the difference is divided by; see
// rl/advantage/baseline.ts and scale.ts for whose each is.
import * as tf from "@tensorflow/tfjs";
import type { RewardBaseline } from "../../../rl/advantage/baseline.ts";
import type { AdvantageConfig } from "../../../rl/advantage/types.ts";
import { type CompletionValues, divisorOf, groupFigures, groupSum, wholeBatch } from "./statistics.ts";

/** reward - baseline, [Q]; the group baselines give exactly 0 where a group's rewards are equal. @param lengths_Q sampled tokens. */
export function subtractBaseline(
  baseline: RewardBaseline,
  rewards: CompletionValues,
  member_GQ: tf.Tensor2D,
  lengths_Q: tf.Tensor,
): tf.Tensor {
  const { values_Q, present_Q } = rewards;
  if (baseline === "none") return values_Q;
  if (baseline === "batch-mean") return tf.sub(values_Q, groupFigures(rewards, wholeBatch(values_Q.size), "sample").mean_Q);
  const { count_Q, mean_Q, equal_Q } = groupFigures(rewards, member_GQ, "sample");
  const isUnequal_Q = tf.sub(1, equal_Q);
  if (baseline === "group-mean") return tf.mul(tf.sub(values_Q, mean_Q), isUnequal_Q);
  if (baseline === "leave-one-out") {
    const others_Q = tf.div(tf.sub(tf.mul(mean_Q, count_Q), values_Q), tf.maximum(tf.sub(count_Q, 1), 1));
    return tf.mul(tf.sub(values_Q, others_Q), isUnequal_Q);
  }
  const weights_Q = tf.mul(lengths_Q, present_Q);
  const level_Q = tf.div(groupSum(tf.mul(weights_Q, values_Q), member_GQ), tf.maximum(groupSum(weights_Q, member_GQ), 1));
  return tf.mul(tf.sub(values_Q, level_Q), isUnequal_Q);
}

/** Divisor of each completion, [Q]. */
export function scaleOf(
  rewards: CompletionValues,
  member_GQ: tf.Tensor2D,
  config: Pick<AdvantageConfig, "advantageScale" | "advantageStd" | "advantageEps">,
): tf.Tensor {
  if (config.advantageScale === "none") return tf.onesLike(rewards.values_Q);
  const groups = config.advantageScale === "batch-std" ? wholeBatch(rewards.values_Q.size) : member_GQ;
  return divisorOf(groupFigures(rewards, groups, config.advantageStd).std_Q, config.advantageEps);
}
