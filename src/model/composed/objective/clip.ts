// The clipped surrogate of PPO (arXiv 1707.06347, eq. 7) with clip-higher (arXiv 2503.14476), two-sided
// δ (arXiv 2505.07291, eq. 1) and dual clip (arXiv 1912.09729, eq. 5).
import * as tf from "@tensorflow/tfjs";
import { lesser } from "./held.ts";
import type { TensorSurrogate } from "./types.ts";

export const clipSurrogate: TensorSurrogate = (_scores, { advantages_QT }, { ratio_QT }, config) => {
  const bounded_QT = config.clipDelta > 0 ? tf.minimum(ratio_QT, config.clipDelta) : ratio_QT;
  const clipped_QT = tf.clipByValue(ratio_QT, 1 - config.clipLow, 1 + config.clipHigh);
  const objective_QT = lesser(tf.mul(bounded_QT, advantages_QT), tf.mul(clipped_QT, advantages_QT));
  if (config.dualClip <= 0) return tf.neg(objective_QT);
  const floored_QT = tf.maximum(objective_QT, tf.mul(advantages_QT, config.dualClip));
  return tf.neg(tf.where(tf.less(advantages_QT, 0), floored_QT, objective_QT));
};
