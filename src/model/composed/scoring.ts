// The differentiable function (log-probs, entropies, values) = f(weights, tokens) over one padded piece.
import * as tf from "@tensorflow/tfjs";
import type { TokenGradients, TokenScores } from "../backend.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import { linear, takeRows } from "./differentiable.ts";
import { type Block, forward, HIDDEN, logitsOf, rotationOf } from "./forward.ts";
import type { PaddedPiece } from "./padding.ts";
import type { WeightSet } from "./weightSet.ts";

interface ScoreTensors {
  readonly logprobs_K: tf.Tensor1D;
  readonly entropies_K: tf.Tensor1D;
  readonly values_K: tf.Tensor1D | null;
}

/** Causal mask of T tokens for `repeats` query heads laid one after another, [1, 1, repeats * T, T]. */
function causalMask(T: number, repeats: number): tf.Tensor4D {
  const mask = new Float32Array(repeats * T * T);
  for (let row = 0; row < repeats * T; row++) mask.fill(HIDDEN, row * T + (row % T) + 1, (row + 1) * T);
  return tf.tensor4d(mask, [1, 1, repeats * T, T]);
}

/** Position in rows_K of every row, K where there is none. */
function inverseRows(rows_K: Int32Array, count: number): Int32Array {
  const inverse_N = new Int32Array(count).fill(rows_K.length);
  for (const [k, row] of rows_K.entries()) inverse_N[row] = k;
  return inverse_N;
}

/** Scores of a piece as tensors; call inside tf.tidy. Logits are divided by the temperature. */
export function scoreTensors(config: TransformerConfig, weights: WeightSet, piece: PaddedPiece, temperature: number): ScoreTensors {
  const { T, tokens_BT, rows_K, targets_K } = piece;
  const block: Block = {
    B: tokens_BT.length / T,
    T,
    tokens_N: tf.tensor1d(tokens_BT, "int32"),
    rotation: rotationOf(config, [...Array(T).keys()], 1),
    mask: causalMask(T, config.heads / config.kvHeads),
  };
  const { hidden_ND } = forward(config, weights, block, null);
  const inverse_N = tf.tensor1d(inverseRows(rows_K, tokens_BT.length), "int32");
  const hidden_KD = takeRows(hidden_ND, tf.tensor1d(rows_K, "int32"), inverse_N);
  const logprobs_KV = tf.logSoftmax(tf.div(logitsOf(config, weights, hidden_KD), temperature));
  const hot_KV = tf.oneHot(tf.tensor1d(targets_K, "int32"), config.vocabularySize).toFloat();
  return {
    logprobs_K: tf.sum(tf.mul(logprobs_KV, hot_KV), 1),
    entropies_K: tf.neg(tf.sum(tf.mul(tf.exp(logprobs_KV), logprobs_KV), 1)),
    values_K: config.valueHead
      ? tf.add(tf.reshape(linear(hidden_KD, weights.get("value_head")), [-1]), weights.get("value_head.bias"))
      : null,
  };
}

/** sum(g * log-prob) + sum(h * entropy) + sum(v * value): its gradient is the objective's. */
export function surrogate(scores: ScoreTensors, gradients: TokenGradients): tf.Scalar {
  let total = tf.sum(tf.mul(scores.logprobs_K, tf.tensor1d(gradients.logprobs_K)));
  if (gradients.entropies_K) total = tf.add(total, tf.sum(tf.mul(scores.entropies_K, tf.tensor1d(gradients.entropies_K))));
  if (gradients.values_K && scores.values_K) total = tf.add(total, tf.sum(tf.mul(scores.values_K, tf.tensor1d(gradients.values_K))));
  return total as tf.Scalar;
}

/** Reads scores at once; only where the backend computes on the CPU. */
export function readScoresNow({ logprobs_K, entropies_K, values_K }: ScoreTensors): TokenScores {
  return {
    logprobs_K: logprobs_K.dataSync<"float32">(),
    entropies_K: entropies_K.dataSync<"float32">(),
    values_K: values_K?.dataSync<"float32">() ?? null,
  };
}

/** Reads scores when they are there, and frees them. */
export async function readScores({ logprobs_K, entropies_K, values_K }: ScoreTensors): Promise<TokenScores> {
  const scores = {
    logprobs_K: await logprobs_K.data<"float32">(),
    entropies_K: await entropies_K.data<"float32">(),
    values_K: (await values_K?.data<"float32">()) ?? null,
  };
  tf.dispose([logprobs_K, entropies_K, ...(values_K ? [values_K] : [])]);
  return scores;
}
