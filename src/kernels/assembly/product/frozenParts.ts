// The parts of a frozen base as they are stored, and as panels for a product: widened just in time, since a panel serves
// so many rows that making it again costs less than keeping all of them in single precision.
import { frozen, layers, minI, tied } from "../layout";
import { FROZEN_ADDRESS, FROZEN_BYTES, FROZEN_LAYER_PARTS, FROZEN_TYPE } from "../memoryMap";
import { FROZEN_COLUMNS, wideRows } from "../scratch";
import { packTransposed } from "./pack";
import { bytePanel, nibblePanel } from "./blockPanel";
import { BLOCK, F32, Q4_0, Q4_1, Q8_0, storedBytes, widen } from "./widen";

/** Words of a layer's projection: 0 q, 1 k, 2 v, 3 attention output, 4 gate, 5 up, 6 down. */
@inline export function projectionPart(layer: i32, part: i32): usize {
  return frozen + ((layer * FROZEN_LAYER_PARTS + part) as usize) * FROZEN_BYTES;
}
@inline export function embeddingPart(): usize {
  return projectionPart(layers, 0);
}
@inline export function headPart(): usize {
  return projectionPart(layers, tied ? 0 : 1);
}

/** First of a matrix's parts (kinds as in layout.ts), and how many it has. */
@inline export function firstPart(kind: i32): i32 {
  return kind == 0 ? 0 : kind == 1 ? 3 : kind == 2 ? 4 : 6;
}
@inline export function partCount(kind: i32): i32 {
  return kind == 0 ? 3 : kind == 2 ? 2 : 1;
}
/** Writes `count` rows of a part with `inputs` columns as floats, from row `first`. */
export function widenPart(part: usize, first: i32, count: i32, inputs: i32, to: usize): void {
  const type = load<i32>(part, FROZEN_TYPE);
  const from = (load<u32>(part, FROZEN_ADDRESS) as usize) + (first as usize) * storedBytes(type, inputs);
  // Rows are whole blocks and lie one behind the other.
  widen(type, from, count * inputs, to);
}

/** A panel of the transpose: outputs [first, first + count) of a part, at most 8, as panel[k][c], zero past the last. */
export function forwardPanel(part: usize, first: i32, count: i32, inputs: i32, panel: usize): void {
  const type = load<i32>(part, FROZEN_TYPE);
  const step = storedBytes(type, inputs);
  const from = (load<u32>(part, FROZEN_ADDRESS) as usize) + (first as usize) * step;
  if (type == F32) return packTransposed(from, step, count, inputs, panel);
  if (count == 8) {
    const blocks = inputs / BLOCK;
    if (type == Q4_1) return nibblePanel(from, step, blocks, true, panel);
    if (type == Q4_0) return nibblePanel(from, step, blocks, false, panel);
    if (type == Q8_0) return bytePanel(from, step, blocks, panel);
  }
  widenPart(part, first, count, inputs, wideRows);
  packTransposed(wideRows, (inputs as usize) << 2, count, inputs, panel);
}

/**
 * Panels of a part itself: input columns [first, first + FROZEN_COLUMNS) of all its outputs, 8 columns a panel, which
 * are panelStep bytes apart; zero past the last column.
 */
export function backwardPanels(part: usize, first: i32, outputs: i32, inputs: i32, panels: usize, panelStep: usize): void {
  const type = load<i32>(part, FROZEN_TYPE);
  const rowBytes = storedBytes(type, inputs);
  const columns = minI(FROZEN_COLUMNS, inputs - first);
  let from = (load<u32>(part, FROZEN_ADDRESS) as usize) + storedBytes(type, first);
  memory.fill(wideRows, 0, FROZEN_COLUMNS << 2);
  for (let row = 0; row < outputs; row++) {
    widen(type, from, columns, wideRows);
    let to = panels + ((row as usize) << 5);
    for (let at: usize = 0; at < ((columns as usize) << 2); at += 32) {
      v128.store(to, v128.load(wideRows + at));
      v128.store(to, v128.load(wideRows + at, 16), 16);
      to += panelStep;
    }
    from += rowBytes;
  }
}
