// Small batches for backend tests, and the oracles over them.

import type { Objective, PackedBatch, TransformerBackend } from "../../src/model/backend.ts";
import { parameterCount, parameterLayout, type TransformerConfig } from "../../src/model/transformerConfig.ts";
import type { WeightSlot } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups, type TokenGroup } from "../../src/train/step/update/batch.ts";

/** A sequence by itself: all its tokens, and 1 where one is scored. */
interface WholeSequence {
  readonly tokens: readonly number[];
  readonly scored: readonly number[];
}

function packAlone(sequences: readonly WholeSequence[], temperature: number): PackedBatch {
  const starts = [0];
  const scored = [0];
  const rows: number[] = [];
  const targets: number[] = [];
  sequences.forEach((sequence, q) => {
    const start = starts[q]!;
    for (const [t, token] of sequence.tokens.entries()) {
      if (sequence.scored[t] !== 1) continue;
      rows.push(start + t - 1);
      targets.push(token);
    }
    starts.push(start + sequence.tokens.length);
    scored.push(rows.length);
  });
  const ordinals = Int32Array.from([...sequences.keys(), sequences.length]);
  return {
    tokens_N: Int32Array.from(sequences.flatMap(({ tokens }) => tokens)),
    segmentStart_S: Int32Array.from(starts.slice(0, -1)),
    segmentLength_S: Int32Array.from(sequences, ({ tokens }) => tokens.length),
    segmentPrefix_S: new Int32Array(sequences.length).fill(-1),
    scoreRow_K: Int32Array.from(rows),
    scoreTarget_K: Int32Array.from(targets),
    sequenceStart_Q: Int32Array.from(scored),
    unitSegment_U: ordinals,
    unitSequence_U: ordinals,
    temperature,
  };
}

/** Sequences as single segments that share nothing, each scored from token `firstScored` on. */
export function packWhole(sequences: readonly (readonly number[])[], firstScored: readonly number[], temperature = 1): PackedBatch {
  const whole = sequences.map((tokens, q) => ({ tokens, scored: tokens.map((_, t) => (t >= firstScored[q]! ? 1 : 0)) }));
  return packAlone(whole, temperature);
}

/** The same sequences as packGroups(groups), each with a prompt of its own. */
export function packUnshared(groups: readonly TokenGroup[], temperature = 1): PackedBatch {
  const whole = groups.flatMap(({ promptTokens, completions, masks }) =>
    completions.map((completion, i) => ({
      tokens: [...promptTokens, ...completion],
      scored: [...promptTokens.map(() => 0), ...(masks?.[i] ?? completion.map(() => 1))],
    })),
  );
  return packAlone(whole, temperature);
}

/** `prompts` random prompts with `copies` random completions each, of uneven lengths. */
export function randomGroups(config: TransformerConfig, seed: number, prompts: number, copies: number): TokenGroup[] {
  const random = new Random(seed);
  const tokens = (least: number, most: number) =>
    Array.from({ length: least + random.below(most - least + 1) }, () => random.below(config.vocabularySize));
  return Array.from({ length: prompts }, () => ({
    promptTokens: tokens(2, 6),
    completions: Array.from({ length: copies }, () => tokens(1, 7)),
  }));
}

/** Random weights large enough that outputs are far from uniform; norms near 1. */
export function sharpWeights(config: TransformerConfig, seed: number): Float32Array {
  const random = new Random(seed);
  const weights_N = new Float32Array(parameterCount(config));
  for (const { name, shape, offset, size } of parameterLayout(config)) {
    const isNorm = name.endsWith("norm.weight");
    const scale = isNorm ? 0.2 : name.includes("embed_tokens") ? 0.8 : 1.4 / Math.sqrt(shape.at(-1)!);
    for (let i = 0; i < size; i++) weights_N[offset + i] = (isNorm ? 1 : 0) + scale * random.normal();
  }
  return weights_N;
}

/** Fixed random gradients for each scored token; any part may be left out. */
export function fixedGradients(batch: PackedBatch, seed: number, parts: readonly ("logprobs" | "entropies" | "values")[]) {
  const random = new Random(seed);
  const K = batch.scoreTarget_K.length;
  const draw = (part: "logprobs" | "entropies" | "values") =>
    Float32Array.from({ length: K }, () => (parts.includes(part) ? random.normal() / K : 0));
  return { logprobs_K: draw("logprobs"), entropies_K: draw("entropies"), values_K: draw("values") };
}

/** The objective whose value is the sum of scores times fixed gradients. */
export function linearObjective(gradients: ReturnType<typeof fixedGradients>, hasValues: boolean): Objective {
  return (scores, { firstToken }) => {
    const end = firstToken + scores.logprobs_K.length;
    return {
      logprobs_K: gradients.logprobs_K.slice(firstToken, end),
      entropies_K: gradients.entropies_K.slice(firstToken, end),
      values_K: hasValues ? gradients.values_K.slice(firstToken, end) : null,
    };
  };
}

/** Value of linearObjective at the backend's present weights, summed in float64. */
export async function linearLoss(
  backend: TransformerBackend,
  batch: PackedBatch,
  gradients: ReturnType<typeof fixedGradients>,
): Promise<number> {
  const scores = await backend.score(batch, "policy");
  let sum = 0;
  for (let k = 0; k < scores.logprobs_K.length; k++) {
    sum += gradients.logprobs_K[k]! * scores.logprobs_K[k]! + gradients.entropies_K[k]! * scores.entropies_K[k]!;
    if (scores.values_K) sum += gradients.values_K[k]! * scores.values_K[k]!;
  }
  return sum;
}

/** log softmax over the vocabulary after each context, found by scoring every token as its continuation. */
export async function allLogprobs(
  backend: TransformerBackend,
  contexts: readonly (readonly number[])[],
  slot: WeightSlot = "policy",
  temperature = 1,
): Promise<Float32Array[]> {
  const V = backend.config.vocabularySize;
  const everyToken = Array.from({ length: V }, (_, token) => [token]);
  const batch = packGroups(
    contexts.map((promptTokens) => ({ promptTokens, completions: everyToken })),
    temperature,
  );
  const { logprobs_K } = await backend.score(batch, slot);
  return contexts.map((_, i) => logprobs_K.slice(i * V, (i + 1) * V));
}

/** Largest absolute difference, and the largest magnitude of the expected side. */
export function difference(actual: ArrayLike<number>, expected: ArrayLike<number>): { largest: number; scale: number } {
  if (actual.length !== expected.length) throw new Error(`lengths differ: ${actual.length} and ${expected.length}`);
  let largest = 0;
  let scale = 0;
  for (let i = 0; i < expected.length; i++) {
    const gap = Math.abs(actual[i]! - expected[i]!);
    largest = Number.isNaN(gap) ? Number.POSITIVE_INFINITY : Math.max(largest, gap);
    scale = Math.max(scale, Math.abs(expected[i]!));
  }
  return { largest, scale };
}
