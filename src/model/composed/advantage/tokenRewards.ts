// The reward as a stream over tokens, on tensors: the verdict on each sequence's last trained token and,
// where a KL goes into the reward, -β·KL of the sampling policy on every trained one.
import * as tf from "@tensorflow/tfjs";
import type { AdvantageConfig } from "../../../rl/advantage/types.ts";
import { klEstimate } from "../objective/kl.ts";

/** -β·KL at each trained token, [Q, T]; null where no KL goes into the reward. */
export function klRewards(
  oldLogprobs_QT: tf.Tensor,
  refLogprobs_QT: tf.Tensor | null,
  mask_QT: tf.Tensor,
  config: Pick<AdvantageConfig, "klCoef" | "klEstimator" | "klPlacement">,
): tf.Tensor | null {
  if (config.klPlacement !== "reward" || config.klCoef === 0) return null;
  if (!refLogprobs_QT) throw new Error("internal: a KL in the reward needs reference log-probs");
  const d_QT = tf.mul(tf.sub(oldLogprobs_QT, refLogprobs_QT), mask_QT);
  return tf.mul(klEstimate(config.klEstimator, d_QT), -config.klCoef);
}

/** The whole stream, [Q, T]. @param terminal_Q reward of each completion, 0 where it has none. */
export function rewardStream(terminal_Q: tf.Tensor, kl_QT: tf.Tensor | null, mask_QT: tf.Tensor): tf.Tensor {
  // The last trained token is the one up to which all trained tokens have been counted.
  const isLast_QT = tf.mul(tf.cast(tf.equal(tf.cumsum(mask_QT, 1), tf.sum(mask_QT, 1, true)), "float32"), mask_QT);
  const stream_QT = tf.mul(isLast_QT, tf.expandDims(terminal_Q, 1));
  return kl_QT ? tf.add(stream_QT, kl_QT) : stream_QT;
}
