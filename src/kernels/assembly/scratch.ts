// Working memory of one thread: its own stretch of the arena, cut into buffers at fixed offsets.
import { headSize, hidden, inner, pad8, qkvWidth, vocab } from "./layout";
import { JOB, JOB_MAX_KEYS, JOB_SCRATCH, JOB_SCRATCH_STRIDE } from "./memoryMap";

/** Query rows that attention works on at once. */
export const QUERY_BLOCK: i32 = 24;
/** Rows of the summed dimension that a weight gradient packs at once. */
export const DEPTH_BLOCK: i32 = 256;
/** Outputs of a weight gradient packed at once: a multiple of both tile heights. */
export const OUT_BLOCK: i32 = 192;

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

function placeBuffers(base: usize, keys: i32): usize {
  // The longest sum of a product, of which at least 12 rows are packed, the last of them a tile of 6.
  const longest = max(max(vocab, 2 * inner), max(max(qkvWidth, hidden), pad8(keys)));
  let at = base;
  edgeTile = at;
  at += 256;
  packA = at;
  at += (max(OUT_BLOCK * DEPTH_BLOCK, 18 * longest) * 4 + 64) as usize;
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
