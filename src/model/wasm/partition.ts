// Cuts a packed batch into micro-batches (what is kept in memory at once) and each of them into partitions (what
// one thread computes), always between units, and never depending on how many threads there are; and writes partitions
// into the arena: their own rows, renumbered from 0, and room for everything that is computed from them.

import * as map from "../../kernels/assembly/memoryMap.ts";
import type { Arena } from "../../kernels/wasm/arena.ts";
import { cutSpans, type PackedBatch, type Span, sumsBefore } from "../backend.ts";
import type { TransformerConfig } from "../transformerConfig.ts";

interface PartitionOptions {
  /** Keep every layer's activations for a backward pass into this gradient buffer. */
  readonly gradients: number | null;
  /** First prompt of a prefill: no token is scored, keys and values go to the prompts' caches. */
  readonly firstPrompt: number | null;
  /** Of adapters beside a frozen base; null where all weights are trained. */
  readonly adapterRank: number | null;
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
function rankScoredRows(scoreRow_K: Int32Array, rows: number) {
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

/** The rows of some units, renumbered. */
function localRows(batch: PackedBatch, units: Span) {
  const firstSegment = batch.unitSegment_U[units.first]!;
  const lastSegment = batch.unitSegment_U[units.last]!;
  const { from, to } = rowSpan(batch, firstSegment, lastSegment);
  const tokens_N = new Int32Array(to - from);
  const positions_N = new Int32Array(to - from);
  // First row, length, first row and length of the prefix.
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

/** Activations that the backward pass beside a frozen base recomputes layer by layer, so that all layers share one buffer. */
const RECOMPUTED = [map.PARTITION_ACT_NORM1, map.PARTITION_ACT_NORM2, map.PARTITION_ACT_INNER];

/** Words of one layer's activations, and how many floats of each a row has; a layer's output is the next one's first. */
function activationWidths(config: TransformerConfig, adapterRank: number | null): readonly (readonly [word: number, width: number])[] {
  const { hiddenSize: D, heads, kvHeads, headSize, intermediateSize: F, headNorm } = config;
  return [
    [map.PARTITION_ACT_X, D],
    [map.PARTITION_ACT_NORM1, D],
    [map.PARTITION_ACT_INVERSE1, 1],
    [map.PARTITION_ACT_QKV, (heads + 2 * kvHeads) * headSize],
    [map.PARTITION_ACT_PLAIN_QK, headNorm ? (heads + kvHeads) * headSize : 0],
    [map.PARTITION_ACT_HEAD_INVERSE, headNorm ? heads + kvHeads : 0],
    [map.PARTITION_ACT_LOG_SUM, heads],
    [map.PARTITION_ACT_ATTENTION, heads * headSize],
    [map.PARTITION_ACT_X2, D],
    [map.PARTITION_ACT_NORM2, D],
    [map.PARTITION_ACT_INVERSE2, 1],
    [map.PARTITION_ACT_GATE_UP, 2 * F],
    [map.PARTITION_ACT_INNER, F],
    [map.PARTITION_ACT_ADAPTED, 7 * (adapterRank ?? 0)],
  ];
}

/** Bytes that a row keeps in all layers for the way back beside a frozen base. */
export function keptRowBytes(config: TransformerConfig, adapterRank: number): number {
  const kept = activationWidths(config, adapterRank).filter(([word]) => !RECOMPUTED.includes(word));
  return 4 * config.layers * kept.reduce((sum, [, width]) => sum + width, 0);
}

/** Room for a partition's activations, and for those of every layer and the way back with `keep`; fills in their words. */
function takeActivations(
  words: Int32Array,
  arena: Arena,
  config: TransformerConfig,
  rows: number,
  scored: number,
  { gradients, adapterRank }: PartitionOptions,
): void {
  const keep = gradients !== null;
  const isFrozen = adapterRank !== null;
  const { hiddenSize: D, vocabularySize: V, heads, kvHeads, headSize, intermediateSize: F, headNorm } = config;
  const all = activationWidths(config, adapterRank).map(([word, width]) => [word, Math.ceil((width * rows * 4) / 128) * 128] as const);
  const blocks = all.filter(([word]) => !(isFrozen && RECOMPUTED.includes(word)));
  for (const [word, bytes] of all) if (isFrozen && RECOMPUTED.includes(word)) words[word >> 2] = arena.take(bytes);
  const layerBytes = blocks.reduce((sum, [, bytes]) => sum + bytes, 0);
  // The last layer's output needs room of its own.
  let at = arena.take(keep ? layerBytes * config.layers + blocks[0]![1] : layerBytes);
  for (const [word, bytes] of blocks) {
    words[word >> 2] = at;
    at += bytes;
  }
  words[map.PARTITION_LAYER_STRIDE >> 2] = keep ? layerBytes : 0;
  const back = keep ? rows : 0;
  for (const [word, floats] of [
    [map.PARTITION_GATHERED, scored * D],
    [map.PARTITION_FINAL_HIDDEN, scored * D],
    [map.PARTITION_FINAL_INVERSE, scored],
    // Beside a frozen base the head works in tiles.
    [map.PARTITION_LOGITS, isFrozen ? 0 : scored * V],
    [map.PARTITION_D_ADAPTED, back * 3 * (adapterRank ?? 0)],
    [map.PARTITION_ROW_STATS, scored * 4],
    [map.PARTITION_D_X, back * D],
    [map.PARTITION_D_WIDE, back * Math.max(2 * F, (heads + 2 * kvHeads) * headSize)],
    [map.PARTITION_D_NARROW, back * Math.max(F, D, heads * headSize, headNorm ? (heads + kvHeads) * headSize : 0)],
  ] as const)
    words[word >> 2] = arena.take(floats * 4);
}

function putWords(arena: Arena, source: Int32Array): number {
  const at = arena.take(source.byteLength);
  arena.words(at, source.length).set(source);
  return at;
}

/** Indices of tokens sorted by their targets, stable: a counting sort. */
function orderOfTargets(targets_K: Int32Array, vocabularySize: number): Int32Array {
  const starts_V = new Int32Array(vocabularySize + 1);
  for (const target of targets_K) starts_V[target + 1]!++;
  for (let id = 0; id < vocabularySize; id++) starts_V[id + 1]! += starts_V[id]!;
  const order_K = new Int32Array(targets_K.length);
  for (const [k, target] of targets_K.entries()) order_K[starts_V[target]!++] = k;
  return order_K;
}

/** Places one partition and writes its words at `address`; returns where its tokens are read and written. */
export function placePartition(
  arena: Arena,
  config: TransformerConfig,
  batch: PackedBatch,
  units: Span,
  address: number,
  options: PartitionOptions,
) {
  const local = localRows(batch, units);
  const tokens = local.tokenRow_K.length;
  const words = new Int32Array(map.PARTITION_BYTES / 4);
  words[map.PARTITION_ROWS >> 2] = local.tokens_N.length;
  words[map.PARTITION_SEGMENTS >> 2] = local.segments_S4.length / 4;
  words[map.PARTITION_SCORED_ROWS >> 2] = local.scoredRows_R.length;
  words[map.PARTITION_SCORED_TOKENS >> 2] = tokens;
  words[map.PARTITION_FIRST_PROMPT >> 2] = options.firstPrompt ?? -1;
  words[map.PARTITION_TOKEN_IDS >> 2] = putWords(arena, local.tokens_N);
  words[map.PARTITION_POSITIONS >> 2] = putWords(arena, local.positions_N);
  words[map.PARTITION_SEGMENT_TABLE >> 2] = putWords(arena, local.segments_S4);
  words[map.PARTITION_SCORED_ROW_IDS >> 2] = putWords(arena, local.scoredRows_R);
  words[map.PARTITION_TOKEN_ROW >> 2] = putWords(arena, local.tokenRow_K);
  words[map.PARTITION_TARGETS >> 2] = putWords(arena, local.targets_K);
  if (options.adapterRank !== null)
    words[map.PARTITION_TARGET_ORDER >> 2] = putWords(arena, orderOfTargets(local.targets_K, config.vocabularySize));
  const takeOutput = (word: number) => {
    words[word >> 2] = arena.take(tokens * 4);
    return words[word >> 2]!;
  };
  const placed = {
    firstToken: local.firstToken,
    tokens,
    logprobs: takeOutput(map.PARTITION_LOGPROBS),
    entropies: takeOutput(map.PARTITION_ENTROPIES),
    values: takeOutput(map.PARTITION_VALUES),
    logprobGradients: takeOutput(map.PARTITION_LOGPROB_GRADIENTS),
    entropyGradients: takeOutput(map.PARTITION_ENTROPY_GRADIENTS),
    valueGradients: takeOutput(map.PARTITION_VALUE_GRADIENTS),
  };
  words[map.PARTITION_GRADIENTS >> 2] = options.gradients ?? 0;
  takeActivations(words, arena, config, local.tokens_N.length, local.scoredRows_R.length, options);
  arena.words(address, words.length).set(words);
  return placed;
}

/** Runs of whole units of at most maxRows rows each; a larger unit is a micro-batch of its own. */
export function cutMicroBatches(rows_U: Int32Array, maxRows: number): readonly Span[] {
  const before_U = sumsBefore(rows_U);
  return cutSpans(rows_U.length, (first, last) => before_U[last]! - before_U[first]! <= maxRows);
}

/** At most `parts` runs of whole units with about equal numbers of rows; none is empty. */
export function cutParts(rows_U: Int32Array, range: Span, parts: number): readonly Span[] {
  let total = 0;
  for (let unit = range.first; unit < range.last; unit++) total += rows_U[unit]!;
  const cut: Span[] = [];
  let first = range.first;
  let reached = 0;
  for (let unit = range.first; unit < range.last; unit++) {
    reached += rows_U[unit]!;
    // Half a row of slack: equal units must not be cut apart by rounding.
    if (reached >= (total * (cut.length + 1)) / parts - 0.5 || unit + 1 === range.last) {
      cut.push({ first, last: unit + 1 });
      first = unit + 1;
    }
  }
  return cut;
}
