// What every peer is asked to do, as numbers: model sizes, batch, length, and the floating-point
// operations of each phase. Peers receive a Workload and nothing else, so all do the same amount.
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";

export const SIZE_IDS = ["tiny", "small", "med"] as const;
export type SizeId = (typeof SIZE_IDS)[number];

/** One phase that is timed; an iteration is one of each. */
export type BenchPhase = "train" | "decode";

/** A model shape and the sequences that go through it. */
export interface Workload {
  readonly hiddenSize: number;
  readonly layers: number;
  readonly heads: number;
  readonly intermediateSize: number;
  readonly vocabularySize: number;
  /** Sequences. */
  readonly batch: number;
  /** Tokens of a sequence, and decode steps of a rollout. */
  readonly length: number;
  /** Left out where each sequence begins with one token of its own and is one turn. */
  readonly conversations?: Conversations;
}

export interface Conversations {
  /** Tokens of a prompt, and sequences that begin with it: a part of the batch. */
  readonly promptTokens: number;
  readonly group: number;
  /** Turns, each of an equal part of the length, and tokens inserted between two of them. */
  readonly turns: number;
  readonly inserted: number;
}

export const BATCH = 32;
export const LENGTH = 64;
const VOCABULARY = 512;

type Widths = Pick<Workload, "hiddenSize" | "layers" | "heads" | "intermediateSize">;

export const SIZES: Readonly<Record<SizeId, Widths>> = {
  tiny: { hiddenSize: 64, layers: 2, heads: 4, intermediateSize: 176 },
  small: { hiddenSize: 128, layers: 4, heads: 4, intermediateSize: 344 },
  med: { hiddenSize: 256, layers: 6, heads: 8, intermediateSize: 704 },
};

/** The named size at 32 sequences of 64 tokens. */
export function workloadOf(size: SizeId): Workload {
  return { ...SIZES[size], vocabularySize: VOCABULARY, batch: BATCH, length: LENGTH };
}

/** The workload's model: no biases, tied head, as many heads of keys as of queries. */
export function transformerOf(workload: Workload): TransformerConfig {
  const { batch: _batch, length, conversations, ...widths } = workload;
  const positions = conversations ? conversations.promptTokens + rowsBehind(length, conversations) : length;
  return {
    ...widths,
    kvHeads: workload.heads,
    headSize: workload.hiddenSize / workload.heads,
    ropeTheta: 10_000,
    rmsNormEps: 1e-5,
    tiedEmbeddings: true,
    qkvBias: false,
    headNorm: false,
    maxPositions: Math.max(256, positions + 1),
    valueHead: false,
  };
}

/** Weights that a token is multiplied by in a forward pass: four attention and three feed-forward matrices a layer. */
function layerWeights({ hiddenSize: D, intermediateSize: F, layers }: Workload): number {
  return layers * (4 * D * D + 3 * D * F);
}

/** The same with the head. */
function multipliedWeights(workload: Workload): number {
  return layerWeights(workload) + workload.vocabularySize * workload.hiddenSize;
}

/** Tokens of a conversation behind its prompt. */
const rowsBehind = (length: number, { turns, inserted }: Conversations) => length + (turns - 1) * inserted;

/**
 * Operations of a forward pass over conversations: each prompt once for its group, the head for sampled tokens alone, and no row
 * for the last token, which predicts nothing. @param keysOf keys of the rows behind a prompt, all together
 */
function conversationFlops(workload: Workload, talk: Conversations, keysOf: (prompt: number, rows: number) => number): number {
  const { batch, length, hiddenSize: D, vocabularySize: V, layers } = workload;
  const { promptTokens, group } = talk;
  const [prompts, rows] = [batch / group, rowsBehind(length, talk) - 1];
  const weights = layerWeights(workload) * (prompts * promptTokens + batch * rows) + V * D * batch * length;
  const keys = prompts * promptTokens ** 2 + batch * keysOf(promptTokens, rows);
  return 2 * weights + 4 * keys * D * layers;
}

/**
 * Floating-point operations of one update: forward and twice that for backward, a multiply-add counted
 * as two. Attention is counted in full, T keys for each of T queries, though causal kernels skip half.
 */
export function trainFlops(workload: Workload): number {
  const { batch, length, hiddenSize, layers, conversations } = workload;
  if (conversations) return 3 * conversationFlops(workload, conversations, (prompt, rows) => rows * (prompt + rows));
  const attention = 4 * length * hiddenSize * layers;
  return 3 * batch * length * (2 * multipliedWeights(workload) + attention);
}

/** Floating-point operations of one rollout: at step t there are t keys. */
export function decodeFlops(workload: Workload): number {
  const { batch, length, hiddenSize, layers, conversations } = workload;
  if (conversations) return conversationFlops(workload, conversations, (prompt, rows) => rows * prompt + (rows * (rows + 1)) / 2);
  const keys = (length * (length + 1)) / 2;
  return batch * (length * 2 * multipliedWeights(workload) + 4 * keys * hiddenSize * layers);
}

/** Operations of a phase. */
export function phaseFlops(workload: Workload, phase: BenchPhase): number {
  return phase === "train" ? trainFlops(workload) : decodeFlops(workload);
}

/** Matrix products [m, k] · [k, n] that the model is made of, for `rows` tokens at once. */
export function modelProducts(workload: Workload, rows: number): readonly { readonly m: number; readonly k: number; readonly n: number }[] {
  const { hiddenSize: D, intermediateSize: F, vocabularySize: V } = workload;
  return [
    { m: rows, k: D, n: 3 * D },
    { m: rows, k: D, n: D },
    { m: rows, k: D, n: 2 * F },
    { m: rows, k: F, n: D },
    { m: rows, k: D, n: V },
  ];
}
