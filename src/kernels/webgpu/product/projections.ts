// The products of a layer: queries, keys and values with RoPE (rotate-half, Su et al. 2021), the attention output and the
// second feed-forward matrix with the residual, gate and up with SwiGLU (Shazeer 2020); and on the way back the gradients of
// their inputs and of their matrices. Queries, keys and values are one matrix, as are gate and up. The two halves of a
// rotated pair, and gate[f] and up[f], are made by the same thread.
import type { ModelShape } from "../../modelSizes.ts";
import { type Kernel, type KernelBuffer, read, write } from "../kernel.ts";
import { gemmKernel } from "./gemm.ts";
import type { AdapterPart, GemmSpec } from "./gemmSpec.ts";
import { activations, matrixRows, normedLines, type Operand } from "./operands.ts";
import type { StoredForm } from "./storedForm.ts";
import type { Tile } from "./tile.ts";

/** A matrix, or several that are multiplied as one, with the adapters beside it. */
export interface Matrix {
  readonly form: StoredForm;
  readonly outputs: number;
  readonly inputs: number;
  readonly parts: readonly AdapterPart[];
  /** Literal of the adapters' factor. */
  readonly scale: string;
}

type Store = Pick<GemmSpec, "label" | "store" | "pairColumn"> & { readonly buffers: readonly KernelBuffer[] };

function toOutputs(matrix: Matrix, tile: Tile, left: Operand, own: Store): Kernel {
  const { form, inputs, outputs } = matrix;
  const right = matrixRows(form, inputs, "terms");
  const sizes = { rows: "call.rows", columns: `${outputs}u`, depth: `${inputs}u` };
  return gemmKernel({ ...own, ...sizes, tile, left, right, added: matrix, offsets: [] });
}

/** Rows of x behind an RMSNorm: as `normed` has them where adapters need them too, otherwise normed as they come. */
const normedRows = ({ inputs, parts }: Matrix, { eps }: ModelShape): Operand =>
  parts.length > 0 ? activations("normed", inputs) : normedLines(inputs, eps);

/** WGSL: column of half 0 or 1 of pair p, where pairs are (i, i + headSize / 2) of one head. */
const headPairColumn = (headSize: number): string =>
  `(p / ${headSize / 2}u) * ${headSize}u + half * ${headSize / 2}u + p % ${headSize / 2}u`;

/** q_NQ and keys and values in their rows of the cache, turned. `rope` is (cos, sin) [position, headSize / 2]. */
export function qkvKernel(shape: ModelShape, matrix: Matrix, tile: Tile): Kernel {
  const { Q, KV, headSize } = shape;
  const half = headSize / 2;
  const store = `fn storePair(m: u32, p: u32, given: vec2f) {
  if (p >= ${(Q + 2 * KV) / 2}u) { return; }
  let runs = row_info[2u * m];
  let i = p % ${half}u;
  let column = (p / ${half}u) * ${headSize}u + i;
  var pair = given;
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
  }
}
fn store4(m: u32, p: u32, value: vec4f) {
  storePair(m, p, value.xy);
  storePair(m, p + 1u, value.zw);
}`;
  const buffers = [read("row_info", "array<vec4u>"), read("rope", "array<vec2f>"), write("q"), write("kv")];
  return toOutputs(matrix, tile, normedRows(matrix, shape), { label: "qkv", buffers, pairColumn: headPairColumn(headSize), store });
}

/** WGSL: stores those of four columns that there are. */
export const storeEach = (columns: string, store: string): string => `fn store4(m: u32, n0: u32, value: vec4f) {
  for (var i = 0u; i < 4u; i++) {
    let n = n0 + i;
    if (n < ${columns}) { ${store} }
  }
}`;

/** raw_N(Q + 2 KV), before biases, norms of heads and RoPE. */
export function rawQkvKernel(shape: ModelShape, matrix: Matrix, tile: Tile): Kernel {
  const store = storeEach(`${matrix.outputs}u`, `raw[m * ${matrix.outputs}u + n] = value[i];`);
  return toOutputs(matrix, tile, normedRows(matrix, shape), { label: "raw qkv", buffers: [write("raw")], store });
}

/** y = residual + W a; y may not be the residual's buffer. */
export function residualKernel(matrix: Matrix, tile: Tile): Kernel {
  const at = `m * ${matrix.outputs}u + n`;
  const store = storeEach(`${matrix.outputs}u`, `y[${at}] = residual[${at}] + value[i];`);
  const buffers = [read("residual"), write("y")];
  return toOutputs(matrix, tile, activations("a", matrix.inputs), { label: "residual projection", buffers, store });
}

/** act_NF = silu(gate) * up; with `keep` also gates_N(2F) (gate, then up) for the gradient. */
export function gateUpKernel(shape: ModelShape, matrix: Matrix, tile: Tile, keep: boolean): Kernel {
  const { F } = shape;
  const kept = `gates[m * ${2 * F}u + p] = gate; gates[m * ${2 * F}u + ${F}u + p] = up;`;
  const store = `fn storePair(m: u32, p: u32, gate: f32, up: f32) {
  if (p >= ${F}u) { return; }
  ${keep ? kept : ""}
  act[m * ${F}u + p] = gate / (1f + exp(-gate)) * up;
}
fn store4(m: u32, p: u32, value: vec4f) {
  storePair(m, p, value.x, value.y);
  storePair(m, p + 1u, value.z, value.w);
}`;
  const own = { label: keep ? "gate-up, kept" : "gate-up", buffers: [write("act"), ...(keep ? [write("gates")] : [])] };
  return toOutputs(matrix, tile, normedRows(matrix, shape), { ...own, pairColumn: `half * ${F}u + p`, store });
}

function toInputs(matrix: Matrix, tile: Tile, own: Store): Kernel {
  const { form, inputs, outputs } = matrix;
  const sides = { left: activations("dy", outputs), right: matrixRows(form, inputs, "results") };
  const sizes = { rows: "call.rows", columns: `${inputs}u`, depth: `${outputs}u` };
  return gemmKernel({ ...own, ...sizes, ...sides, tile, added: { ...matrix, scale: "1f" }, offsets: [] });
}

/** dx_N(inputs) = dy W, with the adapters' share. */
export function inputGradientKernel(matrix: Matrix, tile: Tile): Kernel {
  const store = storeEach(`${matrix.inputs}u`, `dx[m * ${matrix.inputs}u + n] = value[i];`);
  return toInputs(matrix, tile, { label: "input gradient", buffers: [write("dx")], store });
}

/** Through the down projection and SwiGLU: `gates` become their own gradients in place, and `act` is made again. */
export function swigluGradientKernel({ F }: ModelShape, matrix: Matrix, tile: Tile): Kernel {
  const store = storeEach(
    `${F}u`,
    `let at = m * ${2 * F}u + n;
      let gate = gates[at];
      let up = gates[at + ${F}u];
      let sigmoid = 1f / (1f + exp(-gate));
      gates[at] = value[i] * up * sigmoid * (1f + gate * (1f - sigmoid));
      gates[at + ${F}u] = value[i] * gate * sigmoid;
      act[m * ${F}u + n] = gate * sigmoid * up;`,
  );
  return toInputs(matrix, tile, { label: "swiglu gradient", buffers: [write("gates"), write("act")], store });
}

/** What a matrix's gradient is the product of: dy of so many columns and x, lines of either being the terms that are summed. */
interface WeightGradient {
  readonly label: string;
  readonly dy: Operand;
  readonly x: Operand;
  /** WGSL: rows of the matrix, and terms. */
  readonly outputs: string;
  readonly terms: string;
  readonly inputs: number;
  /** x is a residual stream whose RMSNorm the matrix was multiplied with: its weights lie in `vectors` at op.norm. */
  readonly hasNorm: boolean;
}

/**
 * dW[outputs, inputs] += dy^T x at op.gradient. Terms are shared out over several parts, each of which adds to its own copy of
 * the gradient, op.stride further on; the norm's pass adds the copies up. So small matrices fill the device without float atomics.
 */
export function weightGradientOf({ label, dy, x, outputs, terms, inputs, hasNorm }: WeightGradient, tile: Tile): Kernel {
  return gemmKernel({
    label,
    tile,
    rows: outputs,
    columns: `${inputs}u`,
    depth: terms,
    left: dy,
    right: x,
    buffers: [...(hasNorm ? [read("vectors"), read("inverse_rms")] : []), write("gradient")],
    offsets: ["gradient", "stride", ...(hasNorm ? ["norm"] : [])],
    store: storeEach(
      `${inputs}u`,
      `gradient[op.gradient + part * op.stride + m * ${inputs}u + n] += value[i]${hasNorm ? " * vectors[op.norm + n]" : ""};`,
    ),
  });
}

/** The gradient of a layer's matrix, over all rows of the batch. */
export function weightGradientKernel({ outputs, inputs }: Matrix, hasNorm: boolean, tile: Tile): Kernel {
  const x = activations("x", inputs, { along: "results", factor: hasNorm ? "inverse_rms[line]" : "1f" });
  const dy = activations("dy", outputs, { along: "results" });
  const label = hasNorm ? "normed weight gradient" : "weight gradient";
  return weightGradientOf({ label, dy, x, outputs: `${outputs}u`, terms: "call.rows", inputs, hasNorm }, tile);
}
