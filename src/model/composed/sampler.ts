// Sampling with a cache of keys and values, the whole batch at once. Each prompt runs through the
// model once and its cache is copied for every completion. Logits are read back and the token is
// chosen by the plain sampler. tfjs has no writes in place, so the cache grows by concatenation.

import * as tf from "@tensorflow/tfjs";
import type { SampleRequest, SampleResult } from "../../rl/policy.ts";
import { sampleToken } from "../../rl/sampleToken.ts";

import type { TransformerConfig } from "../transformerConfig.ts";
import { takeRows, tidy } from "./differentiable.ts";
import { type Block, forward, HIDDEN, type LayerCache, logitsOf, rotationOf } from "./forward.ts";
import type { WeightSet } from "./weightSet.ts";

/** What this sampler tells so far: all but entropies. */
type TurnResult = Omit<SampleResult, "entropies_BT">;

interface Decoding {
  readonly logits_BV: tf.Tensor2D;
  readonly caches: readonly LayerCache[];
}

/** Prompts are padded at the front, so that all end together; padding is masked and has no position. */
function prefill(config: TransformerConfig, weights: WeightSet, prompts: readonly (readonly number[])[]): Decoding {
  const P = prompts.length;
  const T = Math.max(...prompts.map((prompt) => prompt.length));
  const padding_P = prompts.map((prompt) => T - prompt.length);
  const repeats = config.heads / config.kvHeads;
  const mask = new Float32Array(P * repeats * T * T).fill(HIDDEN);
  for (let row = 0; row < P * repeats * T; row++) {
    const padding = padding_P[Math.floor(row / (repeats * T))]!;
    const t = row % T;
    if (t >= padding) mask.fill(0, row * T + padding, row * T + t + 1);
  }
  const block: Block = {
    B: P,
    T,
    tokens_N: tf.tensor1d(Int32Array.from(prompts.flatMap((prompt, p) => [...Array<number>(padding_P[p]!).fill(0), ...prompt])), "int32"),
    rotation: rotationOf(
      config,
      padding_P.flatMap((padding) => Array.from({ length: T }, (_, t) => Math.max(0, t - padding))),
      P,
    ),
    mask: tf.tensor4d(mask, [P, 1, repeats * T, T]),
  };
  const { hidden_ND, caches } = forward(config, weights, block, null);
  const lastRows = tf.tensor1d(
    Int32Array.from({ length: P }, (_, p) => p * T + T - 1),
    "int32",
  );
  return { logits_BV: logitsOf(config, weights, takeRows(hidden_ND, lastRows, lastRows)), caches };
}

/** Each entry of the first axis `copies` times in a row. */
function repeatEach<T extends tf.Tensor>(x: T, copies: number): T {
  const [P, ...rest] = x.shape;
  return tf.reshape(tf.tile(tf.reshape(x, [P!, 1, -1]), [1, copies, 1]), [P! * copies, ...rest]) as T;
}

function decodeStep(
  config: TransformerConfig,
  weights: WeightSet,
  tokens_B: Int32Array,
  padding_B: readonly number[],
  caches: readonly LayerCache[],
): Decoding {
  const B = tokens_B.length;
  const past = caches[0]!.keys.shape[2];
  const repeats = config.heads / config.kvHeads;
  const rowLength = repeats * (past + 1);
  const mask = new Float32Array(B * rowLength);
  for (let row = 0; row < B * repeats; row++) {
    const start = row * (past + 1);
    mask.fill(HIDDEN, start, start + padding_B[Math.floor(row / repeats)]!);
  }
  const block: Block = {
    B,
    T: 1,
    tokens_N: tf.tensor1d(tokens_B, "int32"),
    rotation: rotationOf(
      config,
      padding_B.map((padding) => past - padding),
      B,
    ),
    mask: tf.tensor4d(mask, [B, 1, repeats, past + 1]),
  };
  const { hidden_ND, caches: grown } = forward(config, weights, block, caches);
  return { logits_BV: logitsOf(config, weights, hidden_ND), caches: grown };
}

/** log softmax(logits / temperature) of one row, in float64. */
function logSoftmaxRow(logits_V: Float32Array, temperature: number): Float64Array {
  const scaled_V = Float64Array.from(logits_V, (logit) => logit / temperature);
  let max = Number.NEGATIVE_INFINITY;
  for (const logit of scaled_V) max = Math.max(max, logit);
  let sum = 0;
  for (const logit of scaled_V) sum += Math.exp(logit - max);
  const norm = max + Math.log(sum);
  return scaled_V.map((logit) => logit - norm);
}

/** Draws the next token of every unfinished sequence into the result; returns what to feed next. */
function choose(request: SampleRequest, result: TurnResult, logits_BV: Float32Array, step: number): Int32Array {
  const B = result.lengths_B.length;
  const V = logits_BV.length / B;
  const tokens_B = new Int32Array(B); // a finished sequence goes on with token 0, unread
  for (let b = 0; b < B; b++) {
    if (result.stopped_B[b]) continue;
    const at = b * request.maxNewTokens + step;
    const logprobs_V = logSoftmaxRow(logits_BV.subarray(b * V, (b + 1) * V), request.temperature || 1);
    const token = sampleToken(logprobs_V, request, request.uniforms_BT[at]!);
    tokens_B[b] = token;
    result.tokens_BT[at] = token;
    result.logprobs_BT[at] = logprobs_V[token]!;
    result.lengths_B[b] = step + 1;
    if (request.stopTokens.includes(token)) result.stopped_B[b] = 1;
  }
  return tokens_B;
}

/** Samples as TransformerBackend.sample says. */
export async function sampleTokens(config: TransformerConfig, weights: WeightSet, request: SampleRequest): Promise<TurnResult> {
  const { prompts, copies, maxNewTokens } = request;
  const B = prompts.length * copies;
  const result: TurnResult = {
    tokens_BT: new Int32Array(B * maxNewTokens).fill(-1),
    lengths_B: new Int32Array(B),
    logprobs_BT: new Float32Array(B * maxNewTokens),
    stopped_B: new Uint8Array(B),
  };
  if (B === 0 || maxNewTokens === 0) return result;
  const longest = Math.max(...prompts.map((prompt) => prompt.length));
  const padding_B = Array.from({ length: B }, (_, b) => longest - prompts[Math.floor(b / copies)]!.length);
  let state: Decoding = tidy(() => {
    const { logits_BV, caches } = prefill(config, weights, prompts);
    const copied = caches.map(({ keys, values }) => ({ keys: repeatEach(keys, copies), values: repeatEach(values, copies) }));
    return { logits_BV: repeatEach(logits_BV, copies), caches: copied };
  });
  for (let step = 0; step < maxNewTokens; step++) {
    const tokens_B = choose(request, result, await state.logits_BV.data<"float32">(), step);
    request.onProgress?.(step + 1, maxNewTokens);
    if (step + 1 === maxNewTokens || result.stopped_B.every((stopped) => stopped === 1)) break;
    const { caches } = state;
    const next = tidy(() => decodeStep(config, weights, tokens_B, padding_B, caches));
    freeDecoding(state);
    state = next;
  }
  freeDecoding(state);
  return result;
}

function freeDecoding({ logits_BV, caches }: Decoding): void {
  tf.dispose([logits_BV, ...caches.flatMap(({ keys, values }) => [keys, values])]);
}
