// dW += dY^T X: the gradient of a projection with respect to its matrix. Rows of the batch are shared
// out over several parts, each adding to its own copy of the gradient (part * op.stride further on);
// the norm's pass adds the copies up. So small matrices fill the device without float atomics.
import { gemmKernel, type Tile } from "../gemm.ts";
import { type Kernel, type KernelBuffer, read, write } from "../kernel.ts";

/** @param input X[k, n]. @param columnScale factor of column n. */
function weightGradient(label: string, tile: Tile, rows: string, own: readonly KernelBuffer[], input: string, columnScale = "1f"): Kernel {
  return gemmKernel({
    label,
    buffers: [read("dy"), read("x"), ...own, write("gradient")],
    offsets: ["gradient", "stride", "outputs", "inputs", ...(own.length > 0 ? ["norm"] : [])],
    tile,
    rows: "op.outputs",
    columns: "op.inputs",
    depth: rows,
    left: "dy[k * op.outputs + m]",
    right: input,
    leftContiguous: "m",
    rightContiguous: "n",
    store: `fn store(m: u32, n: u32, value: f32) {
  gradient[op.gradient + part * op.stride + m * op.inputs + n] += value * ${columnScale};
}`,
  });
}

/** dW[op.outputs, op.inputs] += dy_N(outputs)^T x_N(inputs). */
export function weightGradientKernel(tile: Tile): Kernel {
  return weightGradient("weight gradient", tile, "call.rows", [], "x[k * op.inputs + n]");
}

/** The same where X is the RMSNorm of x: x * inverse_rms * weight at op.norm. */
export function normedWeightGradientKernel(tile: Tile): Kernel {
  const norm = [read("inverse_rms"), read("weights")];
  const input = "x[k * op.inputs + n] * inverse_rms[k]";
  return weightGradient("normed weight gradient", tile, "call.rows", norm, input, "weights[op.norm + n]");
}

/** The same for the head: X are the scored rows of x, normed. */
export function headWeightGradientKernel(tile: Tile): Kernel {
  const norm = [read("score_row", "array<u32>"), read("inverse_rms"), read("weights")];
  const input = "x[score_row[k] * op.inputs + n] * inverse_rms[k]";
  return weightGradient("head weight gradient", tile, "call.scored", norm, input, "weights[op.norm + n]");
}
