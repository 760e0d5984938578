// Transformer blocks of one partition, forward and back. With layerStride 0 every layer reuses the
// first one's activations, which is enough to score and to prefill.
import { attendSegment } from "./attention";
import { attendSegmentBackward } from "./attentionBackward";
import { embed, embedBackward } from "./head";
import { accumulateOuter, matmulPacked } from "../product/gemm";
import { finishHeads, finishHeadsBackward } from "./headVectors";
import { headBackward, headForward, finalNormRows, slotPointer } from "./head";
import { attnOutOffset, attnWidth, downOffset, gateUpOffset, heads, hidden, inner, kvHeads, layers, norm1Offset, norm2Offset, panelOffset, qkvOffset, qkvWidth } from "../layout";
import { SLOT_BACKWARD_PANELS, SLOT_FORWARD_PANELS, SLOT_WEIGHTS } from "../memoryMap";
import { actAttention, actGateUp, actHeadInverse, actInner, actInverse1, actInverse2, actLogSum, actNorm1, actNorm2, actPlainQk, actQkv, actX, actX2, dNarrow, dWide, dX, firstPrompt, gradients, layerStride, positions, readPartition, rows, segmentTable, segments, tokenIds } from "../partition";
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

function layerForward(layer: i32): void {
  const shift = (layer as usize) * layerStride;
  const w = slotPointer(SLOT_WEIGHTS);
  const panels = slotPointer(SLOT_FORWARD_PANELS);
  rmsNorm(rows, hidden, actX + shift, w + norm1Offset(layer), actNorm1 + shift, actInverse1 + shift);
  matmulPacked(rows, qkvWidth, hidden, actNorm1 + shift, panels + panelOffset(layer, 0, false), actQkv + shift, false);
  finishHeads(layer, rows, w, actQkv + shift, actPlainQk + shift, actHeadInverse + shift);
  rope(rows, actQkv + shift, (qkvWidth as usize) << 2, heads + kvHeads, positions, 1);
  if (firstPrompt >= 0) storePromptLayer(layer, actQkv + shift);
  attendAll(shift);
  matmulPacked(rows, hidden, attnWidth, actAttention + shift, panels + panelOffset(layer, 1, false), actX2 + shift, false);
  addInto(actX2 + shift, actX + shift, rows * hidden);
  rmsNorm(rows, hidden, actX2 + shift, w + norm2Offset(layer), actNorm2 + shift, actInverse2 + shift);
  matmulPacked(rows, 2 * inner, hidden, actNorm2 + shift, panels + panelOffset(layer, 2, false), actGateUp + shift, false);
  swiglu(rows, inner, actGateUp + shift, actInner + shift);
  const next = actX + shift + layerStride;
  matmulPacked(rows, hidden, inner, actInner + shift, panels + panelOffset(layer, 3, false), next, false);
  addInto(next, actX2 + shift, rows * hidden);
}

/** Forward pass of a partition, to the scores of its tokens, or to its prompts' caches. */
export function forwardPartition(index: i32): void {
  readPartition(index);
  embed(rows, tokenIds, slotPointer(SLOT_WEIGHTS), actX);
  for (let layer = 0; layer < layers; layer++) layerForward(layer);
  if (firstPrompt >= 0) {
    finalNormRows();
    storePromptHidden();
  } else {
    headForward();
  }
}

function feedForwardBackward(layer: i32, shift: usize): void {
  const panels = slotPointer(SLOT_BACKWARD_PANELS);
  matmulPacked(rows, inner, hidden, dX, panels + panelOffset(layer, 3, true), dNarrow, false);
  accumulateOuter(hidden, inner, rows, dX, actInner + shift, gradients + downOffset(layer));
  swigluBackward(rows, inner, actGateUp + shift, dNarrow, dWide);
  matmulPacked(rows, hidden, 2 * inner, dWide, panels + panelOffset(layer, 2, true), dNarrow, false);
  accumulateOuter(2 * inner, hidden, rows, dWide, actNorm2 + shift, gradients + gateUpOffset(layer));
  rmsNormBackward(rows, hidden, actX2 + shift, slotPointer(SLOT_WEIGHTS) + norm2Offset(layer), actInverse2 + shift, dNarrow, dX, gradients + norm2Offset(layer));
}

function attentionBackward(layer: i32, shift: usize): void {
  const panels = slotPointer(SLOT_BACKWARD_PANELS);
  matmulPacked(rows, attnWidth, hidden, dX, panels + panelOffset(layer, 1, true), dNarrow, false);
  accumulateOuter(hidden, attnWidth, rows, dX, actAttention + shift, gradients + attnOutOffset(layer));
  memory.fill(dWide, 0, ((rows * qkvWidth) as usize) << 2);
  for (let s = 0; s < segments; s++) {
    const entry = segmentTable + ((s as usize) << 4);
    attendSegmentBackward(actQkv + shift, actAttention + shift, actLogSum + shift, dNarrow, dWide, load<i32>(entry), load<i32>(entry, 4), load<i32>(entry, 8), load<i32>(entry, 12));
  }
  rope(rows, dWide, (qkvWidth as usize) << 2, heads + kvHeads, positions, -1);
  // What came in through dNarrow is spread, so that it has room for a row.
  finishHeadsBackward(layer, rows, slotPointer(SLOT_WEIGHTS), actPlainQk + shift, actHeadInverse + shift, dWide, dNarrow, gradients);
  matmulPacked(rows, hidden, qkvWidth, dWide, panels + panelOffset(layer, 0, true), dNarrow, false);
  accumulateOuter(qkvWidth, hidden, rows, dWide, actNorm1 + shift, gradients + qkvOffset(layer));
  rmsNormBackward(rows, hidden, actX + shift, slotPointer(SLOT_WEIGHTS) + norm1Offset(layer), actInverse1 + shift, dNarrow, dX, gradients + norm1Offset(layer));
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
  embedBackward(rows, tokenIds, dX, gradients);
}
