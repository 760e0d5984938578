// The products of a layer with a frozen base: queries, keys and values with RoPE, the attention output and the second
// feed-forward matrix with the residual, gate and up with SwiGLU; and on the way back the gradients of their inputs.
// Biases of queries, keys and values (Qwen2) and norms of heads (Qwen3) take a dispatch more, between product and RoPE.
import type { ModelShape } from "../../modelSizes.ts";
import { type Kernel, type KernelBuffer, read, rowEntry, write } from "../kernel.ts";
import { headPairColumn, storedHeadPair } from "../projections.ts";
import { type AdapterPart, type FrozenGemm, frozenGemm } from "./gemm.ts";
import type { StoredForm } from "./storedForm.ts";
import type { FrozenTile } from "./tile.ts";

/** A matrix of the base, or several that are multiplied as one, with the adapters beside it. */
export interface FrozenMatrix {
  readonly form: StoredForm;
  readonly outputs: number;
  readonly inputs: number;
  readonly parts: readonly AdapterPart[];
  /** Literal of the adapters' factor. */
  readonly scale: string;
}

type Store = Pick<FrozenGemm, "label" | "store" | "pairColumn" | "declarations"> & { readonly buffers: readonly KernelBuffer[] };

function toOutputs(matrix: FrozenMatrix, tile: FrozenTile, left: string, own: Store): Kernel {
  const { inputs } = matrix;
  return frozenGemm({
    ...matrix,
    ...own,
    tile,
    direction: "toOutputs",
    rows: "call.rows",
    left: { name: left, width: inputs },
    offsets: [],
  });
}

/** q_NQ and keys and values in their rows of the cache, turned. `rope` is (cos, sin) [position, headSize / 2]. */
export function qkvKernel(shape: ModelShape, matrix: FrozenMatrix, tile: FrozenTile): Kernel {
  const { Q, KV, headSize } = shape;
  const store = `fn storePair(m: u32, p: u32, given: vec2f) {
  if (p >= ${(Q + 2 * KV) / 2}u) { return; }${storedHeadPair(shape, "given")}
}
fn store4(m: u32, p: u32, value: vec4f) {
  storePair(m, p, value.xy);
  storePair(m, p + 1u, value.zw);
}`;
  const buffers = [read("row_info", "array<vec4u>"), read("rope", "array<vec2f>"), write("q"), write("kv")];
  return toOutputs(matrix, tile, "normed", { label: "qkv", buffers, pairColumn: headPairColumn(headSize), store });
}

/** WGSL: stores those of four columns that there are. */
const storeEach = (columns: string, store: string) => `fn store4(m: u32, n0: u32, value: vec4f) {
  for (var i = 0u; i < 4u; i++) {
    let n = n0 + i;
    if (n < ${columns}) { ${store} }
  }
}`;

/** raw_N(Q + 2 KV), before biases, norms of heads and RoPE. */
export function rawQkvKernel(matrix: FrozenMatrix, tile: FrozenTile): Kernel {
  const store = storeEach(`${matrix.outputs}u`, `raw[m * ${matrix.outputs}u + n] = value[i];`);
  return toOutputs(matrix, tile, "normed", { label: "raw qkv", buffers: [write("raw")], store });
}

/** y = residual + W a; y may not be the residual's buffer. */
export function residualKernel(matrix: FrozenMatrix, tile: FrozenTile): Kernel {
  const at = `m * ${matrix.outputs}u + n`;
  const store = storeEach(`${matrix.outputs}u`, `y[${at}] = residual[${at}] + value[i];`);
  return toOutputs(matrix, tile, "a", { label: "residual projection", buffers: [read("residual"), write("y")], store });
}

/** act_NF = silu(gate) * up; with `keep` also gates_N(2F) (gate, then up) for the gradient. */
export function gateUpKernel({ F }: ModelShape, matrix: FrozenMatrix, tile: FrozenTile, keep: boolean): Kernel {
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
  const buffers = [write("act"), ...(keep ? [write("gates")] : [])];
  return toOutputs(matrix, tile, "normed", { label: keep ? "gate-up, kept" : "gate-up", buffers, pairColumn: `half * ${F}u + p`, store });
}

function toInputs(matrix: FrozenMatrix, tile: FrozenTile, own: Store): Kernel {
  const left = { name: "dy", width: matrix.outputs };
  return frozenGemm({ ...matrix, ...own, scale: "1f", tile, direction: "toInputs", rows: "call.rows", left, offsets: [] });
}

/** dx_N(inputs) = dy W, with the adapters' share. */
export function inputGradientKernel(matrix: FrozenMatrix, tile: FrozenTile): Kernel {
  const store = storeEach(`${matrix.inputs}u`, `dx[m * ${matrix.inputs}u + n] = value[i];`);
  return toInputs(matrix, tile, { label: "input gradient", buffers: [write("dx")], store });
}

/** Through the down projection and SwiGLU: `gates` become their own gradients in place, and `act` is made again. */
export function swigluGradientKernel({ F }: ModelShape, matrix: FrozenMatrix, tile: FrozenTile): Kernel {
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

/** What a model has between the product of queries, keys and values and RoPE. */
export interface HeadParts {
  readonly qkvBias: boolean;
  readonly headNorm: boolean;
}

/** WGSL: the head's column `d` of raw, with its bias; heads count through queries, keys and values. */
const biased = ({ Q, KV, headSize }: ModelShape, { qkvBias }: HeadParts, d: string) =>
  `raw[r * ${Q + 2 * KV}u + head * ${headSize}u + ${d}]${qkvBias ? ` + vectors[op.bias + head * ${headSize}u + ${d}]` : ""}`;

/** WGSL: where the norm of this head's kind begins. */
const headNormAt = ({ heads }: ModelShape) => `select(op.key_norm, op.query_norm, head < ${heads}u)`;

const offsetsOf = ({ qkvBias, headNorm }: HeadParts) => [...(qkvBias ? ["bias"] : []), ...(headNorm ? ["query_norm", "key_norm"] : [])];

const headThreads = 64;

/** From raw_N(Q + 2 KV) to q and the rows of the cache: bias, RMSNorm of each head of queries and keys, RoPE. Heads in z, values' too. */
export function headVectorsKernel(shape: ModelShape, parts: HeadParts): Kernel {
  const { Q, KV, heads, kvHeads, headSize, eps } = shape;
  const half = headSize / 2;
  const norm = `var squares = 0f;
  for (var d = lid; d < ${headSize}u; d += ${headThreads}u) { squares = fma(vector[d], vector[d], squares); }
  let scale = inverseSqrt(reduceSum(squares, lid) / ${headSize}f + ${eps});
  if (head < ${heads + kvHeads}u) {
    for (var d = lid; d < ${headSize}u; d += ${headThreads}u) { vector[d] *= scale * vectors[${headNormAt(shape)} + d]; }
  }
  workgroupBarrier();`;
  return {
    label: "head vectors",
    buffers: [read("raw"), read("vectors"), read("row_info", "array<vec4u>"), read("rope", "array<vec2f>"), write("q"), write("kv")],
    offsets: offsetsOf(parts),
    reduces: { threads: headThreads },
    code: `
var<workgroup> vector: array<f32, ${headSize}>;
${rowEntry(headThreads, "r", "call.rows")}
  let head = group.z;
  let runs = row_info[2u * r];
  for (var d = lid; d < ${headSize}u; d += ${headThreads}u) { vector[d] = ${biased(shape, parts, "d")}; }
  workgroupBarrier();
  ${parts.headNorm ? norm : ""}
  for (var i = lid; i < ${half}u; i += ${headThreads}u) {
    var pair = vec2f(vector[i], vector[i + ${half}u]);
    if (head < ${heads + kvHeads}u) {
      let turn = rope[(runs.y + runs.w - 1u) * ${half}u + i];
      pair = vec2f(pair.x * turn.x - pair.y * turn.y, pair.y * turn.x + pair.x * turn.y);
    }
    if (head < ${heads}u) {
      q[r * ${Q}u + head * ${headSize}u + i] = pair.x;
      q[r * ${Q}u + head * ${headSize}u + i + ${half}u] = pair.y;
    } else {
      let at = (runs.z + runs.w - 1u) * ${2 * KV}u + head * ${headSize}u + i - ${Q}u;
      kv[at] = pair.x;
      kv[at + ${half}u] = pair.y;
    }
  }
}
`,
  };
}

/** Back through the norms of heads: the columns of queries and keys of dqkv, in place. Those heads in z. */
export function headNormGradientKernel(shape: ModelShape, parts: HeadParts): Kernel {
  const { Q, KV, headSize, eps } = shape;
  const vector = biased(shape, parts, "d");
  const at = `r * ${Q + 2 * KV}u + head * ${headSize}u + d`;
  return {
    label: "head norm gradient",
    buffers: [read("raw"), read("vectors"), write("dqkv")],
    offsets: offsetsOf(parts),
    reduces: { threads: headThreads },
    code: `
${rowEntry(headThreads, "r", "call.rows")}
  let head = group.z;
  let norm = ${headNormAt(shape)};
  var squares = 0f;
  var dot = 0f;
  for (var d = lid; d < ${headSize}u; d += ${headThreads}u) {
    let value = ${vector};
    squares = fma(value, value, squares);
    dot = fma(value, vectors[norm + d] * dqkv[${at}], dot);
  }
  let scale = inverseSqrt(reduceSum(squares, lid) / ${headSize}f + ${eps});
  let pull = reduceSum(dot, lid) * scale * scale * scale / ${headSize}f;
  for (var d = lid; d < ${headSize}u; d += ${headThreads}u) {
    let value = ${vector};
    dqkv[${at}] = scale * vectors[norm + d] * dqkv[${at}] - value * pull;
  }
}
`,
  };
}
