// The plain policy gradient (Williams 1992): -A·log π.
import * as tf from "@tensorflow/tfjs";
import type { TensorSurrogate } from "./types.ts";

export const reinforceSurrogate: TensorSurrogate = ({ logprobs_QT }, { advantages_QT }) => tf.neg(tf.mul(advantages_QT, logprobs_QT));
