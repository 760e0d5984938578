// Working memory of one thread: its own stretch of the arena, cut into buffers at fixed offsets.
import { attnWidth, frozen, headSize, hidden, inner, minI, pad8, qkvWidth, rank, vocab } from "./layout";
import { JOB, JOB_MAX_KEYS, JOB_SCRATCH, JOB_SCRATCH_STRIDE } from "./memoryMap";

/** Query rows that attention works on at once. */
export const QUERY_BLOCK: i32 = 24;
/** Rows of the summed dimension that a weight gradient packs at once. */
export const DEPTH_BLOCK: i32 = 256;
/** Outputs of a weight gradient packed at once: a multiple of both tile heights. */
export const OUT_BLOCK: i32 = 192;

/** Floats of packed rows of a product with a frozen matrix, at least 12 rows: many, as each panel is widened once for all of them. */
export const FROZEN_BLOCK: i32 = 262144;
/** Input columns of a frozen matrix that the way back widens at once: a block of the stored types. */
export const FROZEN_COLUMNS: i32 = 32;
/** Scored rows and ids whose logits the head beside a frozen base holds at once. */
export const HEAD_ROWS: i32 = 384;
export const HEAD_IDS: i32 = 128;

/** A tile whose edge hangs over the matrix. */
export let edgeTile: usize = 0;
export let packA: usize = 0;
export let packB: usize = 0;
/** Keys, and values, as panels of 8 positions. */
export let keyPanels: usize = 0;
export let valuePanels: usize = 0;
/** Attention weights of a query block and their gradients; rows are scoreStride bytes. */
export let scores: usize = 0;
export let scoreGradients: usize = 0;
export let scoreStride: usize = 0;
export let rowScale: usize = 0;
/** Probabilities of one row, and a heap of token ids. */
export let probabilities: usize = 0;
export let heap: usize = 0;

/** Of a frozen base: rows as floats, panels of them, more packed rows, and a tile of logits. */
export let wideRows: usize = 0;
export let widePanels: usize = 0;
export let packedTile: usize = 0;
export let logitTile: usize = 0;
/** What a matrix's adapters made of a block of rows, packed, part by part. */
export let adapterTails: usize = 0;

/** Rows that are packed at once where a row has k floats. */
@inline export function frozenBlock(k: i32): i32 {
  return max(12, (FROZEN_BLOCK / (12 * k)) * 12);
}

function placeFrozen(start: usize): usize {
  let at = start;
  wideRows = at;
  at += (max(HEAD_IDS * hidden, 8 * max(max(hidden, attnWidth), inner)) as usize) << 2;
  widePanels = at;
  at += (max(FROZEN_COLUMNS * max(max(qkvWidth, 2 * inner), hidden), 8 * max(3 * rank, inner)) as usize) << 2;
  packedTile = at;
  at += (((HEAD_ROWS + 6) * HEAD_IDS) as usize) << 2;
  logitTile = at;
  at += ((HEAD_ROWS * HEAD_IDS + 16) as usize) << 2;
  adapterTails = at;
  return at + (((3 * rank * (frozenBlock(minI(minI(hidden, attnWidth), inner)) + 6)) as usize) << 2);
}

function placeBuffers(base: usize, keys: i32): usize {
  // The longest sum of a product, of which at least 12 rows are packed, the last of them a tile of 6.
  const longest = max(max(frozen != 0 ? 3 * rank : vocab, 2 * inner), max(max(qkvWidth, hidden), pad8(keys)));
  let at = base;
  edgeTile = at;
  at += 256;
  packA = at;
  at += ((max(OUT_BLOCK * DEPTH_BLOCK, 18 * longest) + (frozen != 0 ? FROZEN_BLOCK : 0)) * 4 + 64) as usize;
  packB = at;
  at += (DEPTH_BLOCK * 32) as usize;
  const panels = ((pad8(keys) * headSize) as usize) << 2;
  keyPanels = at;
  at += panels;
  valuePanels = at;
  at += panels;
  // Sixteen floats more than needed, so that rows do not all start in the same cache set.
  scoreStride = ((pad8(keys) + 16) as usize) << 2;
  scores = at;
  at += scoreStride * QUERY_BLOCK;
  scoreGradients = at;
  at += scoreStride * QUERY_BLOCK;
  rowScale = at;
  at += (QUERY_BLOCK as usize) << 2;
  probabilities = at;
  at += ((vocab + 16) as usize) << 2;
  heap = at;
  at += ((vocab + 16) as usize) << 2;
  if (frozen != 0) at = placeFrozen(at);
  return (at - base + 127) & ~127;
}

/** Bytes a thread needs for at most `keys` keys in one attention row. */
export function scratchBytes(keys: i32): usize {
  return placeBuffers(0, keys);
}

/** Points this thread's scratch at its own stretch. */
export function takeScratch(thread: i32): void {
  placeBuffers((load<u32>(JOB, JOB_SCRATCH) as usize) + (thread as usize) * (load<u32>(JOB, JOB_SCRATCH_STRIDE) as usize), load<i32>(JOB, JOB_MAX_KEYS));
}
