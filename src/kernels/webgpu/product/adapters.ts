// What adapters need beside the products with their matrix: their inner vectors, forward A x and on the way back
// s B^T dy, which are a few sums over each row, and the gradients of A and B, which are sums over rows. Each is one
// dispatch for all adapters of a product (queries, keys and values; gate and up), whatever their rank.

import { type Kernel, type KernelBuffer, read, rowEntry, write } from "../kernel.ts";
import { type AdapterPart, ranks } from "./gemmSpec.ts";
import type { Matrix } from "./projections.ts";

const threads = 128;
/** Sums that a pass over a row makes at once. */
const together = 8;

/** WGSL: place of A's row j, where A of part i begins at op.adapter<i>; B's lies behind it. */
function rowOfA(parts: readonly AdapterPart[], inputs: number): string {
  const one = ({ at, rank }: AdapterPart, i: number) => `if (j < ${at + rank}u) { return op.adapter${i} + (j - ${at}u) * ${inputs}u; }`;
  return `fn rowOfA(j: u32) -> u32 {\n  ${parts.map(one).join("\n  ")}\n  return 0u;\n}`;
}

/** WGSL: element [n, j] of B as it stands beside all outputs: 0 where rank and output are of different parts. */
function elementOfB(parts: readonly AdapterPart[], inputs: number): string {
  const one = ({ first, last, at, rank }: AdapterPart, i: number) =>
    `if (j < ${at + rank}u) {
    if (n < ${first}u || n >= ${last}u) { return 0f; }
    return trained[op.adapter${i} + ${rank * inputs}u + (n - ${first}u) * ${rank}u + j - ${at}u];
  }`;
  return `fn elementOfB(n: u32, j: u32) -> f32 {\n  ${parts.map(one).join("\n  ")}\n  return 0f;\n}`;
}

interface RowSums {
  readonly label: string;
  readonly buffers: readonly KernelBuffer[];
  readonly offsets: readonly string[];
  readonly declarations: string;
  readonly width: number;
  readonly count: number;
  /** WGSL before the sums over row `r`. */
  readonly before?: string;
  /** WGSL: what the row gives at column `k`, as `value`, and its factor in sum `j`. */
  readonly value: string;
  readonly factor: string;
  /** WGSL: what is done with sum `j`, which is `total`. */
  readonly finish: string;
}

/** A workgroup for each row makes `count` sums over it. */
function rowSums({ label, buffers, offsets, declarations, width, count, before = "", value, factor, finish }: RowSums): Kernel {
  const sums = `var sums: array<f32, ${together}>;
  for (var first = 0u; first < ${count}u; first += ${together}u) {
    // Set, since a software adapter clears what a loop declares only once.
    for (var i = 0u; i < ${together}u; i++) { sums[i] = 0f; }
    for (var k = lid; k < ${width}u; k += ${threads}u) {
      let value = ${value};
      for (var i = 0u; i < ${together}u; i++) {
        let j = first + i;
        if (j < ${count}u) { sums[i] = fma(${factor}, value, sums[i]); }
      }
    }
    let total = reduceEach(&sums, lid);
    let j = first + lid;
    if (lid < ${together}u && j < ${count}u) { ${finish} }
  }`;
  const code = `
${declarations}
${rowEntry(threads, "r", "call.rows")}
  ${before}
  ${sums}
}
`;
  return { label, buffers, offsets, reduces: { threads, together }, code };
}

interface AdapterInput {
  readonly label: string;
  readonly width: number;
  readonly parts: readonly AdapterPart[];
  /** Literal of the epsilon of an RMSNorm before the product; null where there is none. Its weights lie at op.norm. */
  readonly eps: string | null;
}

/** normed_N(width) = RMSNorm(x), with 1 / rms, and inner_NR = A normed; without a norm inner_NR = A x alone. */
export function adapterInputKernel({ label, width, parts, eps }: AdapterInput): Kernel {
  const count = ranks(parts);
  const x = `x[r * ${width}u + k]`;
  const scaled = `${x} * scale * vectors[op.norm + k]`;
  const before = `var squares = 0f;
  for (var k = lid; k < ${width}u; k += ${threads}u) { squares = fma(${x}, ${x}, squares); }
  let scale = inverseSqrt(reduceSum(squares, lid) / ${width}f + ${eps});
  if (lid == 0u) { inverse_rms[r] = scale; }
  for (var k = lid; k < ${width}u; k += ${threads}u) { normed[r * ${width}u + k] = ${scaled}; }`;
  const hasNorm = eps !== null;
  return rowSums({
    label,
    width,
    count,
    offsets: [...parts.map((_, i) => `adapter${i}`), ...(hasNorm ? ["norm"] : [])],
    buffers: [read("x"), ...(hasNorm ? [read("vectors"), write("normed"), write("inverse_rms")] : []), read("trained"), write("inner")],
    declarations: rowOfA(parts, width),
    before: hasNorm ? before : "",
    value: hasNorm ? scaled : x,
    factor: "trained[rowOfA(j) + k]",
    finish: `inner[r * ${count}u + j] = total;`,
  });
}

/** outer_NR = s B^T dy, from dy_N(outputs). */
export function adapterOutputKernel({ outputs, inputs, parts, scale }: Matrix): Kernel {
  const count = ranks(parts);
  return rowSums({
    label: "adapter output",
    width: outputs,
    count,
    offsets: parts.map((_, i) => `adapter${i}`),
    buffers: [read("dy"), read("trained"), write("outer")],
    declarations: elementOfB(parts, inputs),
    value: `dy[r * ${outputs}u + k]`,
    factor: "elementOfB(k, j)",
    finish: `outer[r * ${count}u + j] = ${scale} * total;`,
  });
}

/** Columns of a workgroup of the gradient, and lanes that share its rows. */
const columns = 32;
const lanes = 4;

/** Workgroups in x, y for the gradients of adapters of these sizes. */
export function adapterGradientGrid({ outputs, inputs, parts }: Matrix): readonly [number, number] {
  return [Math.ceil(inputs / columns) + Math.ceil(outputs / columns), Math.ceil(ranks(parts) / together)];
}

/**
 * dA += outer^T x and dB += s dy^T inner, with x_N(inputs) as the product took it (`inverse_rms` and norm at op.norm make it
 * of the residual stream where `hasNorm`). Rows are shared out over z; each part adds to its own copy, op.stride further on.
 */
export function adapterGradientKernel({ outputs, inputs, parts, scale }: Matrix, hasNorm: boolean): Kernel {
  const count = ranks(parts);
  const groupsOfA = Math.ceil(inputs / columns);
  const x = `x[m * ${inputs}u + column]${hasNorm ? " * inverse_rms[m] * vectors[op.norm + column]" : ""}`;
  const storeB = ({ first, last, at, rank }: AdapterPart, i: number) =>
    `if (j >= ${at}u && j < ${at + rank}u && column >= ${first}u && column < ${last}u) {
          gradient[part + op.adapter${i} + ${rank * inputs}u + (column - ${first}u) * ${rank}u + j - ${at}u] += ${scale} * total;
        }`;
  return {
    label: hasNorm ? "normed adapter gradient" : "adapter gradient",
    buffers: [
      read("x"),
      read("dy"),
      read("inner"),
      read("outer"),
      ...(hasNorm ? [read("vectors"), read("inverse_rms")] : []),
      write("gradient"),
    ],
    offsets: [...parts.map((_, i) => `adapter${i}`), "stride", ...(hasNorm ? ["norm"] : [])],
    code: `
${rowOfA(parts, inputs)}
var<workgroup> shares: array<f32, ${columns * lanes * together}>;
@compute @workgroup_size(${columns * lanes})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lid: u32) {
  let ofA = group.x < ${groupsOfA}u;
  let column = select(group.x - ${groupsOfA}u, group.x, ofA) * ${columns}u + lid % ${columns}u;
  let width = select(${outputs}u, ${inputs}u, ofA);
  let share = (call.rows + groups.z - 1u) / groups.z;
  let end = min(call.rows, (group.z + 1u) * share);
  let part = group.z * op.stride;
  let first = group.y * ${together}u;
  var sums: array<f32, ${together}>;
  if (column < width) {
    for (var m = group.z * share + lid / ${columns}u; m < end; m += ${lanes}u) {
      var value = 0f;
      if (ofA) { value = ${x}; } else { value = dy[m * ${outputs}u + column]; }
      for (var i = 0u; i < ${together}u; i++) {
        let j = min(first + i, ${count - 1}u);
        if (ofA) { sums[i] = fma(outer[m * ${count}u + j], value, sums[i]); } else { sums[i] = fma(inner[m * ${count}u + j], value, sums[i]); }
      }
    }
  }
  for (var i = 0u; i < ${together}u; i++) { shares[i * ${columns * lanes}u + lid] = sums[i]; }
  workgroupBarrier();
  if (lid < ${columns}u && column < width) {
    for (var i = 0u; i < ${together}u; i++) {
      let j = first + i;
      if (j >= ${count}u) { break; }
      var total = 0f;
      for (var lane = 0u; lane < ${lanes}u; lane++) { total += shares[i * ${columns * lanes}u + lane * ${columns}u + lid]; }
      if (ofA) {
        gradient[part + rowOfA(j) + column] += total;
      } else {
        ${parts.map(storeB).join("\n        ")}
      }
    }
  }
}
`,
  };
}
