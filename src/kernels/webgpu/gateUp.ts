// RMSNorm, gate and up projections and SwiGLU (Shazeer 2020) in one dispatch. Gate and up are
// neighbours in the flat weights; the same thread makes gate[f] and up[f].
import { gemmKernel, type Tile } from "./gemm.ts";
import { type Kernel, read, write } from "./kernel.ts";
import type { ModelShape } from "./modelShape.ts";

/** act_NF = silu(gate) * up; with `keep` also gates_N(2F) (gate, then up) for the gradient. */
export function gateUpKernel({ D, F, eps }: ModelShape, tile: Tile, keep: boolean): Kernel {
  const kept = `gates[m * ${2 * F}u + p] = gate; gates[m * ${2 * F}u + ${F}u + p] = up;`;
  return gemmKernel({
    label: keep ? "gate-up, kept" : "gate-up",
    buffers: [read("weights"), read("x"), write("act"), write("inverse_rms"), ...(keep ? [write("gates")] : [])],
    offsets: ["norm", "matrix"],
    tile,
    rows: "call.rows",
    columns: `${2 * F}u`,
    depth: `${D}u`,
    left: `x[m * ${D}u + k]`,
    right: `weights[op.matrix + n * ${D}u + k] * weights[op.norm + k]`,
    leftContiguous: "k",
    rightContiguous: "k",
    pairColumn: `half * ${F}u + p`,
    rowSquares: true,
    store: `fn store(m: u32, p: u32, first: f32, second: f32) {
  let scale = inverseSqrt(rowSquares(m) / ${D}f + ${eps});
  if (first_column && p == 0u) { inverse_rms[m] = scale; }
  let gate = first * scale;
  let up = second * scale;
  ${keep ? kept : ""}
  act[m * ${F}u + p] = gate / (1f + exp(-gate)) * up;
}`,
  });
}
