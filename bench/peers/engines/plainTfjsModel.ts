// The benchmark's transformer as TensorFlow.js is commonly written: batched matrix products, the
// library's own gradients, one tensor a weight. It shows what the library costs out of the box, while
// the composed backend of src/model has gradients of its own for every hot step.
import * as tf from "@tensorflow/tfjs";
import { CLIP, OLD_LOGPROB } from "../../measure/inputs.ts";
import type { Workload } from "../../measure/workload.ts";

/** Weights [in, out], fused where plain code would fuse them. */
export interface PlainLayer {
  readonly norm1: tf.Variable;
  readonly qkv: tf.Variable;
  readonly o: tf.Variable;
  readonly norm2: tf.Variable;
  readonly gateUp: tf.Variable;
  readonly down: tf.Variable;
}

export interface PlainWeights {
  readonly embed: tf.Variable;
  readonly layers: readonly PlainLayer[];
  readonly norm: tf.Variable;
}

/** Keys and values of one layer, [B, H, T, headSize]. */
export interface PlainCache {
  readonly k: tf.Tensor4D;
  readonly v: tf.Tensor4D;
}

const EPS = 1e-5;

/** Normal weights with deviation 0.02, norms at one. */
export function initialPlainWeights({ hiddenSize: D, intermediateSize: F, layers, vocabularySize: V }: Workload): PlainWeights {
  let seed = 1;
  const draw = (shape: [number, number]) => tf.variable(tf.randomNormal(shape, 0, 0.02, "float32", seed++));
  const ones = () => tf.variable(tf.ones([D]));
  return {
    embed: draw([V, D]),
    layers: Array.from({ length: layers }, () => ({
      norm1: ones(),
      qkv: draw([D, 3 * D]),
      o: draw([D, D]),
      norm2: ones(),
      gateUp: draw([D, 2 * F]),
      down: draw([F, D]),
    })),
    norm: ones(),
  };
}

/** All weights in one list. */
export function listWeights({ embed, layers, norm }: PlainWeights): readonly tf.Variable[] {
  return [embed, ...layers.flatMap(({ norm1, qkv, o, norm2, gateUp, down }) => [norm1, qkv, o, norm2, gateUp, down]), norm];
}

function rmsNorm(x: tf.Tensor, weight: tf.Tensor): tf.Tensor {
  return x.mul(tf.rsqrt(x.square().mean(-1, true).add(EPS))).mul(weight);
}

/** x [N, D] times w [D, E]. */
function project(x: tf.Tensor, w: tf.Tensor): tf.Tensor {
  return tf.matMul(x as tf.Tensor2D, w as tf.Tensor2D);
}

/** Cosines and sines of positions [from, from + count), [count, headSize / 2]. */
function angles(from: number, count: number, headSize: number): readonly [tf.Tensor, tf.Tensor] {
  const half = headSize / 2;
  const values = Float32Array.from(
    { length: count * half },
    (_, i) => (from + Math.floor(i / half)) * 10_000 ** ((-2 * (i % half)) / headSize),
  );
  const table = tf.tensor2d(values, [count, half]);
  return [tf.cos(table), tf.sin(table)];
}

/** Rotates halves of x [B, H, T, headSize]. */
function rotate(x: tf.Tensor, [cos, sin]: readonly [tf.Tensor, tf.Tensor]): tf.Tensor {
  const [a, b] = tf.split(x, 2, -1) as [tf.Tensor, tf.Tensor];
  return tf.concat([a.mul(cos).sub(b.mul(sin)), b.mul(cos).add(a.mul(sin))], -1);
}

/** One block over x [B * T, D]; `mask` is added to the scores; with a cache its keys come first. */
function block(
  x: tf.Tensor,
  layer: PlainLayer,
  { batch, heads }: Workload,
  from: number,
  mask: tf.Tensor | null,
  cache: PlainCache | null,
): readonly [tf.Tensor, PlainCache] {
  const [N = 0, D = 0] = x.shape;
  const [T, headSize] = [N / batch, D / heads];
  const byHead = (part: tf.Tensor) => part.reshape([batch, T, heads, headSize]).transpose([0, 2, 1, 3]);
  const [q, k, v] = tf.split(project(rmsNorm(x, layer.norm1), layer.qkv), 3, -1).map(byHead) as [tf.Tensor, tf.Tensor, tf.Tensor];
  const turn = angles(from, T, headSize);
  const own = rotate(k, turn);
  const keys = (cache ? tf.concat([cache.k, own], 2) : own) as tf.Tensor4D;
  const values = (cache ? tf.concat([cache.v, v], 2) : v) as tf.Tensor4D;
  const scores = tf.matMul(rotate(q, turn), keys, false, true).mul(1 / Math.sqrt(headSize));
  const attended = tf.matMul(tf.softmax(mask ? scores.add(mask) : scores), values);
  const h = x.add(project(attended.transpose([0, 2, 1, 3]).reshape([N, D]), layer.o));
  const [gate, up] = tf.split(project(rmsNorm(h, layer.norm2), layer.gateUp), 2, -1) as [tf.Tensor, tf.Tensor];
  return [h.add(project(gate.mul(tf.sigmoid(gate)).mul(up), layer.down)), { k: keys, v: values }];
}

/** Embeddings of ids [N] as a product with one-hot rows: gather has no gradient on WASM. */
function embed(weights: PlainWeights, ids_N: tf.Tensor1D): tf.Tensor {
  return project(tf.oneHot(ids_N, weights.embed.shape[0] ?? 0).toFloat(), weights.embed);
}

/** Log-probs [N, V] after every row. */
function logSoftmaxOf(x: tf.Tensor, weights: PlainWeights): tf.Tensor {
  return tf.logSoftmax(tf.matMul(rmsNorm(x, weights.norm) as tf.Tensor2D, weights.embed as unknown as tf.Tensor2D, false, true));
}

/** PPO-clip loss (Schulman et al. 2017, equation 7), mean over tokens; inputs and targets [B * T], advantages [B, 1]. */
export function plainLoss(
  weights: PlainWeights,
  workload: Workload,
  inputs_N: tf.Tensor1D,
  targets_N: tf.Tensor1D,
  advantages_B1: tf.Tensor2D,
): tf.Scalar {
  const { batch, length } = workload;
  // 0 at and below the diagonal, -1e9 above.
  const hidden = Float32Array.from({ length: length * length }, (_, i) => (i % length > Math.floor(i / length) ? -1e9 : 0));
  const mask = tf.tensor2d(hidden, [length, length]);
  let x = embed(weights, inputs_N);
  for (const layer of weights.layers) x = block(x, layer, workload, 0, mask, null)[0];
  const all = logSoftmaxOf(x, weights);
  const logprobs_BT = all.mul(tf.oneHot(targets_N, workload.vocabularySize).toFloat()).sum(-1).reshape([batch, length]);
  const ratio = tf.exp(logprobs_BT.sub(OLD_LOGPROB));
  const clipped = tf.clipByValue(ratio, 1 - CLIP, 1 + CLIP);
  return tf.minimum(ratio.mul(advantages_B1), clipped.mul(advantages_B1)).mean().neg() as tf.Scalar;
}

/** One decode step at position `t`: next tokens [B], drawn by the largest of log-prob plus Gumbel noise, and their log-probs. */
export function plainDecodeStep(
  weights: PlainWeights,
  workload: Workload,
  tokens_B: tf.Tensor1D,
  t: number,
  cache: readonly PlainCache[] | null,
): { readonly tokens_B: tf.Tensor1D; readonly logprobs_B: tf.Tensor1D; readonly cache: PlainCache[] } {
  let x = embed(weights, tokens_B);
  const grown: PlainCache[] = [];
  for (const [l, layer] of weights.layers.entries()) {
    const [next, own] = block(x, layer, workload, t, null, cache?.[l] ?? null);
    x = next;
    grown.push(own);
  }
  const all = logSoftmaxOf(x, weights);
  const noise = tf.log(tf.log(tf.randomUniform(all.shape, 1e-9, 1)).neg()).neg();
  const drawn = tf.argMax(all.add(noise), -1) as tf.Tensor1D;
  const logprobs_B = all.mul(tf.oneHot(drawn, workload.vocabularySize).toFloat()).sum(-1) as tf.Tensor1D;
  return { tokens_B: drawn, logprobs_B, cache: grown };
}
