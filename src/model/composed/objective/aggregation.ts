// How token losses become one number; see rl/objective/aggregation.ts for whose each is.
import * as tf from "@tensorflow/tfjs";
import type { ObjectiveConfig } from "../../../rl/objective/types.ts";
import type { FixedTables, RatioTables } from "./types.ts";

/** The loss of token losses [Q, T] that are 0 wherever they do not count. */
export function aggregate(
  loss_QT: tf.Tensor,
  { totals }: FixedTables,
  { trained_Q1 }: RatioTables,
  config: Pick<ObjectiveConfig, "aggregation" | "maxCompletionTokens">,
): tf.Tensor {
  const sum_Q1 = tf.sum(loss_QT, 1, true);
  const sequences = Math.max(1, totals.sequences);
  switch (config.aggregation) {
    case "sequence-mean":
      return tf.div(tf.sum(tf.div(sum_Q1, tf.maximum(trained_Q1, 1))), sequences);
    case "token-mean":
      return tf.div(tf.sum(sum_Q1), Math.max(1, totals.tokens));
    case "micro-token-mean": {
      const mean = tf.div(tf.sum(sum_Q1), tf.maximum(tf.sum(trained_Q1), 1));
      return tf.mul(mean, loss_QT.shape[0]! / sequences);
    }
    case "constant-length":
      return tf.div(tf.sum(sum_Q1), sequences * config.maxCompletionTokens);
    case "sequence-sum":
      return tf.div(tf.sum(sum_Q1), sequences);
  }
}
