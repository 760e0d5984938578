// Products with the matrices of a model: with packed panels where they are trained, and beside a frozen base with
// panels that are widened as they are used and with LoRA's adapters in the same pass (Hu et al. 2021): y = W x + s B A x.
import { frozen, matrixIn, matrixOut, minI, panelOffset, partInputs, partOut, rank, slotPointer } from "../layout";
import { FROZEN_A, FROZEN_B, SLOT_ADAPTED, SLOT_ADAPTERS, SLOT_FORWARD_PANELS } from "../memoryMap";
import { FROZEN_COLUMNS, adapterTails, frozenBlock, packA, widePanels } from "../scratch";
import { adaptRows, adaptedStride, panelsOfB, scaleRows } from "./adapterPanels";
import { firstPart, backwardPanels, forwardPanel, partCount, projectionPart } from "./frozenParts";
import { accumulateStrided, matmul, matmulPacked, packBlock, panelProduct } from "./gemm";

/** y = W x for rows of a layer's matrix (kinds as in layout.ts); `adapted` is room for what its adapters make of x. */
export function linear(layer: i32, kind: i32, rows: i32, x: usize, y: usize, adapted: usize): void {
  const out = matrixOut(kind);
  const inputs = matrixIn(kind);
  if (frozen == 0) return matmulPacked(rows, out, inputs, x, slotPointer(SLOT_FORWARD_PANELS) + panelOffset(layer, kind, false), y, false);
  const isAdapted = slotPointer(SLOT_ADAPTED) != 0;
  const block = frozenBlock(inputs);
  const partStride = ((block * rank) as usize) << 2;
  const from = (inputs as usize) << 2;
  const to = (out as usize) << 2;
  for (let i = 0; i < rows; i += block) {
    const at = i as usize;
    const count = minI(rows - i, block);
    packBlock(x + at * from, from, count, inputs, packA);
    if (isAdapted) adaptRows(layer, kind, count, packA, adapted + at * adaptedStride(), adapterTails, partStride);
    let first = 0;
    for (let p = firstPart(kind); p < firstPart(kind) + partCount(kind); p++) {
      const tails = adapterTails + ((p - firstPart(kind)) as usize) * partStride;
      outputsOf(layer, p, 0, partOut(p), count, packA, tails, isAdapted, y + at * to + ((first as usize) << 2), to);
      first += partOut(p);
    }
  }
}

/** Outputs [first, end) of a projection for packed rows and what its adapters made of them: W x + B (s A x), output 0 at c. */
export function outputsOf(layer: i32, p: i32, first: i32, end: i32, rows: i32, packed: usize, tails: usize, isAdapted: bool, c: usize, stride: usize): void {
  const part = projectionPart(layer, p);
  const inputs = partInputs(p);
  const b = isAdapted && load<i32>(part, FROZEN_B) >= 0 ? panelsOfB(layer, p) : 0;
  for (let j = first; j < end; j += 8) {
    const at = (j as usize) << 2;
    forwardPanel(part, j, minI(8, partOut(p) - j), inputs, widePanels);
    panelProduct(packed, rows, inputs, widePanels, 32, c + at, stride, partOut(p) - j, false);
    if (b != 0) panelProduct(tails, rows, rank, b + at * (rank as usize), 32, c + at, stride, partOut(p) - j, true);
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
