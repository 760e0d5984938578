// y = residual + a W^T: the attention output and the second feed-forward matrix, which share
// one pipeline.
import { gemmKernel, type Tile } from "./gemm.ts";
import { type Kernel, read, write } from "./kernel.ts";

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
    leftContiguous: "k",
    rightContiguous: "k",
    store: `fn store(m: u32, n: u32, value: f32) { y[m * op.outputs + n] = residual[m * op.outputs + n] + value; }`,
  });
}
