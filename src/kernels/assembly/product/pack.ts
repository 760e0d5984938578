// Packs weights into panels of 8 columns, once for each version of the weights.
import { matrixIn, matrixOffset, matrixOut, minI, panelOffset } from "../layout";
import { SLOTS, SLOT_BACKWARD_PANELS, SLOT_BYTES, SLOT_FORWARD_PANELS, SLOT_WEIGHTS } from "../memoryMap";

/**
 * Panels of the transpose: w [out, inputs] row-major (rows ws bytes apart) becomes
 * panel[p][k][c] = w[8p + c][k], zero past the last output.
 */
export function packTransposed(w: usize, ws: usize, out: i32, inputs: i32, panels: usize): void {
  let to = panels;
  for (let j = 0; j < out; j += 8) {
    const from = w + (j as usize) * ws;
    if (j + 8 <= out) packEight(from, ws, inputs, to);
    else packSome(from, ws, out - j, inputs, to);
    to += (inputs as usize) << 5;
  }
}

/** One part of a panel whose 8 columns are lanes [lane, lane + count) filled from count rows. */
export function packLanes(from: usize, ws: usize, count: i32, inputs: i32, to: usize, lane: i32): void {
  for (let c = 0; c < count; c++) {
    let source = from + (c as usize) * ws;
    let target = to + (((lane + c) as usize) << 2);
    for (let k = 0; k < inputs; k++) {
      store<f32>(target, load<f32>(source));
      source += 4;
      target += 32;
    }
  }
}

function packSome(from: usize, ws: usize, count: i32, inputs: i32, to: usize): void {
  memory.fill(to, 0, (inputs as usize) << 5);
  packLanes(from, ws, count, inputs, to, 0);
}

@inline function transposeInto(r0: v128, r1: v128, r2: v128, r3: v128, to: usize): void {
  const a = i32x4.shuffle(r0, r1, 0, 4, 1, 5);
  const b = i32x4.shuffle(r2, r3, 0, 4, 1, 5);
  const c = i32x4.shuffle(r0, r1, 2, 6, 3, 7);
  const d = i32x4.shuffle(r2, r3, 2, 6, 3, 7);
  v128.store(to, i64x2.shuffle(a, b, 0, 2));
  v128.store(to, i64x2.shuffle(a, b, 1, 3), 32);
  v128.store(to, i64x2.shuffle(c, d, 0, 2), 64);
  v128.store(to, i64x2.shuffle(c, d, 1, 3), 96);
}

/** A full panel from 8 rows. */
export function packEight(from: usize, ws: usize, inputs: i32, to: usize): void {
  const f4 = from + 4 * ws;
  let k = 0;
  for (; k + 4 <= inputs; k += 4) {
    const at = (k as usize) << 2;
    const target = to + ((k as usize) << 5);
    transposeInto(v128.load(from + at), v128.load(from + ws + at), v128.load(from + 2 * ws + at), v128.load(from + 3 * ws + at), target);
    transposeInto(v128.load(f4 + at), v128.load(f4 + ws + at), v128.load(f4 + 2 * ws + at), v128.load(f4 + 3 * ws + at), target + 16);
  }
  if (k < inputs) packLanes(from + ((k as usize) << 2), ws, 8, inputs - k, to + ((k as usize) << 5), 0);
}

/** Panels of w itself: panel[p][k][c] = w[k][8p + c], zero past the last column. */
function packPlain(w: usize, rows: i32, columns: i32, panels: usize): void {
  const ws = (columns as usize) << 2;
  let to = panels;
  for (let j = 0; j < columns; j += 8) {
    const count = minI(8, columns - j);
    let from = w + ((j as usize) << 2);
    for (let k = 0; k < rows; k++) {
      if (count == 8) {
        v128.store(to, v128.load(from));
        v128.store(to, v128.load(from, 16), 16);
      } else {
        for (let c = 0; c < 8; c++) store<f32>(to + ((c as usize) << 2), c < count ? load<f32>(from + ((c as usize) << 2)) : 0);
      }
      to += 32;
      from += ws;
    }
  }
}

/** Packs one matrix of a slot (kind as in layout.ts). */
export function packMatrix(slot: i32, layer: i32, kind: i32, backward: bool): void {
  const entry = SLOTS + (slot as usize) * SLOT_BYTES;
  const w = (load<u32>(entry, SLOT_WEIGHTS) as usize) + matrixOffset(layer, kind);
  const panels = (load<u32>(entry + (backward ? SLOT_BACKWARD_PANELS : SLOT_FORWARD_PANELS)) as usize) + panelOffset(layer, kind, backward);
  const out = matrixOut(kind);
  const inputs = matrixIn(kind);
  if (backward) packPlain(w, out, inputs, panels);
  else packTransposed(w, (inputs as usize) << 2, out, inputs, panels);
}
