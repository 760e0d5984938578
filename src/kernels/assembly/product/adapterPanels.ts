// LoRA's adapters beside a frozen base as packed panels, made once for each version of them: of A by input, so that what they
// make of a row is a product like any other, and of B, of which each panel is used while the base's own is at hand (Hu et al. 2021).
import { adapterPanelOffset, adapterScale, layers, partInputs, partOut, rank, slotPointer } from "../layout";
import { FROZEN_A, FROZEN_B, SLOTS, SLOT_ADAPTERS, SLOT_BYTES, SLOT_FORWARD_PANELS } from "../memoryMap";
import { firstPart, partCount, projectionPart } from "./frozenParts";
import { packBlock, panelProduct } from "./gemm";
import { packTransposed } from "./pack";

/** Bytes of a row of what adapters make of their inputs: seven projections' ranks. */
@inline export function adaptedStride(): usize {
  return ((7 * rank) as usize) << 2;
}

/** Panels of a part's A, and of its B, of the current job's slot. */
@inline export function panelsOfA(layer: i32, part: i32): usize {
  return slotPointer(SLOT_FORWARD_PANELS) + adapterPanelOffset(layer, part, false);
}
@inline export function panelsOfB(layer: i32, part: i32): usize {
  return slotPointer(SLOT_FORWARD_PANELS) + adapterPanelOffset(layer, part, true);
}

/** Packs the adapters of a slot's matrix (kind as in layout.ts); there are none beside the head. */
export function packAdapters(slot: i32, layer: i32, kind: i32): void {
  if (layer == layers) return;
  const entry = SLOTS + (slot as usize) * SLOT_BYTES;
  const weights = load<u32>(entry, SLOT_ADAPTERS) as usize;
  const panels = load<u32>(entry, SLOT_FORWARD_PANELS) as usize;
  for (let p = firstPart(kind); p < firstPart(kind) + partCount(kind); p++) {
    const part = projectionPart(layer, p);
    const a = load<i32>(part, FROZEN_A);
    if (a < 0) continue;
    const inputs = partInputs(p);
    packTransposed(weights + a, (inputs as usize) << 2, rank, inputs, panels + adapterPanelOffset(layer, p, false));
    packTransposed(weights + load<i32>(part, FROZEN_B), (rank as usize) << 2, partOut(p), rank, panels + adapterPanelOffset(layer, p, true));
  }
}

/**
 * s A x of packed rows, for each part of a matrix: kept at `adapted` (rows of seven ranks) for the way back, and packed at
 * `tails`, `partStride` bytes from part to part, for B.
 */
export function adaptRows(layer: i32, kind: i32, rows: i32, packed: usize, adapted: usize, tails: usize, partStride: usize): void {
  for (let p = firstPart(kind); p < firstPart(kind) + partCount(kind); p++) {
    if (load<i32>(projectionPart(layer, p), FROZEN_A) >= 0) {
      const inputs = partInputs(p);
      const made = adapted + ((p * rank) as usize) * 4;
      let panel = panelsOfA(layer, p);
      for (let j = 0; j < rank; j += 8) {
        panelProduct(packed, rows, inputs, panel, 32, made + ((j as usize) << 2), adaptedStride(), rank - j, false);
        panel += (inputs as usize) << 5;
      }
      scaleRows(made, rows, adaptedStride());
      packBlock(made, adaptedStride(), rows, rank, tails);
    }
    tails += partStride;
  }
}

/** Multiplies `rank` floats of each row by the adapters' scale. */
export function scaleRows(x: usize, rows: i32, stride: usize): void {
  for (let i = 0; i < rows; i++) {
    for (let r = 0; r < rank; r++) store<f32>(x + ((r as usize) << 2), load<f32>(x + ((r as usize) << 2)) * adapterScale);
    x += stride;
  }
}
