// Gradient of attention in two kernels (Dao et al. 2022, appendix B.2), probabilities made again from the
// kept log-sums: one workgroup per query row and head sums over keys, one per key row and head of keys
// over the queries that see it, so that every sum has one owner and a fixed order. RoPE is undone on
// the way out: the rotation by the opposite angle.

import type { ModelShape } from "../../modelSizes.ts";
import { blockSum, headLanes, headSum } from "../attention.ts";
import { type Kernel, keyRowFunction, read, rowEntry, write } from "../kernel.ts";

/** WGSL: writes the pairs of the head-sized vector `from`, rotated back, to dqkv at `at`. */
function unrotate(half: number, from: string, at: string): string {
  return `for (var i = lid; i < ${half}u; i += 64u) {
    let turn = rope[position * ${half}u + i];
    let first = ${from}[i];
    let second = ${from}[i + ${half}u];
    dqkv[${at} + i] = first * turn.x + second * turn.y;
    dqkv[${at} + i + ${half}u] = second * turn.x - first * turn.y;
  }`;
}

/** Columns [0, Q) of dqkv, and stats.y = sum of do * o. Rows in (x, y), heads in z. Training only: keys lie in rows of the batch. */
export function queryGradientKernel({ Q, KV, heads, kvHeads, headSize }: ModelShape): Kernel {
  const { splits, perThread } = headLanes(headSize);
  const scale = `${1 / Math.sqrt(headSize)}f`;
  return {
    label: "query gradient",
    buffers: [
      read("q"),
      read("kv"),
      read("row_info", "array<vec4u>"),
      read("rope", "array<vec2f>"),
      read("o"),
      read("d_o"),
      write("stats", "array<vec2f>"),
      write("dqkv"),
    ],
    offsets: [],
    code: `
${keyRowFunction}
var<workgroup> query: array<f32, ${headSize}>;
var<workgroup> given: array<f32, ${headSize}>;
var<workgroup> products: array<f32, ${headSize}>;
var<workgroup> scores: array<f32, 64>;
var<workgroup> key_rows: array<u32, 64>;
var<workgroup> sums: array<f32, ${64 * perThread}>;
${rowEntry(64, "r", "call.rows")}
  let head = group.z;
  let at = r * ${Q}u + head * ${headSize}u;
  let key_at = (head / ${heads / kvHeads}u) * ${headSize}u;
  let runs = row_info[2u * r];
  let keys = runs.y + runs.w;
  let position = keys - 1u;
  for (var d = lid; d < ${headSize}u; d += 64u) {
    query[d] = q[at + d] * ${scale};
    given[d] = d_o[at + d];
    products[d] = d_o[at + d] * o[at + d];
  }
  workgroupBarrier();
  var delta = 0f;
  for (var d = 0u; d < ${headSize}u; d++) { delta += products[d]; }
  let log_sum = stats[r * ${heads}u + head].x;
  var out: array<f32, ${perThread}>;
  for (var block = 0u; block < keys; block += 64u) {
    let count = min(64u, keys - block);
    if (lid < count) {
      let key_row = keyRowOf(runs, block + lid);
      let key_row_at = key_row * ${2 * KV}u + key_at;
      var score = 0f;
      var change = 0f;
      for (var d = 0u; d < ${headSize}u; d++) {
        score = fma(query[d], kv[key_row_at + d], score);
        change = fma(given[d], kv[key_row_at + ${KV}u + d], change);
      }
      key_rows[lid] = key_row;
      scores[lid] = exp(score - log_sum) * (change - delta) * ${scale};
    }
    workgroupBarrier();
    ${blockSum(splits, perThread, headSize, `out[part] = fma(scores[j], kv[key_rows[j] * ${2 * KV}u + key_at + d], out[part]);`)}
    workgroupBarrier();
  }
  for (var part = 0u; part < ${perThread}u; part++) { sums[part * 64u + lid] = out[part]; }
  workgroupBarrier();
  for (var d = lid; d < ${headSize}u; d += 64u) { query[d] = ${headSum(splits, headSize, "sums")}; }
  workgroupBarrier();
  ${unrotate(headSize / 2, "query", `r * ${Q + 2 * KV}u + head * ${headSize}u`)}
  if (lid == 0u) { stats[r * ${heads}u + head] = vec2f(log_sum, delta); }
}
`,
  };
}

/** Columns [Q, Q + 2 KV) of dqkv; after queryGradientKernel. Rows in (x, y), heads of keys in z. */
export function keyValueGradientKernel({ Q, KV, heads, kvHeads, headSize }: ModelShape): Kernel {
  const { splits, perThread } = headLanes(headSize);
  const scale = `${1 / Math.sqrt(headSize)}f`;
  const add = `let row_at = (first + block + j) * ${Q}u + head * ${headSize}u + d;
        d_key[part] = fma(changes[j], q[row_at], d_key[part]);
        d_value[part] = fma(scores[j], d_o[row_at], d_value[part]);`;
  return {
    label: "key and value gradient",
    buffers: [
      read("q"),
      read("kv"),
      read("row_info", "array<vec4u>"),
      read("rope", "array<vec2f>"),
      read("d_o"),
      read("stats", "array<vec2f>"),
      write("dqkv"),
    ],
    offsets: [],
    code: `
var<workgroup> key: array<f32, ${headSize}>;
var<workgroup> value: array<f32, ${headSize}>;
var<workgroup> scores: array<f32, 64>;
var<workgroup> changes: array<f32, 64>;
var<workgroup> key_sums: array<f32, ${64 * perThread}>;
var<workgroup> value_sums: array<f32, ${64 * perThread}>;
${rowEntry(64, "r", "call.rows")}
  let key_at = r * ${2 * KV}u + group.z * ${headSize}u;
  let runs = row_info[2u * r];
  let seen = row_info[2u * r + 1u];
  let position = runs.y + runs.w - 1u;
  for (var d = lid; d < ${headSize}u; d += 64u) {
    key[d] = kv[key_at + d] * ${scale};
    value[d] = kv[key_at + ${KV}u + d];
  }
  workgroupBarrier();
  var d_key: array<f32, ${perThread}>;
  var d_value: array<f32, ${perThread}>;
  for (var run = seen.y; run <= seen.z; run++) {
    var first = r;
    var length = seen.x - r;
    if (run < seen.z) {
      let later = row_info[2u * call.rows + run];
      first = later.x;
      length = later.y;
    }
    for (var head = group.z * ${heads / kvHeads}u; head < (group.z + 1u) * ${heads / kvHeads}u; head++) {
      for (var block = 0u; block < length; block += 64u) {
        let count = min(64u, length - block);
        if (lid < count) {
          let i = first + block + lid;
          let row_at = i * ${Q}u + head * ${headSize}u;
          var score = 0f;
          var change = 0f;
          for (var d = 0u; d < ${headSize}u; d++) {
            score = fma(key[d], q[row_at + d], score);
            change = fma(value[d], d_o[row_at + d], change);
          }
          let kept = stats[i * ${heads}u + head];
          let p = exp(score - kept.x);
          scores[lid] = p;
          changes[lid] = p * (change - kept.y) * ${scale};
        }
        workgroupBarrier();
        ${blockSum(splits, perThread, headSize, add)}
        workgroupBarrier();
      }
    }
  }
  for (var part = 0u; part < ${perThread}u; part++) {
    key_sums[part * 64u + lid] = d_key[part];
    value_sums[part * 64u + lid] = d_value[part];
  }
  workgroupBarrier();
  let at = r * ${Q + 2 * KV}u + ${Q}u + group.z * ${headSize}u;
  for (var d = lid; d < ${headSize}u; d += 64u) {
    key[d] = ${headSum(splits, headSize, "key_sums")};
    dqkv[at + ${KV}u + d] = ${headSum(splits, headSize, "value_sums")};
  }
  workgroupBarrier();
  ${unrotate(headSize / 2, "key", "at")}
}
`,
  };
}
