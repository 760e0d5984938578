// dW += dY^T X: the gradient of a projection with respect to its matrix. Rows of the batch are shared
// out over several parts, each adding to its own copy of the gradient (part * op.stride further on);
// the norm's pass adds the copies up. So small matrices fill the device without float atomics.
import { gemmKernel, type Tile } from "./gemm.ts";
import { type Kernel, type KernelBuffer, read, write } from "./kernel.ts";

interface WeightGradient {
  readonly label: string;
  readonly tile: Tile;
  readonly rows: string;
  readonly buffers: readonly KernelBuffer[];
  readonly offsets: readonly string[];
  /** X[k, n]. */
  readonly input: string;
  /** Factor of column n. */
  readonly columnScale: string;
}

function weightGradient(spec: WeightGradient): Kernel {
  return gemmKernel({
    label: spec.label,
    buffers: [read("dy"), read("x"), ...spec.buffers, write("gradient")],
    offsets: ["gradient", "stride", "outputs", "inputs", ...spec.offsets],
    tile: spec.tile,
    rows: "op.outputs",
    columns: "op.inputs",
    depth: spec.rows,
    left: "dy[k * op.outputs + m]",
    right: spec.input,
    leftContiguous: "m",
    rightContiguous: "n",
    store: `fn store(m: u32, n: u32, value: f32) {
  gradient[op.gradient + part * op.stride + m * op.inputs + n] += value * ${spec.columnScale};
}`,
  });
}

/** dW[op.outputs, op.inputs] += dy_N(outputs)^T x_N(inputs). */
export function weightGradientKernel(tile: Tile): Kernel {
  return weightGradient({
    label: "weight gradient",
    tile,
    rows: "call.rows",
    buffers: [],
    offsets: [],
    input: "x[k * op.inputs + n]",
    columnScale: "1f",
  });
}

/** The same where X is the RMSNorm of x: x * inverse_rms * weight at op.norm. */
export function normedWeightGradientKernel(tile: Tile): Kernel {
  return weightGradient({
    label: "normed weight gradient",
    tile,
    rows: "call.rows",
    buffers: [read("inverse_rms"), read("weights")],
    offsets: ["norm"],
    input: "x[k * op.inputs + n] * inverse_rms[k]",
    columnScale: "weights[op.norm + n]",
  });
}

/** The same for the head: X are the scored rows of x, normed. */
export function headWeightGradientKernel(tile: Tile): Kernel {
  return weightGradient({
    label: "head weight gradient",
    tile,
    rows: "call.scored",
    buffers: [read("score_row", "array<u32>"), read("inverse_rms"), read("weights")],
    offsets: ["norm"],
    input: "x[score_row[k] * op.inputs + n] * inverse_rms[k]",
    columnScale: "weights[op.norm + n]",
  });
}
