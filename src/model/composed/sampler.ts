// Sampling with a cache of keys and values, the whole batch at once. Logits are read back and the token
// is chosen by the plain sampler. tfjs has no writes in place, so the cache grows by concatenation, and
// by the same number of places for every sequence: one that has fewer new tokens, or none because it
// rests or has ended, is padded in front. Padding is hidden for good and has no position.

import * as tf from "@tensorflow/tfjs";
import { emptyResult, type OpenRequest, type SampleResult, type TurnRequest } from "../../rl/policy.ts";
import { sampleToken } from "../../rl/rollout/sampleToken.ts";
import type { Sampler } from "../openSequences.ts";
import { plainLogSoftmax } from "../plainForward.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import { tidy } from "./differentiable.ts";
import { type Block, forward, HIDDEN, type LayerCache, logitsOf, rotationOf } from "./forward.ts";
import type { WeightSet } from "./weightSet.ts";

/** Keys and values, and for each place 0 where it holds a token of the sequence, HIDDEN where padding. */
interface Cache {
  readonly layers: readonly LayerCache[];
  readonly mask_BS: readonly (readonly number[])[];
}

/** `values` padded in front to T. */
const padded = (values: readonly number[], T: number, padding: number): number[] => [
  ...Array<number>(T - values.length).fill(padding),
  ...values,
];

/** The tokens of each sequence as a block behind its cache; `mask_BS` has cached and new places. */
function blockOf(config: TransformerConfig, tokens_B: readonly (readonly number[])[], T: number, mask_BS: Cache["mask_BS"]): Block {
  const B = tokens_B.length;
  const S = mask_BS[0]!.length;
  const rows = (config.heads / config.kvHeads) * T;
  const mask = new Float32Array(B * rows * S);
  for (let row = 0; row < B * rows; row++) {
    mask.set(mask_BS[Math.floor(row / rows)]!, row * S);
    mask.fill(HIDDEN, row * S + S - T + (row % T) + 1, (row + 1) * S);
  }
  const positions_BT = tokens_B.flatMap((tokens, b) => {
    const end = mask_BS[b]!.filter((hidden) => hidden === 0).length;
    return padded(
      tokens.map((_, i) => end - tokens.length + i),
      T,
      0,
    );
  });
  return {
    B,
    T,
    tokens_N: tf.tensor1d(
      tokens_B.flatMap((tokens) => padded(tokens, T, 0)),
      "int32",
    ),
    rotation: rotationOf(config, positions_BT, B),
    mask: tf.tensor4d(mask, [B, 1, rows, S]),
  };
}

/** Runs new tokens of the sequences. Returns the grown cache and the logits of each sequence's last token. */
function run(config: TransformerConfig, weights: WeightSet, past: Cache, tokens_B: readonly (readonly number[])[]) {
  const B = tokens_B.length;
  const T = Math.max(...tokens_B.map((tokens) => tokens.length));
  const mask_BS = tokens_B.map((tokens, b) => past.mask_BS[b]!.concat(padded(Array<number>(tokens.length).fill(0), T, HIDDEN)));
  const { logits_BV, layers } = tidy(() => {
    const { hidden_ND, caches } = forward(config, weights, blockOf(config, tokens_B, T, mask_BS), past.layers);
    const last_B = Int32Array.from({ length: B }, (_, b) => b * T + T - 1);
    return { logits_BV: logitsOf(config, weights, tf.gather(hidden_ND, tf.tensor1d(last_B, "int32"))), layers: caches };
  });
  return { logits_BV, cache: { layers, mask_BS } };
}

/** Runs each prompt once, and gives its sequences its cache and logits. */
function openCache(config: TransformerConfig, weights: WeightSet, { prompts, promptOf_B }: OpenRequest) {
  const shared = run(config, weights, { layers: [], mask_BS: prompts.map(() => []) }, prompts);
  const { logits_BV, layers } = tidy(() => {
    const from_B = tf.tensor1d(promptOf_B, "int32");
    const layers = shared.cache.layers.map(({ keys, values }) => ({ keys: tf.gather(keys, from_B), values: tf.gather(values, from_B) }));
    return { logits_BV: tf.gather(shared.logits_BV, from_B), layers };
  });
  freeCache(shared.cache);
  shared.logits_BV.dispose();
  return { logits_BV, cache: { layers, mask_BS: Array.from(promptOf_B, (p) => shared.cache.mask_BS[p]!) } };
}

function freeCache({ layers }: Cache): void {
  tf.dispose(layers.flatMap(({ keys, values }) => [keys, values]));
}

/** Draws the next token of sequence b of the turn into the result; returns it. */
function choose(turn: TurnRequest, result: SampleResult, logits_V: Float32Array, b: number): number {
  const step = result.lengths_B[b]!;
  const at = b * turn.maxNewTokens + step;
  const logprobs_V = plainLogSoftmax(Float64Array.from(logits_V), turn.temperature || 1);
  const token = sampleToken(logprobs_V, turn, turn.uniforms_BT[at]!);
  result.tokens_BT[at] = token;
  result.logprobs_BT[at] = logprobs_V[token]!;
  result.entropies_BT[at] = -logprobs_V.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0);
  result.lengths_B[b] = step + 1;
  if (turn.stopTokens.includes(token)) result.stopped_B[b] = 1;
  return token;
}

/** A sampler with the weights as they are; `ready` comes before anything is computed. */
export function composedSampler(config: TransformerConfig, weights: WeightSet, request: OpenRequest, ready: () => Promise<void>): Sampler {
  const V = config.vocabularySize;
  const B = request.promptOf_B.length;
  /** Own tokens that were run. */
  const ran_B = new Int32Array(B);
  /** Of each sequence's last token that was run. */
  const logits_BV = new Float32Array(B * V);
  let cache: Cache | null = null;

  /** Takes over a grown cache, and the logits of the sequences that have new ones. */
  async function accept(ran: ReturnType<typeof run>, hasNew: (b: number) => boolean): Promise<void> {
    if (cache) freeCache(cache);
    cache = ran.cache;
    const read_BV = await ran.logits_BV.data<"float32">();
    ran.logits_BV.dispose();
    for (let b = 0; b < B; b++) if (hasNew(b)) logits_BV.set(read_BV.subarray(b * V, (b + 1) * V), b * V);
  }

  /** Runs the next tokens of the sequences, before the first ones their prompts; where one has none, its logits stay. */
  async function advance(next_B: readonly (readonly number[])[]): Promise<void> {
    if (!cache) await accept(openCache(config, weights, request), () => true);
    if (!cache || next_B.every((tokens) => tokens.length === 0)) return;
    await accept(run(config, weights, cache, next_B), (b) => next_B[b]!.length > 0);
    for (const [b, { length }] of next_B.entries()) ran_B[b]! += length;
  }

  return {
    async sample(own_B, turn) {
      await ready();
      const { sequences_B, maxNewTokens } = turn;
      const result = emptyResult(sequences_B.length, maxNewTokens);
      let next_B: number[][] = own_B.map(() => []);
      for (const sequence of sequences_B) next_B[sequence] = own_B[sequence]!.slice(ran_B[sequence]);
      for (let step = 0; step < maxNewTokens && result.stopped_B.includes(0); step++) {
        await advance(next_B);
        next_B = own_B.map(() => []);
        for (const [b, sequence] of sequences_B.entries()) {
          if (result.stopped_B[b]) continue;
          const token = choose(turn, result, logits_BV.subarray(sequence * V, (sequence + 1) * V), b);
          if (!result.stopped_B[b]) next_B[sequence] = [token];
        }
        turn.onProgress?.(step + 1, maxNewTokens);
      }
      return result;
    },
    close() {
      if (cache) freeCache(cache);
      cache = null;
    },
  };
}
