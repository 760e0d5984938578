// The final RMSNorm and the output head, at chosen rows only.
import { gemmKernel, type Tile } from "./gemm.ts";
import { type Kernel, read, write } from "./kernel.ts";
import type { ModelShape } from "./modelShape.ts";

/** logits_KV of rows score_row_K of x, not yet divided by the temperature, and 1 / rms of those rows. */
export function logitsKernel({ D, V, eps }: ModelShape, tile: Tile): Kernel {
  return gemmKernel({
    label: "logits",
    buffers: [read("weights"), read("norm_weights"), read("x"), read("score_row", "array<u32>"), write("logits"), write("inverse_rms")],
    offsets: ["norm", "matrix"],
    tile,
    rows: "call.scored",
    columns: `${V}u`,
    depth: `${D}u`,
    left: `x[score_row[m] * ${D}u + k]`,
    right: `weights[op.matrix + n * ${D}u + k] * norm_weights[op.norm + k]`,
    leftContiguous: "k",
    rightContiguous: "k",
    rowSquares: true,
    store: `fn store(m: u32, n: u32, value: f32) {
  let scale = inverseSqrt(rowSquares(m) / ${D}f + ${eps});
  if (n == 0u) { inverse_rms[m] = scale; }
  logits[m * ${V}u + n] = value * scale;
}`,
  });
}
