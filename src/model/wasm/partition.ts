// Writes partitions into the arena: their own rows, renumbered from 0, and room for everything that
// is computed from them. The words are those of ../../kernels/assembly/partition.ts.

import type { Arena } from "../../kernels/wasm/arena.ts";
import type { PackedBatch } from "../backend.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import type { UnitRange } from "./batchCut.ts";

/** Bytes of one partition's words. */
export const PARTITION_BYTES = 256;

/** Where the TypeScript side reads and writes one partition's tokens. */
export interface PlacedPartition {
  readonly firstToken: number;
  readonly tokens: number;
  readonly logprobs: number;
  readonly entropies: number;
  readonly values: number;
  readonly logprobGradients: number;
  readonly entropyGradients: number;
  readonly valueGradients: number;
}

export interface PartitionOptions {
  /** Keep every layer's activations for a backward pass into this gradient buffer. */
  readonly gradients: number | null;
  /** First prompt of a prefill: no token is scored, keys and values go to the prompts' caches. */
  readonly firstPrompt: number | null;
}

/** The rows of some units, renumbered. */
interface LocalRows {
  readonly tokens_N: Int32Array;
  readonly positions_N: Int32Array;
  /** First row, length, first row and length of the prefix. */
  readonly segments_S4: Int32Array;
  readonly scoredRows_R: Int32Array;
  readonly tokenRow_K: Int32Array;
  readonly targets_K: Int32Array;
  readonly firstToken: number;
}

/** Rows of the batch [from, to) among which all rows of some segments lie. */
function rowSpan(batch: PackedBatch, firstSegment: number, lastSegment: number): { readonly from: number; readonly to: number } {
  let from = Number.POSITIVE_INFINITY;
  let to = 0;
  for (let s = firstSegment; s < lastSegment; s++) {
    const start = batch.segmentStart_S[s]!;
    from = Math.min(from, start);
    to = Math.max(to, start + batch.segmentLength_S[s]!);
  }
  return { from: Math.min(from, to), to };
}

/** Each scored row once, in the order of the tokens, and which of them every token uses. */
function rankScoredRows(scoreRow_K: Int32Array, rows: number): Pick<LocalRows, "scoredRows_R" | "tokenRow_K"> {
  const scoredRows_R = new Int32Array(rows);
  const rank_N = new Int32Array(rows).fill(-1);
  let scored = 0;
  const tokenRow_K = scoreRow_K.map((row) => {
    const rank = rank_N[row];
    if (rank === undefined) throw new Error("internal: a scored token lies outside its unit");
    if (rank >= 0) return rank;
    scoredRows_R[scored] = row;
    rank_N[row] = scored;
    return scored++;
  });
  return { scoredRows_R: scoredRows_R.subarray(0, scored), tokenRow_K };
}

function localRows(batch: PackedBatch, units: UnitRange): LocalRows {
  const firstSegment = batch.unitSegment_U[units.first]!;
  const lastSegment = batch.unitSegment_U[units.last]!;
  const { from, to } = rowSpan(batch, firstSegment, lastSegment);
  const tokens_N = new Int32Array(to - from);
  const positions_N = new Int32Array(to - from);
  const segments_S4 = new Int32Array(4 * (lastSegment - firstSegment));
  const local_N = new Int32Array(to - from).fill(-1);
  let rows = 0;
  for (let s = firstSegment; s < lastSegment; s++) {
    const prefix = batch.segmentPrefix_S[s]!;
    const prefixLength = prefix < 0 ? 0 : batch.segmentLength_S[prefix]!;
    const start = batch.segmentStart_S[s]!;
    const length = batch.segmentLength_S[s]!;
    const at = 4 * (s - firstSegment);
    segments_S4.set([rows, length, prefix < 0 ? 0 : segments_S4[4 * (prefix - firstSegment)]!, prefixLength], at);
    for (let i = 0; i < length; i++) {
      local_N[start + i - from] = rows;
      tokens_N[rows] = batch.tokens_N[start + i]!;
      positions_N[rows++] = prefixLength + i;
    }
  }
  const firstToken = batch.sequenceStart_Q[batch.unitSequence_U[units.first]!]!;
  const lastToken = batch.sequenceStart_Q[batch.unitSequence_U[units.last]!]!;
  const scoreRow_K = batch.scoreRow_K.subarray(firstToken, lastToken).map((row) => local_N[row - from] ?? -1);
  return {
    tokens_N: tokens_N.subarray(0, rows),
    positions_N: positions_N.subarray(0, rows),
    segments_S4,
    ...rankScoredRows(scoreRow_K, rows),
    targets_K: batch.scoreTarget_K.subarray(firstToken, lastToken),
    firstToken,
  };
}

/** Floats of one row's activations in one layer, in the order of the words. */
function activationWidths(config: TransformerConfig): readonly number[] {
  const { hiddenSize: D, heads, kvHeads, headSize, intermediateSize: F } = config;
  return [D, D, 1, (heads + 2 * kvHeads) * headSize, heads, heads * headSize, D, D, 1, 2 * F, F];
}

/** Room for a partition's activations; returns the words from layerStride to dNarrow. */
function takeActivations(arena: Arena, config: TransformerConfig, rows: number, scoredRows: number, keep: boolean): readonly number[] {
  const { hiddenSize: D, vocabularySize: V, heads, kvHeads, headSize, intermediateSize: F } = config;
  const blocks = activationWidths(config).map((width) => Math.ceil((width * rows * 4) / 128) * 128);
  const layerBytes = blocks.reduce((sum, bytes) => sum + bytes, 0);
  // Each layer's output is the next one's first block, so the last layer needs one more.
  let at = arena.take(keep ? layerBytes * config.layers + blocks[0]! : layerBytes);
  const layer = blocks.map((bytes) => {
    const block = at;
    at += bytes;
    return block;
  });
  const head = [scoredRows * D, scoredRows * D, scoredRows, scoredRows * V, scoredRows * 4];
  const back = keep
    ? [rows * D, rows * Math.max(2 * F, (heads + 2 * kvHeads) * headSize), rows * Math.max(F, D, heads * headSize)]
    : [0, 0, 0];
  return [keep ? layerBytes : 0, ...layer, ...[...head, ...back].map((floats) => arena.take(floats * 4))];
}

function putWords(arena: Arena, source: Int32Array): number {
  const at = arena.take(source.byteLength);
  arena.words(at, source.length).set(source);
  return at;
}

/** Places one partition and writes its words at `address`. */
export function placePartition(
  arena: Arena,
  config: TransformerConfig,
  batch: PackedBatch,
  units: UnitRange,
  address: number,
  options: PartitionOptions,
): PlacedPartition {
  const local = localRows(batch, units);
  const rows = local.tokens_N.length;
  const tokens = local.tokenRow_K.length;
  const inputs = [local.tokens_N, local.positions_N, local.segments_S4, local.scoredRows_R, local.tokenRow_K, local.targets_K].map(
    (source) => putWords(arena, source),
  );
  const outputs = Array.from({ length: 6 }, () => arena.take(tokens * 4));
  const activations = takeActivations(arena, config, rows, local.scoredRows_R.length, options.gradients !== null);
  const counts = [rows, local.segments_S4.length / 4, local.scoredRows_R.length, tokens, options.firstPrompt ?? -1];
  const words = [...counts, ...inputs, ...outputs, options.gradients ?? 0, ...activations];
  arena.words(address, words.length).set(words);
  const [logprobs, entropies, values, logprobGradients, entropyGradients, valueGradients] = outputs as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  return { firstToken: local.firstToken, tokens, logprobs, entropies, values, logprobGradients, entropyGradients, valueGradients };
}
