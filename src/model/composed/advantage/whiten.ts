// Whitening of token advantages over the batch: (A - mean) / sqrt(var + 1e-8) with the unbiased
// variance over the tokens that count (verl's masked_whiten).
import * as tf from "@tensorflow/tfjs";

/** Whitened where the mask is 1, 0 elsewhere, [Q, T]; with fewer than two such tokens nothing changes. */
export function whitenTokens(values_QT: tf.Tensor, mask_QT: tf.Tensor): tf.Tensor {
  const count = tf.sum(mask_QT);
  const mean = tf.div(tf.sum(tf.mul(values_QT, mask_QT)), tf.maximum(count, 1));
  const centred_QT = tf.mul(tf.sub(values_QT, mean), mask_QT);
  const variance = tf.div(tf.sum(tf.square(centred_QT)), tf.maximum(tf.sub(count, 1), 1));
  const white_QT = tf.mul(centred_QT, tf.rsqrt(tf.add(variance, 1e-8)));
  const isEnough = tf.cast(tf.greaterEqual(count, 2), "float32");
  return tf.add(tf.mul(white_QT, isEnough), tf.mul(values_QT, tf.sub(1, isEnough)));
}
