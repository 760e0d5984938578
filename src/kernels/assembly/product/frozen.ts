// Products with the matrices of a model: with packed panels where they are trained, and beside a frozen base with
// panels that are widened as they are used and with LoRA's adapters in the same pass (Hu et al. 2021): y = W x + s B A x.
import { adapterScale, frozen, matrixIn, matrixOut, minI, panelOffset, rank, slotPointer } from "../layout";
import { FROZEN_A, FROZEN_B, SLOT_ADAPTED, SLOT_ADAPTERS, SLOT_FORWARD_PANELS } from "../memoryMap";
import { FROZEN_BLOCK, FROZEN_COLUMNS, packA, widePanels } from "../scratch";
import { firstPart, backwardPanels, forwardPanel, partCount, partOut, projectionPart } from "./frozenParts";
import { accumulateStrided, matmul, matmulPacked, packBlock, panelProduct } from "./gemm";
import { packTransposed } from "./pack";

/** Bytes of a row of what adapters make of their inputs: seven projections' ranks. */
@inline function adaptedStride(): usize {
  return ((7 * rank) as usize) << 2;
}

/** Rows that are packed at once where a row has k floats. */
@inline export function frozenBlock(k: i32): i32 {
  return max(12, (FROZEN_BLOCK / (12 * k)) * 12);
}

/** y = W x for rows of a layer's matrix (kinds as in layout.ts); `adapted` is room for what its adapters make of x. */
export function linear(layer: i32, kind: i32, rows: i32, x: usize, y: usize, adapted: usize): void {
  const out = matrixOut(kind);
  const inputs = matrixIn(kind);
  if (frozen == 0) return matmulPacked(rows, out, inputs, x, slotPointer(SLOT_FORWARD_PANELS) + panelOffset(layer, kind, false), y, false);
  const isAdapted = slotPointer(SLOT_ADAPTED) != 0;
  const block = frozenBlock(inputs);
  const from = (inputs as usize) << 2;
  const to = (out as usize) << 2;
  for (let i = 0; i < rows; i += block) {
    const at = i as usize;
    const count = minI(rows - i, block);
    packBlock(x + at * from, from, count, inputs, packA);
    baseForward(layer, kind, count, inputs, y + at * to, to);
    if (isAdapted) adaptersForward(layer, kind, count, inputs, y + at * to, to, adapted + at * adaptedStride());
  }
}

/** The frozen matrix times the rows in packA. */
function baseForward(layer: i32, kind: i32, rows: i32, inputs: i32, y: usize, stride: usize): void {
  for (let p = firstPart(kind); p < firstPart(kind) + partCount(kind); p++) {
    const part = projectionPart(layer, p);
    const out = partOut(p);
    for (let j = 0; j < out; j += 8) {
      forwardPanel(part, j, minI(8, out - j), inputs, widePanels);
      panelProduct(packA, rows, inputs, widePanels, 32, y + ((j as usize) << 2), stride, out - j, false);
    }
    y += (out as usize) << 2;
  }
}

/** Adds s B A x; the rows of x are in packA, which is overwritten. Keeps s A x for the way back. */
function adaptersForward(layer: i32, kind: i32, rows: i32, inputs: i32, y: usize, stride: usize, adapted: usize): void {
  const weights = slotPointer(SLOT_ADAPTERS);
  const first = firstPart(kind);
  for (let p = first; p < first + partCount(kind); p++) {
    const a = load<i32>(projectionPart(layer, p), FROZEN_A);
    if (a < 0) continue;
    for (let j = 0; j < rank; j += 8) {
      packTransposed(weights + a + (j as usize) * ((inputs as usize) << 2), (inputs as usize) << 2, minI(8, rank - j), inputs, widePanels);
      panelProduct(packA, rows, inputs, widePanels, 32, adapted + ((p * rank + j) as usize) * 4, adaptedStride(), rank - j, false);
    }
    scaleRows(adapted + ((p * rank) as usize) * 4, rows, adaptedStride());
  }
  for (let p = first; p < first + partCount(kind); p++) {
    const b = load<i32>(projectionPart(layer, p), FROZEN_B);
    const out = partOut(p);
    if (b >= 0) {
      packBlock(adapted + ((p * rank) as usize) * 4, adaptedStride(), rows, rank, packA);
      for (let j = 0; j < out; j += 8) {
        packTransposed(weights + b + ((j * rank) as usize) * 4, (rank as usize) << 2, minI(8, out - j), rank, widePanels);
        panelProduct(packA, rows, rank, widePanels, 32, y + ((j as usize) << 2), stride, out - j, true);
      }
    }
    y += (out as usize) << 2;
  }
}

/** Multiplies `rank` floats of each row by the adapters' scale. */
function scaleRows(x: usize, rows: i32, stride: usize): void {
  for (let i = 0; i < rows; i++) {
    for (let r = 0; r < rank; r++) store<f32>(x + ((r as usize) << 2), load<f32>(x + ((r as usize) << 2)) * adapterScale);
    x += stride;
  }
}

/**
 * The way back through a matrix beside a frozen base: dx from dy where dx is not 0, and the adapters' gradients from x and
 * what they made of it. `room` holds three ranks a row.
 */
export function frozenBackward(layer: i32, kind: i32, rows: i32, dy: usize, dx: usize, x: usize, adapted: usize, room: usize, gradients: usize): void {
  const out = matrixOut(kind);
  const inputs = matrixIn(kind);
  const parts = partCount(kind);
  const stride = ((parts * rank) as usize) << 2;
  const isAdapted = slotPointer(SLOT_ADAPTED) != 0;
  if (isAdapted) adaptersBackward(layer, kind, rows, dy, x, adapted, room, stride, gradients);
  if (dx == 0) return;
  const block = frozenBlock(out);
  const from = (out as usize) << 2;
  const to = (inputs as usize) << 2;
  for (let i = 0; i < rows; i += block) {
    const at = i as usize;
    const count = minI(rows - i, block);
    packBlock(dy + at * from, from, count, out, packA);
    baseBackward(layer, kind, count, dx + at * to, to);
    if (isAdapted) adaptersToInput(layer, kind, count, dx + at * to, to, room + at * stride, stride);
  }
}

/** dx = dy W, with the rows of dy in packA. */
function baseBackward(layer: i32, kind: i32, rows: i32, dx: usize, stride: usize): void {
  const out = matrixOut(kind);
  const inputs = matrixIn(kind);
  const panelStep = (out as usize) << 5;
  for (let j = 0; j < inputs; j += FROZEN_COLUMNS) {
    let at = widePanels;
    for (let p = firstPart(kind); p < firstPart(kind) + partCount(kind); p++) {
      backwardPanels(projectionPart(layer, p), j, partOut(p), inputs, at, panelStep);
      at += (partOut(p) as usize) << 5;
    }
    at = widePanels;
    for (let column = j; column < minI(j + FROZEN_COLUMNS, inputs); column += 8) {
      panelProduct(packA, rows, out, at, 32, dx + ((column as usize) << 2), stride, inputs - column, false);
      at += panelStep;
    }
  }
}

/** v = s dy B of each part into `room`, dA += vᵀ x and dB += dyᵀ (s A x). */
function adaptersBackward(layer: i32, kind: i32, rows: i32, dy: usize, x: usize, adapted: usize, room: usize, stride: usize, gradients: usize): void {
  const weights = slotPointer(SLOT_ADAPTERS);
  const from = (matrixOut(kind) as usize) << 2;
  const inputs = matrixIn(kind);
  const rankBytes = (rank as usize) << 2;
  const first = firstPart(kind);
  for (let p = first; p < first + partCount(kind); p++) {
    const part = projectionPart(layer, p);
    const a = load<i32>(part, FROZEN_A);
    const b = load<i32>(part, FROZEN_B);
    const out = partOut(p);
    const v = room + ((p - first) as usize) * rankBytes;
    if (a < 0) {
      for (let i = 0; i < rows; i++) memory.fill(v + (i as usize) * stride, 0, rankBytes);
    } else {
      matmul(rows, rank, out, dy, from, weights + b, 32, rankBytes, v, stride, false);
      scaleRows(v, rows, stride);
      accumulateStrided(rank, inputs, rows, v, stride, x, (inputs as usize) << 2, gradients + a, (inputs as usize) << 2);
      accumulateStrided(out, rank, rows, dy, from, adapted + ((p * rank) as usize) * 4, adaptedStride(), gradients + b, rankBytes);
    }
    dy += (out as usize) << 2;
  }
}

/** dx += v A over all parts of a matrix. */
function adaptersToInput(layer: i32, kind: i32, rows: i32, dx: usize, stride: usize, v: usize, vStride: usize): void {
  const weights = slotPointer(SLOT_ADAPTERS);
  const inputs = matrixIn(kind);
  const first = firstPart(kind);
  const depth = partCount(kind) * rank;
  packBlock(v, vStride, rows, depth, packA);
  for (let j = 0; j < inputs; j += 8) {
    let to = widePanels;
    for (let p = first; p < first + partCount(kind); p++) {
      const a = load<i32>(projectionPart(layer, p), FROZEN_A);
      for (let r = 0; r < rank; r++) {
        // Its share is zero where a projection has no adapter: any finite numbers will do.
        const from = weights + (a < 0 ? 0 : a) + ((r * inputs + j) as usize) * 4;
        v128.store(to, a < 0 ? f32x4.splat(0) : v128.load(from));
        v128.store(to, a < 0 ? f32x4.splat(0) : v128.load(from, 16), 16);
        to += 32;
      }
    }
    panelProduct(packA, rows, depth, widePanels, 32, dx + ((j as usize) << 2), stride, inputs - j, true);
  }
}
