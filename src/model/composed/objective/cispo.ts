// CISPO (arXiv 2506.13585, eq. 4): -sg(min(w, cap))·A·log π; the cap is absolute and there is no lower one.
import * as tf from "@tensorflow/tfjs";
import { held } from "./held.ts";
import type { TensorSurrogate } from "./types.ts";

export const cispoSurrogate: TensorSurrogate = ({ logprobs_QT }, { advantages_QT }, { ratio_QT }, config) => {
  const weight_QT = held((ratio) => tf.minimum(ratio, config.cispoMax), ratio_QT);
  return tf.neg(tf.mul(tf.mul(weight_QT, advantages_QT), logprobs_QT));
};
