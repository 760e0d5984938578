// Importance ratios between the policy being trained and the one that sampled.
import * as tf from "@tensorflow/tfjs";
import type { FixedTables, RatioTables, ScoreTables } from "./types.ts";

/** token: exp(lp_t - old_t). sequence: exp(mean of lp - old over the trained tokens) at each of them (GSPO, arXiv 2507.18071, eq. 7). */
export function importanceRatios({ logprobs_QT }: ScoreTables, fixed: FixedTables, level: "token" | "sequence"): RatioTables {
  const { oldLogprobs_QT, mask_QT } = fixed;
  const logRatio_QT = tf.mul(tf.sub(logprobs_QT, oldLogprobs_QT), mask_QT);
  const trained_Q1 = tf.sum(mask_QT, 1, true);
  if (level === "token") return { ratio_QT: tf.exp(logRatio_QT), logRatio_QT, trained_Q1 };
  const mean_Q1 = tf.div(tf.sum(logRatio_QT, 1, true), tf.maximum(trained_Q1, 1));
  // The mask spreads the mean over the row: the gradient of a product, unlike that of a minimum, knows broadcasting.
  return { ratio_QT: tf.exp(tf.mul(mean_Q1, mask_QT)), logRatio_QT, trained_Q1 };
}
