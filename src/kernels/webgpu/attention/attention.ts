// Softmax attention of one query row and head per workgroup over its prefix run and its own run of
// rows of keys, in blocks with a running maximum (Milakov & Gimelshein 2018; Dao et al. 2022). It
// serves decoding, where each row is a sequence of its own; tiledAttention.ts has the forward pass of whole sequences,
// attentionGradient.ts its backward. Two blocks are at hand, and
// each is summed as a block is there, in heads of 64 and more dimensions: over a deep model sums in another order moved what
// the sampler says from what the scorer says by 1.3e-5. Dispatch: rows in (x, y), heads in z.

import type { ModelShape } from "../../modelSizes.ts";
import { type Kernel, keyRowFunction, read, rowEntry, write } from "../kernel.ts";
import { tileSide } from "./attentionTile.ts";

/** How 64 threads share sums over the head: `splits` threads per dimension, or several dimensions per thread. */
function headLanes(headSize: number): { readonly splits: number; readonly perThread: number } {
  return { splits: Math.max(1, Math.floor(64 / headSize)), perThread: Math.ceil(headSize / 64) };
}

/**
 * WGSL of a head's keys and values: four dimensions at a time where heads are whole fours, so that each thread, which
 * has a key's row to itself, asks for it in a fourth of the reads.
 */
function keyReads({ Q, KV, headSize }: ModelShape) {
  const scale = `${1 / Math.sqrt(headSize)}f`;
  const query = (d: string) => `q[r * ${Q}u + head * ${headSize}u + ${d}]`;
  if (headSize % 4 > 0)
    return {
      type: "array<f32>",
      query: `array<f32, ${headSize}>`,
      load: `for (var d = lid; d < ${headSize}u; d += 64u) { query[d] = ${query("d")} * ${scale}; }`,
      score: `for (var d = 0u; d < ${headSize}u; d++) { score = fma(query[d], kv[key_row * ${2 * KV}u + key_at + d], score); }`,
      value: `kv[key_rows[j] * ${2 * KV}u + ${KV}u + key_at + d]`,
    };
  const four = [0, 1, 2, 3].map((i) => query(`4u * unit + ${i}u`)).join(", ");
  return {
    type: "array<vec4f>",
    query: `array<vec4f, ${headSize / 4}>`,
    load: `for (var unit = lid; unit < ${headSize / 4}u; unit += 64u) { query[unit] = vec4f(${four}) * ${scale}; }`,
    score: `for (var unit = 0u; unit < ${headSize / 4}u; unit++) {
        let key = kv[key_row * ${KV / 2}u + key_at / 4u + unit];
        ${[0, 1, 2, 3].map((i) => `score = fma(query[unit][${i}], key[${i}], score);`).join(" ")}
      }`,
    value: `kv[key_rows[j] * ${KV / 2}u + (${KV}u + key_at + d) / 4u][d % 4u]`,
  };
}

/** o_NQ, and stats[N, heads].x = log of the sum of exponentials (its .y is the gradient's). */
export function attentionKernel(shape: ModelShape): Kernel {
  const { Q, heads, kvHeads, headSize } = shape;
  const { splits, perThread } = headLanes(headSize);
  const keys = keyReads(shape);
  return {
    label: "attention",
    buffers: [read("q"), read("kv", keys.type), read("row_info", "array<vec4u>"), write("o"), write("stats", "array<vec2f>")],
    offsets: [],
    reduces: { threads: 64 },
    code: `
${keyRowFunction}
// First and number of the keys of a block: those of the first run come first, and no block has keys of both.
fn keysOf(runs: vec4u, block: u32, first_blocks: u32) -> vec2u {
  let is_first = block < first_blocks;
  let first = select(runs.y + ${tileSide}u * (block - first_blocks), ${tileSide}u * block, is_first);
  let end = select(runs.y + runs.w, runs.y, is_first);
  return vec2u(first, min(${tileSide}u, end - min(first, end)));
}
const lowest = -3.0e38f;
var<workgroup> query: ${keys.query};
var<workgroup> scores: array<f32, 64>;
var<workgroup> key_rows: array<u32, 64>;
var<workgroup> sums: array<f32, ${64 * perThread}>;
${rowEntry(64, "r", "call.rows")}
  let head = group.z;
  let key_at = (head / ${heads / kvHeads}u) * ${headSize}u;
  let runs = row_info[2u * r];
  ${keys.load}
  workgroupBarrier();
  var highest = lowest;
  var total = 0f;
  var out: array<f32, ${perThread}>;
  let first_blocks = (runs.y + ${tileSide - 1}u) / ${tileSide}u;
  let blocks = first_blocks + (runs.w + ${tileSide - 1}u) / ${tileSide}u;
  let is_left = lid < ${tileSide}u;
  for (var block = 0u; block < blocks; block += 2u) {
    let left = keysOf(runs, block, first_blocks);
    let right = keysOf(runs, block + 1u, first_blocks);
    let mine = select(right, left, is_left);
    let is_key = lid % ${tileSide}u < mine.y;
    var score = lowest;
    if (is_key) {
      let key_row = keyRowOf(runs, mine.x + lid % ${tileSide}u);
      score = 0f;
      ${keys.score}
      key_rows[lid] = key_row;
    }
    let left_top = max(highest, reduceMax(select(lowest, score, is_left), lid));
    let right_top = max(left_top, reduceMax(select(score, lowest, is_left), lid));
    scores[lid] = select(0f, exp(score - select(right_top, left_top, is_left)), is_key);
    workgroupBarrier();
    let left_shrink = exp(highest - left_top);
    let right_shrink = exp(left_top - right_top);
    highest = right_top;
    ${[
      ["left_shrink", "0u", "left.y"],
      ["right_shrink", `${tileSide}u`, `${tileSide}u + right.y`],
    ]
      .map(
        ([shrink, from, end]) => `total *= ${shrink};
    for (var j = ${from}; j < ${end}; j++) { total += scores[j]; }
    ${blockSum({ splits, perThread, headSize }, from!, end!, `out[part] = fma(scores[j], ${keys.value}, out[part]);`, `out[part] *= ${shrink};`)}`,
      )
      .join("\n    ")}
    workgroupBarrier();
  }
  for (var part = 0u; part < ${perThread}u; part++) { sums[part * 64u + lid] = out[part]; }
  workgroupBarrier();
  for (var d = lid; d < ${headSize}u; d += 64u) { o[r * ${Q}u + head * ${headSize}u + d] = ${headSum(splits, headSize, "sums")} / total; }
  if (lid == 0u) { stats[r * ${heads}u + head] = vec2f(highest + log(total), 0f); }
}
`,
  };
}

interface HeadLanes {
  readonly splits: number;
  readonly perThread: number;
  readonly headSize: number;
}

/** WGSL: each thread adds its share of a block's keys j to its dimensions d = (thread % headSize) or thread + 64 part. */
function blockSum({ splits, perThread, headSize }: HeadLanes, first: string, end: string, add: string, before: string): string {
  const own = headSize <= 64 ? `lid % ${headSize}u` : "lid + 64u * part";
  const active = headSize <= 64 ? `lid < ${splits * headSize}u` : `d < ${headSize}u`;
  const from = headSize <= 64 ? `${first} + lid / ${headSize}u` : first;
  return `for (var part = 0u; part < ${perThread}u; part++) {
      let d = ${own};
      ${before}
      if (${active}) { for (var j = ${from}; j < ${end}; j += ${splits}u) { ${add} } }
    }`;
}

/** WGSL expression: the whole sum of dimension d from the threads' parts. */
function headSum(splits: number, headSize: number, name: string): string {
  if (headSize > 64) return `${name}[d]`;
  return `(${Array.from({ length: splits }, (_, i) => `${name}[d + ${i * headSize}u]`).join(" + ")})`;
}
