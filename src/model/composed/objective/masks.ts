// Masks that take the policy gradient (not the KL) away from some trained tokens.
import * as tf from "@tensorflow/tfjs";
import { held, indicator } from "./held.ts";
import type { FixedTables, RatioTables, ScoreTables } from "./types.ts";

/**
 * 1 where a token's policy loss counts, [Q, T]: trained tokens at or above the entropy threshold (arXiv 2506.01939),
 * less those with negative advantage in a sequence whose mean old - new log-prob exceeds `offPolicyThreshold`
 * (arXiv 2512.02556, section 3.1; 0 turns it off).
 */
export function policyMask(scores: ScoreTables, fixed: FixedTables, ratios: RatioTables, offPolicyThreshold: number): tf.Tensor {
  const keep_QT = tf.mul(fixed.mask_QT, entropyMask(scores, fixed));
  if (offPolicyThreshold <= 0) return keep_QT;
  const isFar_Q1 = held(
    (logRatio, trained) => indicator(tf.greater(tf.div(tf.neg(tf.sum(logRatio, 1, true)), tf.maximum(trained, 1)), offPolicyThreshold)),
    ratios.logRatio_QT,
    ratios.trained_Q1,
  );
  return tf.mul(keep_QT, tf.sub(1, tf.mul(isFar_Q1, indicator(tf.less(fixed.advantages_QT, 0)))));
}

/** 1 where the entropy reaches the batch's threshold, [Q, T]. */
export function entropyMask({ entropies_QT }: ScoreTables, { totals }: FixedTables): tf.Tensor {
  if (totals.entropyThreshold === Number.NEGATIVE_INFINITY) return tf.onesLike(entropies_QT);
  return held((entropies) => indicator(tf.greaterEqual(entropies, totals.entropyThreshold)), entropies_QT);
}
