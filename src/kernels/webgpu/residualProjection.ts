// y = residual + a W^T: the attention output and the second feed-forward matrix.
import { gemmKernel, type Tile } from "./gemm.ts";
import { type Kernel, read, write } from "./kernel.ts";

/** W is [outputs, inputs] at op.matrix; y may not be the residual's buffer. */
export function residualProjectionKernel(inputs: number, outputs: number, tile: Tile): Kernel {
  return gemmKernel({
    label: `residual projection ${inputs} to ${outputs}`,
    buffers: [read("weights"), read("a"), read("residual"), write("y")],
    offsets: ["matrix"],
    tile,
    rows: "call.rows",
    columns: `${outputs}u`,
    depth: `${inputs}u`,
    left: `a[m * ${inputs}u + k]`,
    right: `weights[op.matrix + n * ${inputs}u + k]`,
    leftContiguous: "k",
    rightContiguous: "k",
    store: `fn store(m: u32, n: u32, value: f32) { y[m * ${outputs}u + n] = residual[m * ${outputs}u + n] + value; }`,
  });
}
