// SAPO (arXiv 2511.20347): the ratio passes a smooth gate, -(4/τ)·σ(τ(w - 1))·A, with τ by the sign of A.
import * as tf from "@tensorflow/tfjs";
import { indicator } from "./held.ts";
import type { TensorSurrogate } from "./types.ts";

export const sapoSurrogate: TensorSurrogate = (_scores, { advantages_QT }, { ratio_QT }, config) => {
  const isPositive_QT = indicator(tf.greater(advantages_QT, 0));
  const { sapoTemperaturePos: pos, sapoTemperatureNeg: neg } = config;
  const tau_QT = tf.add(tf.mul(isPositive_QT, pos - neg), neg);
  const gate_QT = tf.sigmoid(tf.mul(tau_QT, tf.sub(ratio_QT, 1)));
  return tf.mul(tf.div(tf.mul(gate_QT, -4), tau_QT), advantages_QT);
};
