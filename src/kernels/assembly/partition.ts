// A partition: some whole units of a batch, processed by one thread from the first row to the last.
// Its words are written by ../../model/wasm/partition.ts.
import * as map from "./memoryMap";

export let rows: i32 = 0;
export let segments: i32 = 0;
/** Distinct rows that are scored. */
export let scoredRows: i32 = 0;
export let scoredTokens: i32 = 0;
export let tokenIds: usize = 0;
export let positions: usize = 0;
/** Four words for each segment: first row, length, first row of its prefix, length of its prefix. */
export let segmentTable: usize = 0;
export let scoredRowIds: usize = 0;
/** For each scored token, which scored row, and the target. */
export let tokenRow: usize = 0;
export let targets: usize = 0;
/** Scored tokens in the order of their targets, beside a frozen base. */
export let targetOrder: usize = 0;
export let logprobs: usize = 0;
export let entropies: usize = 0;
export let values: usize = 0;
export let logprobGradients: usize = 0;
export let entropyGradients: usize = 0;
export let valueGradients: usize = 0;
/** This partition's gradient buffer. */
export let gradients: usize = 0;
/** Activations of layer 0; each further layer lies layerStride bytes on (0 where they are not kept). */
export let layerStride: usize = 0;
export let actX: usize = 0;
export let actNorm1: usize = 0;
export let actInverse1: usize = 0;
export let actQkv: usize = 0;
/** Queries and keys before their norm, and 1 / rms of each head. */
export let actPlainQk: usize = 0;
export let actHeadInverse: usize = 0;
export let actLogSum: usize = 0;
export let actAttention: usize = 0;
export let actX2: usize = 0;
export let actNorm2: usize = 0;
export let actInverse2: usize = 0;
export let actGateUp: usize = 0;
export let actInner: usize = 0;
/** Final norm and head, one row for each scored row. */
export let gathered: usize = 0;
export let finalHidden: usize = 0;
export let finalInverse: usize = 0;
export let logits: usize = 0;
/** Four floats for each scored row: log of the sum of exponentials, entropy, and two sums of gradients. */
export let rowStats: usize = 0;
/** Gradients in flight: of the residual stream, and two that hold whatever a layer needs. */
export let dX: usize = 0;
export let dWide: usize = 0;
export let dNarrow: usize = 0;
/** What adapters make of their inputs, 7 ranks a row, and the gradient of that for one matrix. */
export let actAdapted: usize = 0;
export let dAdapted: usize = 0;
/** First prompt of a prefill, or -1. */
export let firstPrompt: i32 = -1;

/** Reads the words of a partition. */
export function readPartition(index: i32): void {
  const p = (load<u32>(map.JOB, map.JOB_PARTITIONS) as usize) + (index as usize) * map.PARTITION_BYTES;
  rows = load<i32>(p, map.PARTITION_ROWS);
  segments = load<i32>(p, map.PARTITION_SEGMENTS);
  scoredRows = load<i32>(p, map.PARTITION_SCORED_ROWS);
  scoredTokens = load<i32>(p, map.PARTITION_SCORED_TOKENS);
  firstPrompt = load<i32>(p, map.PARTITION_FIRST_PROMPT);
  tokenIds = load<u32>(p, map.PARTITION_TOKEN_IDS);
  positions = load<u32>(p, map.PARTITION_POSITIONS);
  segmentTable = load<u32>(p, map.PARTITION_SEGMENT_TABLE);
  scoredRowIds = load<u32>(p, map.PARTITION_SCORED_ROW_IDS);
  tokenRow = load<u32>(p, map.PARTITION_TOKEN_ROW);
  targets = load<u32>(p, map.PARTITION_TARGETS);
  targetOrder = load<u32>(p, map.PARTITION_TARGET_ORDER);
  logprobs = load<u32>(p, map.PARTITION_LOGPROBS);
  entropies = load<u32>(p, map.PARTITION_ENTROPIES);
  values = load<u32>(p, map.PARTITION_VALUES);
  logprobGradients = load<u32>(p, map.PARTITION_LOGPROB_GRADIENTS);
  entropyGradients = load<u32>(p, map.PARTITION_ENTROPY_GRADIENTS);
  valueGradients = load<u32>(p, map.PARTITION_VALUE_GRADIENTS);
  gradients = load<u32>(p, map.PARTITION_GRADIENTS);
  layerStride = load<u32>(p, map.PARTITION_LAYER_STRIDE);
  actX = load<u32>(p, map.PARTITION_ACT_X);
  actNorm1 = load<u32>(p, map.PARTITION_ACT_NORM1);
  actInverse1 = load<u32>(p, map.PARTITION_ACT_INVERSE1);
  actQkv = load<u32>(p, map.PARTITION_ACT_QKV);
  actPlainQk = load<u32>(p, map.PARTITION_ACT_PLAIN_QK);
  actHeadInverse = load<u32>(p, map.PARTITION_ACT_HEAD_INVERSE);
  actLogSum = load<u32>(p, map.PARTITION_ACT_LOG_SUM);
  actAttention = load<u32>(p, map.PARTITION_ACT_ATTENTION);
  actX2 = load<u32>(p, map.PARTITION_ACT_X2);
  actNorm2 = load<u32>(p, map.PARTITION_ACT_NORM2);
  actInverse2 = load<u32>(p, map.PARTITION_ACT_INVERSE2);
  actGateUp = load<u32>(p, map.PARTITION_ACT_GATE_UP);
  actInner = load<u32>(p, map.PARTITION_ACT_INNER);
  gathered = load<u32>(p, map.PARTITION_GATHERED);
  finalHidden = load<u32>(p, map.PARTITION_FINAL_HIDDEN);
  finalInverse = load<u32>(p, map.PARTITION_FINAL_INVERSE);
  logits = load<u32>(p, map.PARTITION_LOGITS);
  rowStats = load<u32>(p, map.PARTITION_ROW_STATS);
  actAdapted = load<u32>(p, map.PARTITION_ACT_ADAPTED);
  dAdapted = load<u32>(p, map.PARTITION_D_ADAPTED);
  dX = load<u32>(p, map.PARTITION_D_X);
  dWide = load<u32>(p, map.PARTITION_D_WIDE);
  dNarrow = load<u32>(p, map.PARTITION_D_NARROW);
}
