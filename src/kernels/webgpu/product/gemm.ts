// The one tiled matrix multiply, of which the projections, the head and all their gradients are made. 128 threads; each
// holds up to eight rows of four columns in registers and reads both operands, and the tiles, four values at a time.
// A RMSNorm of the left operand costs no dispatch of its own, nor do adapters: behind the terms of the matrix come those
// of the adapters' rank, so that y = W x + s B (A x) is one pass however large the rank is.
import { type Kernel, read } from "../kernel.ts";
import { type AdapterPart, type GemmSpec, partsOf, ranks } from "./gemmSpec.ts";
import { gemmThreads, inFours, leftLine, type Tile, threadRow, threadRows } from "./tile.ts";
import { addedRound, round } from "./tileRounds.ts";

/** WGSL: element (k, n) of the adapters' terms. On the way to outputs B[n, k], on the way back A[k, n]. */
function addedTerm({ added, right }: GemmSpec): string {
  if (!added || added.parts.length === 0) return "";
  const { inputs, scale } = added;
  const term = ({ first, last, at, rank }: AdapterPart, i: number) =>
    right.along === "results"
      ? `if (k >= ${at}u && k < ${at + rank}u) { return trained[op.adapter${i} + (k - ${at}u) * ${inputs}u + n]; }`
      : `if (k >= ${at}u && k < ${at + rank}u && n >= ${first}u && n < ${last}u) {
    return ${scale} * trained[op.adapter${i} + ${rank * inputs}u + (n - ${first}u) * ${rank}u + k - ${at}u];
  }`;
  return `fn added(k: u32, n: u32) -> f32 {\n  ${added.parts.map(term).join("\n  ")}\n  return 0f;\n}`;
}

/** WGSL: the matrix's column of the tile's column c; past the last where there is none. */
function columnOf({ pairColumn }: GemmSpec): string {
  if (pairColumn === undefined) return "fn columnOf(c: u32) -> u32 { return c; }";
  return `fn columnOf(c: u32) -> u32 { let p = c / 2u; let half = c % 2u; return ${pairColumn}; }`;
}

/** WGSL: the thread's sums over the tiles' terms, in variables of their own, which no driver has to find registers for. */
function innerProduct(tile: Tile): string {
  const { down, count } = threadRows(tile);
  const { columns, depth } = tile;
  const places = (n: number) => Array.from({ length: n }, (_, i) => i);
  const lefts = inFours(tile) ? places(count / 4) : places(count);
  const left = lefts.map((i) => `let a${i} = left_tile[kk * ${leftLine(tile)}u + ty + ${down * i}u];`);
  const right = `let b = right_tile[kk * ${columns / 4}u + tx];`;
  const leftOf = (i: number) => (inFours(tile) ? `a${i >> 2}[${i & 3}]` : `a${i}`);
  const sums = places(count).map((i) => `sum${i} = fma(vec4f(${leftOf(i)}), b, sum${i});`);
  return `for (var kk = 0u; kk < ${depth}u; kk++) {
      ${[...left, right, ...sums].join("\n      ")}
    }`;
}

/** WGSL: 1 / rms of the tile's rows from the squares that threads have summed, each of one unit of each round. */
function rowScales({ tile, left: { norm } }: GemmSpec): string {
  if (!norm) return "";
  const units = tile.depth / 4;
  const together = inFours(tile) ? 4 : 1;
  return `if (lid < ${(tile.rows / together) * units}u) {
    for (var j = 0u; j < ${together}u; j++) { unit_squares[(lid % ${units}u) * ${tile.rows}u + ${together}u * (lid / ${units}u) + j] = squares[j]; }
  }
  workgroupBarrier();
  if (lid < ${tile.rows}u) {
    var sum = 0f;
    for (var unit = 0u; unit < ${units}u; unit++) { sum += unit_squares[unit * ${tile.rows}u + lid]; }
    row_scales[lid] = inverseSqrt(sum / ${norm.width}f + ${norm.eps});
  }
  workgroupBarrier();`;
}

/** WGSL: one tile of columns from n0 on into `acc`. */
function tileProduct(spec: GemmSpec): string {
  const { depth } = spec.tile;
  const sums = Array.from({ length: threadRows(spec.tile).count }, (_, i) => i);
  const rank = ranks(partsOf(spec));
  const added = `else {
      let k1 = (round - base_rounds) * ${depth}u;
      ${rank > 0 ? addedRound(spec) : ""}
    }`;
  return `${sums.map((i) => `var sum${i} = vec4f();`).join(" ")}
  ${spec.left.norm ? "squares = vec4f();" : ""}
  let base_rounds = (k_end - k_first + ${depth - 1}u) / ${depth}u;
  for (var round = 0u; round < base_rounds + ${Math.ceil(rank / depth)}u; round++) {
    if (round < base_rounds) {
      let k0 = k_first + round * ${depth}u;
      ${round(spec)}
    } ${rank > 0 ? added : ""}
    workgroupBarrier();
    ${innerProduct(spec.tile)}
    workgroupBarrier();
  }
  ${sums.map((i) => `acc[${i}] = sum${i};`).join(" ")}
  ${rowScales(spec)}`;
}

/** WGSL: hands each thread's sums to store4, which may read in `thread_row` which of the thread's rows it is. */
function storeLoop({ tile, pairColumn, left }: GemmSpec): string {
  const { count } = threadRows(tile);
  const n = pairColumn === undefined ? "n0 + 4u * tx" : "n0 / 2u + 2u * tx";
  const normed = `let scale = row_scales[m - m0];
      if (n0 + tx == 0u) { inverse_rms[m] = scale; }`;
  return `for (var i = 0u; i < ${count}u; i++) {
    let m = m0 + ${threadRow(tile, "i")};
    thread_row = i;
    if (m < rows && n0 + 4u * tx < columns) {
      ${left.norm ? normed : ""}
      store4(m, ${n}, acc[i]${left.norm ? " * scale" : ""});
    }
  }`;
}

/**
 * The kernel, for dispatch (tiles of columns, tiles of rows, parts of the depth); each part sums its share and `store4`
 * sees which in `part`. Adapters and norms are given with one part alone. With pairs `n` counts pairs: p and p + 1 are in
 * value.xy and value.zw.
 */
export function gemmKernel(spec: GemmSpec): Kernel {
  const { tile, left, right, tiles } = spec;
  const { across, count } = threadRows(tile);
  const adapters = partsOf(spec).map((_, i) => `adapter${i}`);
  const normMemory = `var<workgroup> unit_squares: array<f32, ${(tile.rows * tile.depth) / 4}>;
var<workgroup> row_scales: array<f32, ${tile.rows}>;
var<private> squares: vec4f;`;
  const product = `${tileProduct(spec)}
  ${storeLoop(spec)}`;
  const code = `
var<workgroup> left_tile: array<${inFours(tile) ? "vec4f" : "f32"}, ${leftLine(tile) * tile.depth}>;
var<workgroup> right_tile: array<vec4f, ${(tile.columns / 4) * tile.depth}>;
var<private> part: u32;
var<private> thread_row: u32;
var<private> acc: array<vec4f, ${count}>;
${left.norm ? normMemory : ""}
${spec.declarations ?? ""}
${left.declarations}
${right.declarations}
fn left4(line: u32, unit: u32) -> vec4f {
  ${left.four}
}
fn right4(line: u32, unit: u32) -> vec4f {
  ${right.four}
}
${columnOf(spec)}
${addedTerm(spec)}
${spec.store}
@compute @workgroup_size(${gemmThreads})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lid: u32) {
  let rows = ${spec.rows};
  let columns = ${spec.columns};
  let depth = ${spec.depth};
  let share = ((depth + groups.z - 1u) / groups.z + 3u) / 4u * 4u;
  let k_first = min(depth, group.z * share);
  let k_end = min(depth, k_first + share);
  part = group.z;
  let m0 = group.y * ${tile.rows}u;
  let tx = lid % ${across}u;
  let ty = lid / ${across}u;
  ${
    tiles
      ? `${tiles.from}
  for (var tile = first_tile; tile < last_tile; tile++) {
  let n0 = tile * ${tile.columns}u;
  ${product}
  }
  ${tiles.after}`
      : `let n0 = group.x * ${tile.columns}u;
  ${product}`
  }
}
`;
  return {
    label: `${spec.label} (${tile.rows} x ${tile.columns})`,
    buffers: [...right.buffers, ...left.buffers, ...(adapters.length > 0 ? [read("inner"), read("trained")] : []), ...spec.buffers],
    offsets: [...adapters, ...left.offsets, ...right.offsets, ...spec.offsets],
    code,
  };
}
