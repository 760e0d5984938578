// The benchmark's transformer in jax-js, ported straightforwardly: one jitted function for value,
// gradient and AdamW, one for a decode step with a cache of fixed length. jax-js counts references: an
// array is consumed by the call it is passed to unless .ref is taken first.
import { jit, nn, numpy as np, random, valueAndGrad } from "@jax-js/jax";
import { CLIP, OLD_LOGPROB, OPTIMIZER } from "../../measure/inputs.ts";
import type { Workload } from "../../measure/workload.ts";

type A = np.Array;
/** Weights as [in, out], fused where plain code would fuse them. */
export type Layer = { norm1: A; qkv: A; o: A; norm2: A; gateUp: A; down: A };
export type Weights = { embed: A; layers: Layer[]; norm: A };
export type Training = { weights: Weights; first: Weights; second: Weights; step: A };
/** Keys and values [B, T, H, headSize] of each layer. */
export type Cache = { k: A; v: A }[];

const EPS = 1e-5;

/** Normal weights with deviation 0.02, norms at one. */
export function initialJaxWeights({ hiddenSize: D, intermediateSize: F, layers, vocabularySize: V }: Workload): Weights {
  let seed = 0;
  const draw = (shape: number[]) => random.normal(random.key(seed++), shape).mul(0.02);
  return {
    embed: draw([V, D]),
    layers: Array.from({ length: layers }, () => ({
      norm1: np.ones([D]),
      qkv: draw([D, 3 * D]),
      o: draw([D, D]),
      norm2: np.ones([D]),
      gateUp: draw([D, 2 * F]),
      down: draw([F, D]),
    })),
    norm: np.ones([D]),
  };
}

function rmsNorm(x: A, weight: A): A {
  const scale = np.sqrt(np.square(x.ref).mean(-1, { keepdims: true }).add(EPS));
  return x.div(scale).mul(weight);
}

/** Angles of positions [T] as (cos, sin) [T, 1, headSize / 2]. */
function angles(positions_T: A, headSize: number): readonly [A, A] {
  const half = headSize / 2;
  const frequencies = np.array(Float32Array.from({ length: half }, (_, i) => 10_000 ** ((-2 * i) / headSize)));
  const table = positions_T.reshape([-1, 1, 1]).mul(frequencies);
  return [np.cos(table.ref), np.sin(table)];
}

/** Rotates halves of x [B, T, H, headSize]. */
function rotate(x: A, cos: A, sin: A): A {
  const [a, b] = np.split(x, 2, -1) as [A, A];
  return np.concatenate([a.ref.mul(cos.ref).sub(b.ref.mul(sin.ref)), b.mul(cos).add(a.mul(sin))], -1);
}

/** Queries, keys and values [B, T, H, headSize], the first two rotated. */
function project(x: A, layer: Layer, heads: number, positions_T: A): readonly [A, A, A] {
  const [B = 0, T = 0, D = 0] = x.shape;
  const parts = np.split(np.matmul(rmsNorm(x, layer.norm1), layer.qkv), 3, -1) as [A, A, A];
  const [q, k, v] = parts.map((part) => part.reshape([B, T, heads, D / heads])) as [A, A, A];
  const [cos, sin] = angles(positions_T, D / heads);
  return [rotate(q, cos.ref, sin.ref), rotate(k, cos, sin), v];
}

/** The rest of a block: attention output and the feed-forward half, each added to the stream. */
function finish(x: A, attended: A, layer: Layer): A {
  const [B = 0, T = 0, D = 0] = x.shape;
  const h = x.add(np.matmul(attended.reshape([B, T, D]), layer.o));
  const [gate, up] = np.split(np.matmul(rmsNorm(h.ref, layer.norm2), layer.gateUp), 2, -1) as [A, A];
  return h.add(np.matmul(nn.silu(gate).mul(up), layer.down));
}

/**
 * Causal attention of [B, T, H, headSize]. Matrix products rather than nn.dotProductAttention, whose
 * einsum needs iterator methods that Node has only from version 22.
 */
function attend(q: A, k: A, v: A): A {
  const [, T = 0, , headSize = 0] = q.shape;
  const byHead = (x: A) => x.transpose([0, 2, 1, 3]);
  const scores = np.matmul(byHead(q), k.transpose([0, 2, 3, 1])).mul(1 / Math.sqrt(headSize));
  const masked = np.where(np.tri(T, T).greater(0), scores, -1e9);
  return byHead(np.matmul(nn.softmax(masked, -1), byHead(v)));
}

/** Logits [B, T, V] of inputs [B, T]. */
function logits(weights: Weights, inputs_BT: A, heads: number): A {
  const T = inputs_BT.shape[1] ?? 0;
  let x = weights.embed.ref.slice(inputs_BT);
  for (const layer of weights.layers) {
    const [q, k, v] = project(x.ref, layer, heads, np.arange(T).astype(np.float32));
    x = finish(x, attend(q, k, v), layer);
  }
  return np.matmul(rmsNorm(x, weights.norm), weights.embed.transpose());
}

/** PPO-clip loss of targets [B, T], mean over tokens; advantages [B, 1]. */
function loss(weights: Weights, inputs_BT: A, targets_BT: A, advantages_B1: A, heads: number): A {
  const all = nn.logSoftmax(logits(weights, inputs_BT, heads), -1);
  const V = all.shape[2] ?? 0;
  const logprobs_BT = all.mul(nn.oneHot(targets_BT, V)).sum(-1);
  const ratio = np.exp(logprobs_BT.sub(OLD_LOGPROB));
  const clipped = np.clip(ratio.ref, 1 - CLIP, 1 + CLIP);
  return np.minimum(ratio.mul(advantages_B1.ref), clipped.mul(advantages_B1)).mean().mul(-1);
}

function list(weights: Weights): A[] {
  return [
    weights.embed,
    ...weights.layers.flatMap(({ norm1, qkv, o, norm2, gateUp, down }) => [norm1, qkv, o, norm2, gateUp, down]),
    weights.norm,
  ];
}

function unlist(arrays: readonly A[]): Weights {
  const layers: Layer[] = [];
  for (let i = 1; i + 1 < arrays.length; i += 6) {
    const [norm1, qkv, o, norm2, gateUp, down] = arrays.slice(i, i + 6) as [A, A, A, A, A, A];
    layers.push({ norm1, qkv, o, norm2, gateUp, down });
  }
  return { embed: arrays[0]!, layers, norm: arrays[arrays.length - 1]! };
}

/** AdamW with the gradient clipped to global norm 1 (Loshchilov & Hutter 2019, algorithm 2). */
function adamw(training: Training, gradient: Weights): Training {
  const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm } = OPTIMIZER;
  const gradients = list(gradient);
  const norm = np.sqrt(gradients.map((g) => np.square(g.ref).sum()).reduce((sum, square) => sum.add(square)));
  const scale = np.minimum(np.array(maxGradNorm).div(norm.add(1e-6)), 1);
  const step = training.step.add(1);
  const correct1 = np.array(1).sub(np.exp(step.ref.mul(Math.log(beta1))));
  const correct2 = np.array(1).sub(np.exp(step.ref.mul(Math.log(beta2))));
  const [weights, firsts, seconds] = [list(training.weights), list(training.first), list(training.second)];
  const next = gradients.map((raw, i) => {
    const g = raw.mul(scale.ref);
    const first = firsts[i]!.mul(beta1).add(g.ref.mul(1 - beta1));
    const second = seconds[i]!.mul(beta2).add(np.square(g).mul(1 - beta2));
    const update = first.ref.div(correct1.ref).div(np.sqrt(second.ref.div(correct2.ref)).add(eps));
    const weight = weights[i]!.mul(1 - learningRate * weightDecay).sub(update.mul(learningRate));
    return { weight, first, second };
  });
  for (const used of [scale, correct1, correct2]) used.dispose();
  return {
    weights: unlist(next.map(({ weight }) => weight)),
    first: unlist(next.map(({ first }) => first)),
    second: unlist(next.map(({ second }) => second)),
    step,
  };
}

/** One update as a jitted function (training, inputs, targets, advantages) -> [loss, training]. */
export function jaxTrainStep(heads: number) {
  const lossAndGradient = valueAndGrad((weights: Weights, inputs_BT: A, targets_BT: A, advantages_B1: A) =>
    loss(weights, inputs_BT, targets_BT, advantages_B1, heads),
  );
  return jit((training: Training, inputs_BT: A, targets_BT: A, advantages_B1: A): [A, Training] => {
    const { weights, ...rest } = training;
    const held = unlist(list(weights).map((weight) => weight.ref));
    const [value, gradient] = lossAndGradient(held, inputs_BT, targets_BT, advantages_B1);
    return [value, adamw({ weights, ...rest }, gradient as Weights)];
  });
}

/** Attention of one query over the cached keys up to position t. */
function attendCached(q: A, k: A, v: A, cache: { k: A; v: A }, t: A): readonly [A, { k: A; v: A }] {
  const [, T = 0, , headSize = 0] = cache.k.shape;
  const positions = np.arange(T).astype(np.float32);
  const here = positions.ref.equal(t.ref).reshape([1, T, 1, 1]);
  const keys = np.where(here.ref, k, cache.k);
  const values = np.where(here, v, cache.v);
  const seen = positions.lessEqual(t).reshape([1, T, 1]);
  const scores = q
    .mul(keys.ref)
    .sum(-1)
    .mul(1 / Math.sqrt(headSize));
  const weights = nn.softmax(np.where(seen, scores, -1e9), 1);
  const attended = weights
    .reshape([...weights.shape, 1])
    .mul(values.ref)
    .sum(1, { keepdims: true });
  return [attended, { k: keys, v: values }];
}

/** One decode step as a jitted function (weights, tokens [B], t, key, cache) -> [next tokens, log-probs, cache]. */
export function jaxDecodeStep(heads: number) {
  return jit((weights: Weights, tokens_B: A, t: A, key: A, cache: Cache): [A, A, Cache] => {
    let x = weights.embed.ref.slice(tokens_B.reshape([-1, 1]));
    const caches: Cache = [];
    for (const [l, layer] of weights.layers.entries()) {
      const [q, k, v] = project(x.ref, layer, heads, t.ref.reshape([1]));
      const [attended, next] = attendCached(q, k, v, cache[l]!, t.ref);
      caches.push(next);
      x = finish(x, attended, layer);
    }
    t.dispose();
    const [B = 0, , D = 0] = x.shape;
    const logits_BV = np.matmul(rmsNorm(x, weights.norm).reshape([B, D]), weights.embed.transpose());
    const all_BV = nn.logSoftmax(logits_BV.ref, -1);
    const next_B = random.categorical(key, logits_BV);
    const logprobs_B = all_BV.mul(nn.oneHot(next_B.ref, all_BV.shape[1] ?? 0)).sum(-1);
    return [next_B, logprobs_B, caches];
  });
}
