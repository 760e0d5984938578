// The projections of a layer, each one dispatch with what comes before and after it: RMSNorm, q, k and v,
// RoPE (rotate-half, Su et al. 2021) and the write of keys and values to their rows of the cache; y = residual + a W^T,
// the attention output and the second feed-forward matrix; RMSNorm, gate and up and SwiGLU (Shazeer 2020).
// q, k and v are neighbours in the flat weights and so one matrix, as are gate and up. The two halves of a
// rotated pair, and gate[f] and up[f], are made by the same thread.

import type { ModelShape } from "../modelSizes.ts";
import { type GemmSpec, gemmKernel, type Tile } from "./gemm.ts";
import { type Kernel, read, write } from "./kernel.ts";

/** WGSL: column of half 0 or 1 of pair p, where pairs are (i, i + headSize / 2) of one head. */
export function headPairColumn(headSize: number): string {
  return `(p / ${headSize / 2}u) * ${headSize}u + half * ${headSize / 2}u + p % ${headSize / 2}u`;
}

/** WGSL: puts the pair p of row m, `given`, where it belongs: queries, and keys and values in their rows of the cache, turned. */
export function storedHeadPair({ Q, KV, headSize }: Pick<ModelShape, "Q" | "KV" | "headSize">, given: string): string {
  const half = headSize / 2;
  return `
  let runs = row_info[2u * m];
  let i = p % ${half}u;
  let column = (p / ${half}u) * ${headSize}u + i;
  var pair = ${given};
  if (column < ${Q + KV}u) {
    let turn = rope[(runs.y + runs.w - 1u) * ${half}u + i];
    pair = vec2f(pair.x * turn.x - pair.y * turn.y, pair.y * turn.x + pair.x * turn.y);
  }
  if (column < ${Q}u) {
    q[m * ${Q}u + column] = pair.x;
    q[m * ${Q}u + column + ${half}u] = pair.y;
  } else {
    let at = (runs.z + runs.w - 1u) * ${2 * KV}u + column - ${Q}u;
    kv[at] = pair.x;
    kv[at + ${half}u] = pair.y;
  }`;
}

/** A projection of RMSNorm(x) to pairs of columns; keeps 1 / rms of each row, which is `scale` in the body of its store(m, p, first, second). */
function normedProjection(
  { D, eps }: ModelShape,
  tile: Tile,
  { store, ...spec }: Pick<GemmSpec, "label" | "buffers" | "columns" | "pairColumn" | "store">,
): Kernel {
  return gemmKernel({
    ...spec,
    offsets: ["norm", "matrix"],
    tile,
    rows: "call.rows",
    depth: `${D}u`,
    left: `x[m * ${D}u + k]`,
    right: `weights[op.matrix + n * ${D}u + k] * weights[op.norm + k]`,
    rowSquares: true,
    store: `fn store(m: u32, p: u32, first: f32, second: f32) {
  let scale = inverseSqrt(rowSquares(m) / ${D}f + ${eps});
  if (first_column && p == 0u) { inverse_rms[m] = scale; }${store}
}`,
  });
}

/** q_NQ, kv_(row)(K V), and 1 / rms of each row of x for the gradient. `rope` is (cos, sin) [position, headSize / 2]. */
export function qkvKernel(shape: ModelShape, tile: Tile): Kernel {
  const { Q, KV, headSize } = shape;
  return normedProjection(shape, tile, {
    label: "qkv",
    buffers: [
      read("weights"),
      read("x"),
      read("row_info", "array<vec4u>"),
      read("rope", "array<vec2f>"),
      write("q"),
      write("kv"),
      write("inverse_rms"),
    ],
    columns: `${Q + 2 * KV}u`,
    pairColumn: headPairColumn(headSize),
    store: storedHeadPair(shape, "vec2f(first, second) * scale"),
  });
}

/** W is [op.outputs, op.inputs] at op.matrix; y may not be the residual's buffer. */
export function residualProjectionKernel(tile: Tile): Kernel {
  return gemmKernel({
    label: "residual projection",
    buffers: [read("weights"), read("a"), read("residual"), write("y")],
    offsets: ["matrix", "inputs", "outputs"],
    tile,
    rows: "call.rows",
    columns: "op.outputs",
    depth: "op.inputs",
    left: `a[m * op.inputs + k]`,
    right: `weights[op.matrix + n * op.inputs + k]`,
    store: `fn store(m: u32, n: u32, value: f32) { y[m * op.outputs + n] = residual[m * op.outputs + n] + value; }`,
  });
}

/** act_NF = silu(gate) * up; with `keep` also gates_N(2F) (gate, then up) for the gradient. */
export function gateUpKernel(shape: ModelShape, tile: Tile, keep: boolean): Kernel {
  const { F } = shape;
  const kept = `gates[m * ${2 * F}u + p] = gate; gates[m * ${2 * F}u + ${F}u + p] = up;`;
  return normedProjection(shape, tile, {
    label: keep ? "gate-up, kept" : "gate-up",
    buffers: [read("weights"), read("x"), write("act"), write("inverse_rms"), ...(keep ? [write("gates")] : [])],
    columns: `${2 * F}u`,
    pairColumn: `half * ${F}u + p`,
    store: `
  let gate = first * scale;
  let up = second * scale;
  ${keep ? kept : ""}
  act[m * ${F}u + p] = gate / (1f + exp(-gate)) * up;`,
  });
}
