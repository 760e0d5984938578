// Tiled matrix multiply with a frozen matrix, and adapters in the same sums: behind the terms of the matrix come those
// of the adapters' rank, so that y = W x + s B (A x) is one pass however large the rank is. 128 threads; each
// holds up to eight rows of four columns in registers and reads the matrix, and the tiles, four values at a time.
import { type Kernel, type KernelBuffer, read } from "../kernel.ts";
import { baseReader, type StoredForm } from "./storedForm.ts";
import { type FrozenTile, gemmThreads, inFours, leftLine, threadRow, threadRows } from "./tile.ts";

/** An adapter beside columns [first, last) of the outputs; its rank lies at [at, at + rank) of the added terms. */
export interface AdapterPart {
  readonly first: number;
  readonly last: number;
  readonly at: number;
  readonly rank: number;
}

/** Rank of all parts together. */
export const ranks = (parts: readonly AdapterPart[]): number => parts.reduce((sum, { rank }) => sum + rank, 0);

export interface FrozenGemm {
  readonly label: string;
  readonly tile: FrozenTile;
  readonly form: StoredForm;
  /** The matrix is [outputs, inputs]. */
  readonly outputs: number;
  readonly inputs: number;
  /** "toOutputs": y = x W^T. "toInputs": dx = dy W. */
  readonly direction: "toOutputs" | "toInputs";
  /** WGSL: rows of the result, and name and width of the left operand's buffer. */
  readonly rows: string;
  readonly left: { readonly name: string; readonly width: number };
  readonly parts: readonly AdapterPart[];
  readonly buffers: readonly KernelBuffer[];
  readonly offsets: readonly string[];
  /** Factor of the adapters' terms: s where B is read, 1 where A is. */
  readonly scale: string;
  /** WGSL: columns (or, on the way back, terms) of the matrix, where they are no constant, and the matrix's row of the first of them. */
  readonly extent?: string;
  readonly firstRow?: string;
  /** Columns 2 p and 2 p + 1 of the tiles are these two of the matrix. WGSL in `p` and `half`. */
  readonly pairColumn?: string;
  /** WGSL statements around the loop over columns' tiles, where a workgroup takes several: `first_tile`, `last_tile` are set before. */
  readonly tiles?: { readonly from: string; readonly after: string };
  /** `fn store4(m: u32, n: u32, value: vec4f)`: columns n to n + 3 of the tile's order, some of which may lie behind the last. */
  readonly store: string;
  readonly declarations?: string;
}

/** WGSL: four neighbouring values of a row, 0 past its end. */
function left4({ name, width }: FrozenGemm["left"]): string {
  const at = (i: number) => `select(0f, ${name}[min(at + ${i}u, m * ${width}u + ${width - 1}u)], 4u * unit + ${i}u < ${width}u)`;
  if (width % 4 === 0) return `return ${name}[m * ${width / 4}u + unit];`;
  return `let at = m * ${width}u + 4u * unit;\n  return vec4f(${[0, 1, 2, 3].map(at).join(", ")});`;
}

/** WGSL: element (k, n) of the adapters' terms. On the way to outputs B[n, k], on the way back A[k, n]. */
function addedTerm({ parts, direction, inputs, scale }: FrozenGemm): string {
  const term = ({ first, last, at, rank }: AdapterPart, i: number) =>
    direction === "toInputs"
      ? `if (k >= ${at}u && k < ${at + rank}u) { return trained[op.adapter${i} + (k - ${at}u) * ${inputs}u + n]; }`
      : `if (k >= ${at}u && k < ${at + rank}u && n >= ${first}u && n < ${last}u) {
    return ${scale} * trained[op.adapter${i} + ${rank * inputs}u + (n - ${first}u) * ${rank}u + k - ${at}u];
  }`;
  return `fn added(k: u32, n: u32) -> f32 {\n  ${parts.map(term).join("\n  ")}\n  return 0f;\n}`;
}

/** WGSL: the matrix's column of the tile's column c; past the last where there is none. */
function columnOf({ pairColumn }: FrozenGemm): string {
  if (pairColumn === undefined) return "fn columnOf(c: u32) -> u32 { return c; }";
  return `fn columnOf(c: u32) -> u32 { let p = c / 2u; let half = c % 2u; return ${pairColumn}; }`;
}

/** WGSL: a round of the left operand into its tile. Four rows of four terms are turned on their way. */
function leftRound(tile: FrozenTile): string {
  const { rows, depth } = tile;
  const units = depth / 4;
  const line = leftLine(tile);
  if (!inFours(tile))
    return `for (var i = lid; i < ${rows * units}u; i += ${gemmThreads}u) {
        let unit = i % ${units}u;
        let r = i / ${units}u;
        var value = vec4f();
        if (m0 + r < rows && k0 + 4u * unit < k_end) { value = left4(m0 + r, k0 / 4u + unit); }
        for (var j = 0u; j < 4u; j++) { left_tile[(4u * unit + j) * ${line}u + r] = value[j]; }
      }`;
  return `for (var i = lid; i < ${(rows / 4) * units}u; i += ${gemmThreads}u) {
        let unit = i % ${units}u;
        let r4 = i / ${units}u;
        var given: array<vec4f, 4>;
        for (var j = 0u; j < 4u; j++) {
          let m = m0 + 4u * r4 + j;
          given[j] = vec4f();
          if (m < rows && k0 + 4u * unit < k_end) { given[j] = left4(m, k0 / 4u + unit); }
        }
        for (var j = 0u; j < 4u; j++) {
          left_tile[(4u * unit + j) * ${line}u + r4] = vec4f(given[0][j], given[1][j], given[2][j], given[3][j]);
        }
      }`;
}

/** WGSL: a round of the matrix's terms into the right tile. Four columns of four terms are turned on their way. */
function baseRound({ tile, direction, firstRow = "0u" }: FrozenGemm): string {
  const { columns, depth } = tile;
  const fours = columns / 4;
  const turned = `for (var i = lid; i < ${(fours * depth) / 4}u; i += ${gemmThreads}u) {
        let unit = i % ${depth / 4}u;
        let c4 = i / ${depth / 4}u;
        var turned: array<vec4f, 4>;
        for (var j = 0u; j < 4u; j++) {
          let c = n0 + 4u * c4 + j;
          turned[j] = vec4f();
          if (c < columns && k0 + 4u * unit < k_end) { turned[j] = base4(${firstRow} + columnOf(c), k0 / 4u + unit); }
        }
        for (var j = 0u; j < 4u; j++) {
          right_tile[(4u * unit + j) * ${fours}u + c4] = vec4f(turned[0][j], turned[1][j], turned[2][j], turned[3][j]);
        }
      }`;
  const straight = `for (var i = lid; i < ${fours * depth}u; i += ${gemmThreads}u) {
        let c4 = i % ${fours}u;
        let kk = i / ${fours}u;
        var value = vec4f();
        if (n0 + 4u * c4 < columns && k0 + kk < k_end) { value = base4(${firstRow} + k0 + kk, n0 / 4u + c4); }
        right_tile[i] = value;
      }`;
  return `${leftRound(tile)}\n      ${direction === "toInputs" ? straight : turned}`;
}

/** WGSL: a round of the adapters' terms. */
function addedRound({ tile, parts }: FrozenGemm): string {
  const { rows, columns, depth } = tile;
  const rank = ranks(parts);
  const together = inFours(tile) ? 4 : 1;
  const value = inFours(tile) ? "value" : "value[0]";
  return `for (var i = lid; i < ${(rows / together) * depth}u; i += ${gemmThreads}u) {
        let kk = i % ${depth}u;
        let r = i / ${depth}u;
        var value = vec4f();
        for (var j = 0u; j < ${together}u; j++) {
          let m = m0 + ${together}u * r + j;
          if (m < rows && k1 + kk < ${rank}u) { value[j] = inner[m * ${rank}u + k1 + kk]; }
        }
        left_tile[kk * ${leftLine(tile)}u + r] = ${value};
      }
      for (var i = lid; i < ${(columns / 4) * depth}u; i += ${gemmThreads}u) {
        let kk = i / ${columns / 4}u;
        var value = vec4f();
        for (var j = 0u; j < 4u; j++) {
          let c = n0 + 4u * (i % ${columns / 4}u) + j;
          if (c < columns && k1 + kk < ${rank}u) { value[j] = added(k1 + kk, columnOf(c)); }
        }
        right_tile[i] = value;
      }`;
}

/** WGSL: the thread's sums over the tiles' terms, in variables of their own, which no driver has to find registers for. */
function innerProduct(tile: FrozenTile): string {
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

/** WGSL: one tile of columns from n0 on into `acc`. */
function tileProduct(spec: FrozenGemm): string {
  const { depth } = spec.tile;
  const sums = Array.from({ length: threadRows(spec.tile).count }, (_, i) => i);
  const hasAdded = spec.parts.length > 0;
  const addedRounds = hasAdded ? Math.ceil(ranks(spec.parts) / depth) : 0;
  return `${sums.map((i) => `var sum${i} = vec4f();`).join(" ")}
  let base_rounds = (k_end - k_first + ${depth - 1}u) / ${depth}u;
  for (var round = 0u; round < base_rounds + ${addedRounds}u; round++) {
    if (round < base_rounds) {
      let k0 = k_first + round * ${depth}u;
      ${baseRound(spec)}
    }${
      hasAdded
        ? ` else {
      let k1 = (round - base_rounds) * ${depth}u;
      ${addedRound(spec)}
    }`
        : ""
    }
    workgroupBarrier();
    ${innerProduct(spec.tile)}
    workgroupBarrier();
  }
  ${sums.map((i) => `acc[${i}] = sum${i};`).join(" ")}`;
}

/** WGSL: hands each thread's sums to store4, which may read in `thread_row` which of the thread's rows it is. */
function storeLoop({ tile, pairColumn }: FrozenGemm): string {
  const { count } = threadRows(tile);
  const n = pairColumn === undefined ? "n0 + 4u * tx" : "n0 / 2u + 2u * tx";
  return `for (var i = 0u; i < ${count}u; i++) {
    let m = m0 + ${threadRow(tile, "i")};
    thread_row = i;
    if (m < rows && n0 + 4u * tx < columns) { store4(m, ${n}, acc[i]); }
  }`;
}

/**
 * The kernel, for dispatch (tiles of columns, tiles of rows, parts of the depth); each part sums its share and `store4`
 * sees which in `part`. Adapters are given with one part alone. With pairs `n` counts pairs: p and p + 1 are in value.xy and value.zw.
 */
export function frozenGemm(spec: FrozenGemm): Kernel {
  const { tile, form, inputs, outputs, direction, extent, left, parts, tiles } = spec;
  const reader = baseReader(form, inputs);
  const { across, count } = threadRows(tile);
  const toInputs = direction === "toInputs";
  const own = extent ?? `${outputs}u`;
  const adapters = parts.length > 0 ? [read("inner"), read("trained")] : [];
  const leftType = left.width % 4 === 0 ? "array<vec4f>" : "array<f32>";
  const code = `
var<workgroup> left_tile: array<${inFours(tile) ? "vec4f" : "f32"}, ${leftLine(tile) * tile.depth}>;
var<workgroup> right_tile: array<vec4f, ${(tile.columns / 4) * tile.depth}>;
var<private> part: u32;
var<private> thread_row: u32;
var<private> acc: array<vec4f, ${count}>;
${spec.declarations ?? ""}
${reader.code}
fn left4(m: u32, unit: u32) -> vec4f {
  ${left4(left)}
}
${columnOf(spec)}
${parts.length > 0 ? addedTerm(spec) : ""}
${spec.store}
@compute @workgroup_size(${gemmThreads})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(num_workgroups) groups: vec3u, @builtin(local_invocation_index) lid: u32) {
  let rows = ${spec.rows};
  let columns = ${toInputs ? `${inputs}u` : own};
  let base_depth = ${toInputs ? own : `${inputs}u`};
  let share = ((base_depth + groups.z - 1u) / groups.z + 3u) / 4u * 4u;
  let k_first = min(base_depth, group.z * share);
  let k_end = min(base_depth, k_first + share);
  part = group.z;
  let m0 = group.y * ${tile.rows}u;
  let tx = lid % ${across}u;
  let ty = lid / ${across}u;
  ${
    tiles
      ? `${tiles.from}
  for (var tile = first_tile; tile < last_tile; tile++) {
  let n0 = tile * ${tile.columns}u;
  ${tileProduct(spec)}
  ${storeLoop(spec)}
  }
  ${tiles.after}`
      : `let n0 = group.x * ${tile.columns}u;
  ${tileProduct(spec)}
  ${storeLoop(spec)}`
  }
}
`;
  return {
    label: `${spec.label} (${form.name}, ${tile.rows} x ${tile.columns})`,
    buffers: [read("base", reader.type), read(left.name, leftType), ...adapters, ...spec.buffers],
    offsets: [...parts.map((_, i) => `adapter${i}`), ...spec.offsets],
    code,
  };
}
