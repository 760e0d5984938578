// A partition: some whole units of a batch, processed by one thread from the first row to the last.
// The TypeScript side (../wasm/partition.ts) writes its words; pointers are byte addresses.
import { JOB, JOB_PARTITIONS } from "./layout";

/** Bytes of one partition's words. */
export const PARTITION_BYTES: usize = 256;

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
/** First prompt of a prefill, or -1. */
export let firstPrompt: i32 = -1;

/** Reads the words of a partition. */
export function readPartition(index: i32): void {
  const p = (load<u32>(JOB, JOB_PARTITIONS) as usize) + (index as usize) * PARTITION_BYTES;
  rows = load<i32>(p, 0);
  segments = load<i32>(p, 4);
  scoredRows = load<i32>(p, 8);
  scoredTokens = load<i32>(p, 12);
  firstPrompt = load<i32>(p, 16);
  tokenIds = load<u32>(p, 20);
  positions = load<u32>(p, 24);
  segmentTable = load<u32>(p, 28);
  scoredRowIds = load<u32>(p, 32);
  tokenRow = load<u32>(p, 36);
  targets = load<u32>(p, 40);
  logprobs = load<u32>(p, 44);
  entropies = load<u32>(p, 48);
  values = load<u32>(p, 52);
  logprobGradients = load<u32>(p, 56);
  entropyGradients = load<u32>(p, 60);
  valueGradients = load<u32>(p, 64);
  gradients = load<u32>(p, 68);
  layerStride = load<u32>(p, 72);
  actX = load<u32>(p, 76);
  actNorm1 = load<u32>(p, 80);
  actInverse1 = load<u32>(p, 84);
  actQkv = load<u32>(p, 88);
  actLogSum = load<u32>(p, 92);
  actAttention = load<u32>(p, 96);
  actX2 = load<u32>(p, 100);
  actNorm2 = load<u32>(p, 104);
  actInverse2 = load<u32>(p, 108);
  actGateUp = load<u32>(p, 112);
  actInner = load<u32>(p, 116);
  gathered = load<u32>(p, 120);
  finalHidden = load<u32>(p, 124);
  finalInverse = load<u32>(p, 128);
  logits = load<u32>(p, 132);
  rowStats = load<u32>(p, 136);
  dX = load<u32>(p, 140);
  dWide = load<u32>(p, 144);
  dNarrow = load<u32>(p, 148);
}
