// dW += dY^T X: the gradient of a projection with respect to its matrix. Rows of the batch are shared
// out over several parts, each adding to its own copy of the gradient (part * op.stride further on);
// the norm's pass adds the copies up. So small matrices fill the device without float atomics.
import { gemmKernel, type Tile } from "./gemm.ts";
import { type Kernel, type KernelBuffer, read, write } from "./kernel.ts";

interface WeightGradient {
  readonly label: string;
  readonly outputs: number;
  readonly inputs: number;
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
    offsets: ["gradient", "stride", ...spec.offsets],
    tile: spec.tile,
    rows: `${spec.outputs}u`,
    columns: `${spec.inputs}u`,
    depth: spec.rows,
    left: `dy[k * ${spec.outputs}u + m]`,
    right: spec.input,
    leftContiguous: "m",
    rightContiguous: "n",
    store: `fn store(m: u32, n: u32, value: f32) {
  gradient[op.gradient + part * op.stride + m * ${spec.inputs}u + n] += value * ${spec.columnScale};
}`,
  });
}

/** dW[outputs, inputs] += dy_N(outputs)^T x_N(inputs). */
export function weightGradientKernel(outputs: number, inputs: number, tile: Tile): Kernel {
  return weightGradient({
    label: `weight gradient ${outputs} x ${inputs}`,
    outputs,
    inputs,
    tile,
    rows: "call.rows",
    buffers: [],
    offsets: [],
    input: `x[k * ${inputs}u + n]`,
    columnScale: "1f",
  });
}

/** The same where X is the RMSNorm of x: x * inverse_rms * weight at op.norm. */
export function normedWeightGradientKernel(outputs: number, inputs: number, tile: Tile): Kernel {
  return weightGradient({
    label: `normed weight gradient ${outputs} x ${inputs}`,
    outputs,
    inputs,
    tile,
    rows: "call.rows",
    buffers: [read("inverse_rms"), read("weights")],
    offsets: ["norm"],
    input: `x[k * ${inputs}u + n] * inverse_rms[k]`,
    columnScale: "weights[op.norm + n]",
  });
}

/** The same for the head: X are the scored rows of x, normed. */
export function headWeightGradientKernel(outputs: number, inputs: number, tile: Tile): Kernel {
  return weightGradient({
    label: "head weight gradient",
    outputs,
    inputs,
    tile,
    rows: "call.scored",
    buffers: [read("score_row", "array<u32>"), read("inverse_rms"), read("weights")],
    offsets: ["norm"],
    input: `x[score_row[k] * ${inputs}u + n] * inverse_rms[k]`,
    columnScale: "weights[op.norm + n]",
  });
}
