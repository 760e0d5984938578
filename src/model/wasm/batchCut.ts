// Cuts a packed batch into micro-batches (what is kept in memory at once) and each of them into partitions (what
// one thread computes), always between units, and never depending on how many threads there are.
import type { PackedBatch, UnitRange } from "../backend.ts";

export function unitRows(batch: PackedBatch): Int32Array {
  const units = batch.unitSegment_U.length - 1;
  const rows_U = new Int32Array(Math.max(units, 0));
  for (let unit = 0; unit < units; unit++) {
    for (let s = batch.unitSegment_U[unit]!; s < batch.unitSegment_U[unit + 1]!; s++) rows_U[unit]! += batch.segmentLength_S[s]!;
  }
  return rows_U;
}

/** Runs of whole units of at most maxRows rows each; a larger unit is a micro-batch of its own. */
export function cutMicroBatches(rows_U: Int32Array, maxRows: number): readonly UnitRange[] {
  const batches: UnitRange[] = [];
  let first = 0;
  let rows = 0;
  for (let unit = 0; unit < rows_U.length; unit++) {
    if (unit > first && rows + rows_U[unit]! > maxRows) {
      batches.push({ first, last: unit });
      first = unit;
      rows = 0;
    }
    rows += rows_U[unit]!;
  }
  if (first < rows_U.length) batches.push({ first, last: rows_U.length });
  return batches;
}

/** At most `parts` runs of whole units with about equal numbers of rows; none is empty. */
export function cutParts(rows_U: Int32Array, range: UnitRange, parts: number): readonly UnitRange[] {
  let total = 0;
  for (let unit = range.first; unit < range.last; unit++) total += rows_U[unit]!;
  const cut: UnitRange[] = [];
  let first = range.first;
  let reached = 0;
  for (let unit = range.first; unit < range.last; unit++) {
    reached += rows_U[unit]!;
    // Half a row of slack: equal units must not be cut apart by rounding.
    if (reached >= (total * (cut.length + 1)) / parts - 0.5 || unit + 1 === range.last) {
      cut.push({ first, last: unit + 1 });
      first = unit + 1;
    }
  }
  return cut;
}
