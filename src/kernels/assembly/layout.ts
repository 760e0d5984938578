// The model's shape, which every thread reads from memory before it works on a job, and where its weights
// lie in a flat buffer and in packed panels.
import * as map from "./memoryMap";

export let vocab: i32 = 0;
export let hidden: i32 = 0;
export let layers: i32 = 0;
export let heads: i32 = 0;
export let kvHeads: i32 = 0;
export let headSize: i32 = 0;
export let inner: i32 = 0;
export let tied: bool = false;
export let valueHead: bool = false;
export let qkvBias: bool = false;
export let headNorm: bool = false;
export let eps: f32 = 0;
/** Rows of the micro-kernel's tile: 6 or 4. */
export let tileRows: i32 = 6;
export let ropeTable: usize = 0;

/** Parts of a frozen base; 0 where all weights are trained. */
export let frozen: usize = 0;
export let rank: i32 = 0;
export let adapterScale: f32 = 0;
/** Ids that may be sampled. */
export let sampledVocab: i32 = 0;

/** Width of a row of fused queries, keys and values. */
export let qkvWidth: i32 = 0;
/** Width of all query heads side by side. */
export let attnWidth: i32 = 0;

/** Reads the model's shape. */
export function readModel(): void {
  vocab = load<i32>(map.MODEL, map.MODEL_VOCAB);
  hidden = load<i32>(map.MODEL, map.MODEL_HIDDEN);
  layers = load<i32>(map.MODEL, map.MODEL_LAYERS);
  heads = load<i32>(map.MODEL, map.MODEL_HEADS);
  kvHeads = load<i32>(map.MODEL, map.MODEL_KV_HEADS);
  headSize = load<i32>(map.MODEL, map.MODEL_HEAD_SIZE);
  inner = load<i32>(map.MODEL, map.MODEL_INNER);
  tied = load<i32>(map.MODEL, map.MODEL_TIED) != 0;
  valueHead = load<i32>(map.MODEL, map.MODEL_VALUE_HEAD) != 0;
  qkvBias = load<i32>(map.MODEL, map.MODEL_QKV_BIAS) != 0;
  headNorm = load<i32>(map.MODEL, map.MODEL_HEAD_NORM) != 0;
  eps = load<f32>(map.MODEL, map.MODEL_EPS);
  tileRows = load<i32>(map.MODEL, map.MODEL_TILE_ROWS);
  ropeTable = load<u32>(map.MODEL, map.MODEL_ROPE_TABLE);
  frozen = load<u32>(map.MODEL, map.MODEL_FROZEN);
  rank = load<i32>(map.MODEL, map.MODEL_RANK);
  adapterScale = load<f32>(map.MODEL, map.MODEL_ADAPTER_SCALE);
  sampledVocab = load<i32>(map.MODEL, map.MODEL_SAMPLED_VOCAB);
  qkvWidth = (heads + 2 * kvHeads) * headSize;
  attnWidth = heads * headSize;
}

@inline export function pad8(n: i32): i32 {
  return (n + 7) & ~7;
}

@inline export function minI(a: i32, b: i32): i32 {
  return a < b ? a : b;
}

/** A pointer of the current job's slot. */
@inline export function slotPointer(which: usize): usize {
  return load<u32>(map.SLOTS + (load<i32>(map.JOB, map.JOB_SLOT) as usize) * map.SLOT_BYTES + which) as usize;
}

// Byte offsets in a flat weight (or gradient) buffer, in the order of parameterLayout. Beside a frozen base, whose
// matrices lie elsewhere, the buffer has all else in the same order.

/** Floats of a matrix in the flat buffer. */
@inline function flat(floats: i32): i32 {
  return frozen != 0 ? 0 : floats;
}
@inline function layerFloats(): i32 {
  return 2 * hidden + flat(qkvWidth * hidden) + (qkvBias ? qkvWidth : 0) + (headNorm ? 2 * headSize : 0) + flat(hidden * attnWidth + 3 * inner * hidden);
}
@inline export function norm1Offset(layer: i32): usize {
  return ((flat(vocab * hidden) + layer * layerFloats()) as usize) << 2;
}
@inline export function qkvOffset(layer: i32): usize {
  return norm1Offset(layer) + ((hidden as usize) << 2);
}
/** Biases of queries, keys and values, where there are any. */
@inline export function biasOffset(layer: i32): usize {
  return qkvOffset(layer) + ((flat(qkvWidth * hidden) as usize) << 2);
}
/** Norms of the heads of queries, then of keys, where there are any. */
@inline export function headNormOffset(layer: i32): usize {
  return biasOffset(layer) + (((qkvBias ? qkvWidth : 0) as usize) << 2);
}
@inline export function attnOutOffset(layer: i32): usize {
  return headNormOffset(layer) + (((headNorm ? 2 * headSize : 0) as usize) << 2);
}
@inline export function norm2Offset(layer: i32): usize {
  return attnOutOffset(layer) + ((flat(hidden * attnWidth) as usize) << 2);
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
  return frozen != 0 ? 0 : finalNormOffset() + (((hidden + (tied ? 0 : vocab * hidden)) as usize) << 2);
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
// Beside a frozen base a slot's panels are its adapters': for each layer and projection (0 q, 1 k, 2 v, 3 attention output,
// 4 gate, 5 up, 6 down) A's, then B's.

/** Inputs and outputs of a projection. */
@inline export function partInputs(part: i32): i32 {
  return part == 3 ? attnWidth : part == 6 ? inner : hidden;
}
@inline export function partOut(part: i32): i32 {
  return part == 0 ? attnWidth : part < 3 ? kvHeads * headSize : part == 4 || part == 5 ? inner : hidden;
}
@inline function panelBytesOfA(part: i32): usize {
  return ((pad8(rank) * partInputs(part)) as usize) << 2;
}
@inline function panelBytesOfB(part: i32): usize {
  return ((pad8(partOut(part)) * rank) as usize) << 2;
}
function layerAdapterBytes(): usize {
  let bytes: usize = 0;
  for (let part = 0; part < 7; part++) bytes += panelBytesOfA(part) + panelBytesOfB(part);
  return bytes;
}
/** Byte offset of a projection's A, or of its B, in a slot's panels. */
export function adapterPanelOffset(layer: i32, part: i32, isB: bool): usize {
  let offset = layerAdapterBytes() * layer;
  for (let i = 0; i < part; i++) offset += panelBytesOfA(i) + panelBytesOfB(i);
  return isB ? offset + panelBytesOfA(part) : offset;
}

/** The value head's weights, which are trained even beside a frozen base. */
@inline export function valueHeadAt(): usize {
  return slotPointer(frozen != 0 ? map.SLOT_ADAPTERS : map.SLOT_WEIGHTS) + valueHeadOffset();
}
/** Where a norm's or bias's gradient goes; 0 where it stands still. */
@inline export function gradientAt(gradients: usize, offset: usize): usize {
  return frozen != 0 ? 0 : gradients + offset;
}
/** Bytes of all panels of a slot. */
export function panelBytesTotal(backward: bool): usize {
  if (frozen != 0) return backward ? 0 : layerAdapterBytes() * layers;
  return panelOffset(0, 4, backward) + panelBytes(4, backward);
}
