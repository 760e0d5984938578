// Token embedding: rows of the table, and the scatter of their gradients.
import { hidden } from "./layout";
import { addInto } from "./simd";

/** x[row] = table[token of row]. */
export function embed(rows: i32, tokens: usize, table: usize, x: usize): void {
  const width = (hidden as usize) << 2;
  for (let row = 0; row < rows; row++) {
    memory.copy(x + (row as usize) * width, table + (load<i32>(tokens + ((row as usize) << 2)) as usize) * width, width);
  }
}

/** dTable[token of row] += dx[row], in row order. */
export function embedBackward(rows: i32, tokens: usize, dx: usize, dTable: usize): void {
  const width = (hidden as usize) << 2;
  for (let row = 0; row < rows; row++) {
    addInto(dTable + (load<i32>(tokens + ((row as usize) << 2)) as usize) * width, dx + (row as usize) * width, hidden);
  }
}
