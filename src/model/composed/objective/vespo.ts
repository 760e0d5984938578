// VESPO (arXiv 2602.10693): the ratio W of the whole sequence weighs each token by φ(W) = W^k·exp(λ(1 - W)),
// loss = -φ·A·log π, with (k, λ) by the sign of A and the same clamps as the scalar form has. φ is held
// fixed unless vespoFixedWeight is off; then the tape carries its derivative to every token of the sequence.
import * as tf from "@tensorflow/tfjs";
import { held, indicator } from "./held.ts";
import type { TensorSurrogate } from "./types.ts";

const LOG_FLOOR = Math.log(1e-8);
const LOG_CEILING = 20;
/** exp of more than this is no float32; such a weight counts as 0, as in TRL. */
const LARGEST_EXPONENT = 88;

function phi(logWeight_Q1: tf.Tensor, k: number, lambda: number): tf.Tensor {
  const exponent_Q1 = tf.add(tf.sub(tf.mul(logWeight_Q1, k), tf.mul(tf.exp(logWeight_Q1), lambda)), lambda);
  const isFinite_Q1 = held((exponent) => indicator(tf.lessEqual(exponent, LARGEST_EXPONENT)), exponent_Q1);
  return tf.mul(tf.exp(tf.minimum(exponent_Q1, LARGEST_EXPONENT)), isFinite_Q1);
}

export const vespoSurrogate: TensorSurrogate = ({ logprobs_QT }, { advantages_QT }, { logRatio_QT }, config) => {
  const sum_Q1 = tf.sum(tf.clipByValue(logRatio_QT, -20, 20), 1, true);
  const logWeight_Q1 = tf.clipByValue(sum_Q1, LOG_FLOOR, LOG_CEILING);
  const isPositive_QT = indicator(tf.greaterEqual(advantages_QT, 0));
  const positive_QT = tf.mul(phi(logWeight_Q1, config.vespoKPos, config.vespoLambdaPos), isPositive_QT);
  const negative_QT = tf.mul(phi(logWeight_Q1, config.vespoKNeg, config.vespoLambdaNeg), tf.sub(1, isPositive_QT));
  const moving_QT = tf.add(positive_QT, negative_QT);
  const weight_QT = config.vespoFixedWeight ? held((weight) => tf.clone(weight), moving_QT) : moving_QT;
  return tf.neg(tf.mul(tf.mul(weight_QT, advantages_QT), logprobs_QT));
};
