// Transformer blocks of one partition, forward and back. With layerStride 0 every layer reuses the
// first one's activations, which is enough to score and to prefill.
import { attendSegment } from "./attention";
import { attendSegmentBackward } from "./attentionBackward";
import { embed, embedBackward } from "./head";
import { accumulateOuter, matmulPacked } from "../product/gemm";
import { frozenBackward, linear } from "../product/frozen";
import { finishHeads, finishHeadsBackward } from "./headVectors";
import { headBackward, headForward, finalNormRows } from "./head";
import { frozen, gradientAt, heads, hidden, inner, kvHeads, layers, matrixIn, matrixOffset, matrixOut, norm1Offset, norm2Offset, panelOffset, qkvWidth, slotPointer } from "../layout";
import { SLOT_BACKWARD_PANELS, SLOT_WEIGHTS } from "../memoryMap";
import { actAdapted, actAttention, actGateUp, actHeadInverse, actInner, actInverse1, actInverse2, actLogSum, actNorm1, actNorm2, actPlainQk, actQkv, actX, actX2, dAdapted, dNarrow, dWide, dX, firstPrompt, gradients, layerStride, positions, readPartition, rows, segmentTable, segments, tokenIds } from "../partition";
import { storePromptLayer, storePromptHidden } from "../decode/caches";
import { rmsNorm, rmsNormBackward } from "./rmsnorm";
import { rope } from "./rope";
import { addInto } from "../simd";
import { swiglu, swigluBackward } from "./swiglu";

function attendAll(shift: usize): void {
  for (let s = 0; s < segments; s++) {
    const entry = segmentTable + ((s as usize) << 4);
    attendSegment(actQkv + shift, actAttention + shift, actLogSum + shift, load<i32>(entry), load<i32>(entry, 4), load<i32>(entry, 8), load<i32>(entry, 12));
  }
}

/**
 * Where a layer keeps what the way back can make again from what it has: norms and the gated product. Beside a frozen base
 * all layers share one place, since memory there is dearer than the few operations.
 */
@inline function remade(shift: usize): usize {
  return frozen != 0 ? 0 : shift;
}
/** Room for what a layer's adapters make of their inputs: it lies beside the layer's other activations. */
@inline function adaptedAt(shift: usize): usize {
  return actAdapted + shift;
}

function layerForward(layer: i32): void {
  const shift = (layer as usize) * layerStride;
  const w = slotPointer(SLOT_WEIGHTS);
  const norm1 = actNorm1 + remade(shift);
  const norm2 = actNorm2 + remade(shift);
  const gated = actInner + remade(shift);
  rmsNorm(rows, hidden, actX + shift, w + norm1Offset(layer), norm1, actInverse1 + shift);
  linear(layer, 0, rows, norm1, actQkv + shift, adaptedAt(shift));
  finishHeads(layer, rows, w, actQkv + shift, actPlainQk + shift, actHeadInverse + shift);
  rope(rows, actQkv + shift, (qkvWidth as usize) << 2, heads + kvHeads, positions, 1);
  if (firstPrompt >= 0) storePromptLayer(layer, actQkv + shift);
  attendAll(shift);
  linear(layer, 1, rows, actAttention + shift, actX2 + shift, adaptedAt(shift));
  addInto(actX2 + shift, actX + shift, rows * hidden);
  rmsNorm(rows, hidden, actX2 + shift, w + norm2Offset(layer), norm2, actInverse2 + shift);
  linear(layer, 2, rows, norm2, actGateUp + shift, adaptedAt(shift));
  swiglu(rows, inner, actGateUp + shift, gated);
  const next = actX + shift + layerStride;
  linear(layer, 3, rows, gated, next, adaptedAt(shift));
  addInto(next, actX2 + shift, rows * hidden);
}

/** Forward pass of a partition, to the scores of its tokens, or to its prompts' caches. */
export function forwardPartition(index: i32): void {
  readPartition(index);
  embed(rows, tokenIds, actX);
  for (let layer = 0; layer < layers; layer++) layerForward(layer);
  if (firstPrompt >= 0) {
    finalNormRows();
    storePromptHidden();
  } else {
    headForward();
  }
}

/** The way back through a layer's matrix: dx from dy, and the gradient of the weights, or of its adapters, from its input x. */
function linearBackward(layer: i32, kind: i32, dy: usize, dx: usize, x: usize, shift: usize): void {
  if (frozen != 0) return frozenBackward(layer, kind, rows, dy, dx, x, adaptedAt(shift), dAdapted, gradients);
  const out = matrixOut(kind);
  const inputs = matrixIn(kind);
  matmulPacked(rows, inputs, out, dy, slotPointer(SLOT_BACKWARD_PANELS) + panelOffset(layer, kind, true), dx, false);
  accumulateOuter(out, inputs, rows, dy, x, gradients + matrixOffset(layer, kind));
}

function feedForwardBackward(layer: i32, shift: usize): void {
  const w = slotPointer(SLOT_WEIGHTS) + norm2Offset(layer);
  const norm2 = actNorm2 + remade(shift);
  const gated = actInner + remade(shift);
  if (frozen != 0) swiglu(rows, inner, actGateUp + shift, gated);
  linearBackward(layer, 3, dX, dNarrow, gated, shift);
  swigluBackward(rows, inner, actGateUp + shift, dNarrow, dWide);
  if (frozen != 0) rmsNorm(rows, hidden, actX2 + shift, w, norm2, actInverse2 + shift);
  linearBackward(layer, 2, dWide, dNarrow, norm2, shift);
  rmsNormBackward(rows, hidden, actX2 + shift, w, actInverse2 + shift, dNarrow, dX, gradientAt(gradients, norm2Offset(layer)));
}

function attentionBackward(layer: i32, shift: usize): void {
  const w = slotPointer(SLOT_WEIGHTS);
  const norm1 = actNorm1 + remade(shift);
  linearBackward(layer, 1, dX, dNarrow, actAttention + shift, shift);
  memory.fill(dWide, 0, ((rows * qkvWidth) as usize) << 2);
  for (let s = 0; s < segments; s++) {
    const entry = segmentTable + ((s as usize) << 4);
    attendSegmentBackward(actQkv + shift, actAttention + shift, actLogSum + shift, dNarrow, dWide, load<i32>(entry), load<i32>(entry, 4), load<i32>(entry, 8), load<i32>(entry, 12));
  }
  rope(rows, dWide, (qkvWidth as usize) << 2, heads + kvHeads, positions, -1);
  // What came in through dNarrow is spread, so that it has room for a row.
  finishHeadsBackward(layer, rows, w, actPlainQk + shift, actHeadInverse + shift, dWide, dNarrow, gradients);
  if (frozen != 0) rmsNorm(rows, hidden, actX + shift, w + norm1Offset(layer), norm1, actInverse1 + shift);
  // Below the first layer nothing is trained beside a frozen base.
  const isLast = frozen != 0 && layer == 0;
  linearBackward(layer, 0, dWide, isLast ? 0 : dNarrow, norm1, shift);
  if (isLast) return;
  rmsNormBackward(rows, hidden, actX + shift, w + norm1Offset(layer), actInverse1 + shift, dNarrow, dX, gradientAt(gradients, norm1Offset(layer)));
}

/** Backward pass of a partition whose forward activations and token gradients are in place. */
export function backwardPartition(index: i32): void {
  readPartition(index);
  headBackward();
  for (let layer = layers - 1; layer >= 0; layer--) {
    const shift = (layer as usize) * layerStride;
    feedForwardBackward(layer, shift);
    attentionBackward(layer, shift);
  }
  if (frozen == 0) embedBackward(rows, tokenIds, dX, gradients);
}
