// Tiled matrix multiply from which the projections and their gradients are made. 16 x 16 threads;
// each keeps rows x columns / 256 sums in registers and reads both operands from workgroup memory,
// 16 apart, so that neighbouring threads touch neighbouring banks and store neighbouring columns.
// Operands are expressions, so that a norm, a gather or a transpose costs no dispatch of its own.
import type { Kernel, KernelBuffer } from "./kernel.ts";

export interface Tile {
  /** Rows and columns of the result per workgroup (multiples of 16; columns of 32 where pairs are made) and terms per round. */
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
}

/** For thousands of rows. */
export const wideTile: Tile = { rows: 64, columns: 64, depth: 16 };
/** For small results, which need many workgroups more than they need reuse. */
export const smallTile: Tile = { rows: 32, columns: 32, depth: 32 };
/** For decoding: a row for each live sequence. */
export const decodeTile: Tile = { rows: 16, columns: 32, depth: 32 };

export interface GemmSpec {
  readonly label: string;
  readonly buffers: readonly KernelBuffer[];
  readonly offsets: readonly string[];
  readonly tile: Tile;
  /** WGSL expressions, uniform over a workgroup. */
  readonly rows: string;
  readonly columns: string;
  readonly depth: string;
  /** Element (m, k) of the left operand and (k, n) of the right, as expressions in those names. */
  readonly left: string;
  readonly right: string;
  /** Which index runs through memory; k where left out. */
  readonly leftContiguous?: "m" | "k";
  readonly rightContiguous?: "k" | "n";
  /** Column n of half 0 or 1 of pair p; with it, `store(m, p, first, second)` takes both halves at once. */
  readonly pairColumn?: string;
  /** Sum of squares of each left row is taken; `rowSquares(m)` is defined when `store` runs. */
  readonly rowSquares?: boolean;
  /** `fn store(m: u32, n: u32, value: f32)`, or with pairs `fn store(m: u32, p: u32, first: f32, second: f32)`; may read `part`. */
  readonly store: string;
  /** Further declarations. */
  readonly declarations?: string;
}

/** Workgroups in x, y for a result of rows x columns. */
export function gemmGrid(tile: Tile, rows: number, columns: number): readonly [number, number] {
  return [Math.ceil(columns / tile.columns), Math.ceil(rows / tile.rows)];
}

/**
 * The inner product over a tile. Loops of constant length over small arrays: every driver unrolls them
 * into registers, and a software adapter compiles them quickly.
 */
function innerProduct({ rows, columns, depth }: Tile): string {
  const tm = rows / 16;
  const tn = columns / 16;
  return `for (var kk = 0u; kk < ${depth}u; kk++) {
      var b: array<f32, ${tn}>;
      for (var j = 0u; j < ${tn}u; j++) { b[j] = right_tile[kk * ${columns + 1}u + tx + 16u * j]; }
      for (var i = 0u; i < ${tm}u; i++) {
        let a = left_tile[kk * ${rows + 1}u + ty + 16u * i];
        for (var j = 0u; j < ${tn}u; j++) { acc[i * ${tn}u + j] = fma(a, b[j], acc[i * ${tn}u + j]); }
      }
    }`;
}

/** Where thread-local sums go: single columns, or pairs of neighbouring register columns. */
function storeLoops(spec: GemmSpec): string {
  const { tile } = spec;
  const tn = tile.columns / 16;
  const single = `for (var j = 0u; j < ${tn}u; j++) {
      let n = n0 + tx + 16u * j;
      if (m < rows && n < columns) { store(m, n, acc[i * ${tn}u + j]); }
    }`;
  const paired = `for (var j = 0u; j < ${tn / 2}u; j++) {
      let p = n0 / 2u + tx + 16u * j;
      if (m < rows && p < columns / 2u) { store(m, p, acc[i * ${tn}u + 2u * j], acc[i * ${tn}u + 2u * j + 1u]); }
    }`;
  return `for (var i = 0u; i < ${tile.rows / 16}u; i++) {
    let m = m0 + ty + 16u * i;
    ${spec.pairColumn === undefined ? single : paired}
  }`;
}

/** Index arithmetic of a tile load by 256 threads, the contiguous index fastest. */
function loadIndices(fastest: string, fast: number, slow: string): string {
  return `let ${fastest} = i % ${fast}u; let ${slow} = i / ${fast}u;`;
}

/** Element n of local column c of the tile, and whether it exists. */
function columnOf(spec: GemmSpec): string {
  if (spec.pairColumn === undefined) return "let n = n0 + c; let inside = n < columns;";
  return `let p = n0 / 2u + (c / 32u) * 16u + c % 16u; let half = (c / 16u) % 2u;
      let inside = p < columns / 2u; let n = ${spec.pairColumn};`;
}

/**
 * A kernel for C[rows, columns] = left x right with dispatch (columns tiles, rows tiles, parts of
 * depth); with several parts, each sums its share of k and `store` sees which in `part`.
 */
export function gemmKernel(spec: GemmSpec): Kernel {
  const { tile } = spec;
  const squares = spec.rowSquares ?? false;
  const code = `
var<workgroup> left_tile: array<f32, ${(tile.rows + 1) * tile.depth}>;
var<workgroup> right_tile: array<f32, ${(tile.columns + 1) * tile.depth}>;
var<private> part: u32;
var<private> first_column: bool;
${squares ? `var<workgroup> row_squares: array<f32, ${tile.rows}>;\nfn rowSquares(m: u32) -> f32 { return row_squares[m % ${tile.rows}u]; }` : ""}
${spec.declarations ?? ""}
fn left(m: u32, k: u32) -> f32 { return ${spec.left}; }
fn right(k: u32, n: u32) -> f32 { return ${spec.right}; }
${spec.store}
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lid: u32) {
  let rows = ${spec.rows};
  let columns = ${spec.columns};
  let share = (${spec.depth} + groups.z - 1u) / groups.z;
  let k_first = group.z * share;
  let k_end = min(${spec.depth}, k_first + share);
  part = group.z;
  let m0 = group.y * ${tile.rows}u;
  let n0 = group.x * ${tile.columns}u;
  first_column = group.x == 0u;
  let tx = lid % 16u;
  let ty = lid / 16u;
  var acc: array<f32, ${(tile.rows / 16) * (tile.columns / 16)}>;
  ${squares ? "var squares = 0f;" : ""}
  for (var k0 = k_first; k0 < k_end; k0 += ${tile.depth}u) {
    for (var i = lid; i < ${tile.rows * tile.depth}u; i += 256u) {
      ${spec.leftContiguous === "m" ? loadIndices("r", tile.rows, "kk") : loadIndices("kk", tile.depth, "r")}
      var value = 0f;
      if (m0 + r < rows && k0 + kk < k_end) { value = left(m0 + r, k0 + kk); }
      left_tile[kk * ${tile.rows + 1}u + r] = value;
    }
    for (var i = lid; i < ${tile.columns * tile.depth}u; i += 256u) {
      ${spec.rightContiguous === "n" ? loadIndices("c", tile.columns, "kk") : loadIndices("kk", tile.depth, "c")}
      ${columnOf(spec)}
      var value = 0f;
      if (inside && k0 + kk < k_end) { value = right(k0 + kk, n); }
      right_tile[kk * ${tile.columns + 1}u + c] = value;
    }
    workgroupBarrier();
    ${squares ? `if (lid < ${tile.rows}u) { for (var kk = 0u; kk < ${tile.depth}u; kk++) { let a = left_tile[kk * ${tile.rows + 1}u + lid]; squares = fma(a, a, squares); } }` : ""}
    ${innerProduct(tile)}
    workgroupBarrier();
  }
  ${squares ? `if (lid < ${tile.rows}u) { row_squares[lid] = squares; }\n  workgroupBarrier();` : ""}
  ${storeLoops(spec)}
}
`;
  return { label: spec.label, buffers: spec.buffers, offsets: spec.offsets, code };
}
