// Where things lie in the engine's memory. The TypeScript side (../wasm/header.ts) writes these words;
// every thread reads them into its own globals before it works on a job.

/** Words the threads synchronise on: generation, done. */
export const CONTROL: usize = 64;
/** Shape of the model. */
export const MODEL: usize = 256;
/** Three pointers for each weight slot: weights, forward panels, backward panels; 16 bytes a slot. */
export const SLOTS: usize = 384;
/** The job all threads work on. */
export const JOB: usize = 512;
/** Constants of vector arithmetic. */
export const CONSTANTS: usize = 1024;

// Words of JOB.
export const JOB_KIND: usize = 0;
export const JOB_SLOT: usize = 4;
export const JOB_NEXT: usize = 8;
export const JOB_COUNT: usize = 12;
export const JOB_PARTITIONS: usize = 16;
export const JOB_TEMPERATURE: usize = 20;
export const JOB_SCRATCH: usize = 24;
export const JOB_SCRATCH_STRIDE: usize = 28;
export const JOB_MAX_KEYS: usize = 32;
export const JOB_THREADS: usize = 36;
/** Decode steps of one call. */
export const JOB_STEPS: usize = 40;

export let vocab: i32 = 0;
export let hidden: i32 = 0;
export let layers: i32 = 0;
export let heads: i32 = 0;
export let kvHeads: i32 = 0;
export let headSize: i32 = 0;
export let inner: i32 = 0;
export let tied: bool = false;
export let valueHead: bool = false;
export let eps: f32 = 0;
/** Rows of the micro-kernel's tile: 6 or 4. */
export let tileRows: i32 = 6;
export let ropeTable: usize = 0;

/** Width of a row of fused queries, keys and values. */
export let qkvWidth: i32 = 0;
/** Width of all query heads side by side. */
export let attnWidth: i32 = 0;

/** Reads the model's shape. */
export function readModel(): void {
  vocab = load<i32>(MODEL, 0);
  hidden = load<i32>(MODEL, 4);
  layers = load<i32>(MODEL, 8);
  heads = load<i32>(MODEL, 12);
  kvHeads = load<i32>(MODEL, 16);
  headSize = load<i32>(MODEL, 20);
  inner = load<i32>(MODEL, 24);
  tied = load<i32>(MODEL, 28) != 0;
  valueHead = load<i32>(MODEL, 32) != 0;
  eps = load<f32>(MODEL, 36);
  tileRows = load<i32>(MODEL, 40);
  ropeTable = load<u32>(MODEL, 44);
  qkvWidth = (heads + 2 * kvHeads) * headSize;
  attnWidth = heads * headSize;
}

@inline export function pad8(n: i32): i32 {
  return (n + 7) & ~7;
}

@inline export function minI(a: i32, b: i32): i32 {
  return a < b ? a : b;
}

// Byte offsets in a flat weight (or gradient) buffer, in the order of parameterLayout.

@inline function layerFloats(): i32 {
  return 2 * hidden + qkvWidth * hidden + hidden * attnWidth + 3 * inner * hidden;
}
@inline export function norm1Offset(layer: i32): usize {
  return ((vocab * hidden + layer * layerFloats()) as usize) << 2;
}
@inline export function qkvOffset(layer: i32): usize {
  return norm1Offset(layer) + ((hidden as usize) << 2);
}
@inline export function attnOutOffset(layer: i32): usize {
  return qkvOffset(layer) + ((qkvWidth * hidden as usize) << 2);
}
@inline export function norm2Offset(layer: i32): usize {
  return attnOutOffset(layer) + ((hidden * attnWidth as usize) << 2);
}
@inline export function gateUpOffset(layer: i32): usize {
  return norm2Offset(layer) + ((hidden as usize) << 2);
}
@inline export function downOffset(layer: i32): usize {
  return gateUpOffset(layer) + ((2 * inner * hidden as usize) << 2);
}
@inline export function finalNormOffset(): usize {
  return norm1Offset(layers);
}
@inline export function headOffset(): usize {
  return tied ? 0 : finalNormOffset() + ((hidden as usize) << 2);
}
@inline export function valueHeadOffset(): usize {
  return finalNormOffset() + (((hidden + (tied ? 0 : vocab * hidden)) as usize) << 2);
}

// Panels of packed weights: matrix 0 qkv, 1 attention output, 2 gate and up, 3 down, then the head.

@inline export function matrixOut(kind: i32): i32 {
  return kind == 0 ? qkvWidth : kind == 1 ? hidden : kind == 2 ? 2 * inner : kind == 3 ? hidden : vocab;
}
@inline export function matrixIn(kind: i32): i32 {
  return kind == 0 ? hidden : kind == 1 ? attnWidth : kind == 2 ? hidden : kind == 3 ? inner : hidden;
}
@inline export function matrixOffset(layer: i32, kind: i32): usize {
  return kind == 0 ? qkvOffset(layer) : kind == 1 ? attnOutOffset(layer) : kind == 2 ? gateUpOffset(layer) : kind == 3 ? downOffset(layer) : headOffset();
}
/** Bytes of one packed matrix: forward panels hold 8 outputs, backward panels 8 inputs. */
@inline function panelBytes(kind: i32, backward: bool): usize {
  return ((backward ? pad8(matrixIn(kind)) * matrixOut(kind) : pad8(matrixOut(kind)) * matrixIn(kind)) as usize) << 2;
}
function layerPanelBytes(backward: bool): usize {
  return panelBytes(0, backward) + panelBytes(1, backward) + panelBytes(2, backward) + panelBytes(3, backward);
}
/** Byte offset of a packed matrix in a slot's panels. */
export function panelOffset(layer: i32, kind: i32, backward: bool): usize {
  if (kind == 4) return layerPanelBytes(backward) * layers;
  let offset = layerPanelBytes(backward) * layer;
  for (let i = 0; i < kind; i++) offset += panelBytes(i, backward);
  return offset;
}
/** Bytes of all panels of a slot. */
export function panelBytesTotal(backward: bool): usize {
  return panelOffset(0, 4, backward) + panelBytes(4, backward);
}
