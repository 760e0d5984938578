// dX = dY W: the gradient of a projection with respect to its input, with what follows it on the way
// back done as each element is made.

import type { ModelShape } from "../../modelSizes.ts";
import { type GemmSpec, gemmKernel, type Tile } from "../gemm.ts";
import { type Kernel, read, write } from "../kernel.ts";

interface InputGradient extends Pick<GemmSpec, "label" | "tile" | "rows" | "buffers"> {
  /** WGSL expressions: extents of the matrix. */
  readonly outputs: string;
  readonly inputs: string;
  readonly offsets?: readonly string[];
  /** Body of store(m, n, value). */
  readonly store: string;
}

function inputGradient(spec: InputGradient): Kernel {
  return gemmKernel({
    label: spec.label,
    buffers: [read("weights"), read("dy"), ...spec.buffers],
    offsets: ["matrix", ...(spec.offsets ?? [])],
    tile: spec.tile,
    rows: spec.rows,
    columns: spec.inputs,
    depth: spec.outputs,
    left: `dy[m * ${spec.outputs} + k]`,
    right: `weights[op.matrix + k * ${spec.inputs} + n]`,
    rightContiguous: "n",
    store: `fn store(m: u32, n: u32, value: f32) { ${spec.store} }`,
  });
}

/** dx_N(inputs) = dy_N(outputs) W, W [op.outputs, op.inputs] at op.matrix. */
export function inputGradientKernel(tile: Tile): Kernel {
  return inputGradient({
    label: "input gradient",
    outputs: "op.outputs",
    inputs: "op.inputs",
    tile,
    rows: "call.rows",
    buffers: [write("dx")],
    offsets: ["outputs", "inputs"],
    store: "dx[m * op.inputs + n] = value;",
  });
}

/**
 * Through the down projection and SwiGLU: `gates` (gate, up) become their own gradients in place, and
 * `act` is made again for the weight gradient, so that no layer has to keep it.
 */
export function swigluGradientKernel({ D, F }: ModelShape, tile: Tile): Kernel {
  return inputGradient({
    label: "swiglu gradient",
    outputs: `${D}u`,
    inputs: `${F}u`,
    tile,
    rows: "call.rows",
    buffers: [write("gates"), write("act")],
    store: `
  let at = m * ${2 * F}u + n;
  let gate = gates[at];
  let up = gates[at + ${F}u];
  let sigmoid = 1f / (1f + exp(-gate));
  gates[at] = value * up * sigmoid * (1f + gate * (1f - sigmoid));
  gates[at + ${F}u] = value * gate * sigmoid;
  act[m * ${F}u + n] = gate * sigmoid * up;`,
  });
}

/** Through the head at the scored rows: dh_KD, with the critic's share where there is one. */
export function headInputGradientKernel({ D, V, valueHead }: ModelShape, tile: Tile): Kernel {
  return inputGradient({
    label: "head input gradient",
    outputs: `${V}u`,
    inputs: `${D}u`,
    tile,
    rows: "call.scored",
    buffers: [...(valueHead ? [read("token_gradients", "array<vec4f>")] : []), write("dx")],
    offsets: valueHead ? ["valueWeight"] : [],
    store: `dx[m * ${D}u + n] = value${valueHead ? " + token_gradients[m].z * weights[op.valueWeight + n]" : ""};`,
  });
}
