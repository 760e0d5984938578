// Gradient of attention in two kernels (Dao et al. 2022, appendix B.2), probabilities made again from the
// kept log-sums: a workgroup for 32 query rows and a head sums over keys, one for 32 key rows and a head of keys
// over the queries that see them, so that every sum has one owner and a fixed order. RoPE is undone on
// the way out: the rotation by the opposite angle. Dispatch of either: tiles of rows in (x, y), heads in z.

import type { ModelShape } from "../../modelSizes.ts";
import { type Kernel, read, rowEntry, write } from "../kernel.ts";
import {
  addRows,
  attentionTiles,
  headChunks,
  keepTile,
  keyRuns,
  ownPlaces,
  rowProducts,
  rowTotals,
  storeRows,
  tileCount,
  tileRows,
  tileSide,
  tileThreads,
} from "./attentionTile.ts";

/**
 * WGSL: turns the tile's vectors of a head back where they lie in dqkv, `at` behind the beginning of a row; after all
 * threads wrote them.
 */
function unrotate(headSize: number, width: number, at: string): string {
  const half = headSize / 2;
  return `storageBarrier();
  for (var i = lid; i < held * ${half}u; i += ${tileThreads}u) {
    let m = r0 + i / ${half}u;
    let runs = row_info[2u * m];
    let turn = rope[(runs.y + runs.w - 1u) * ${half}u + i % ${half}u];
    let place = m * ${width}u + ${at} + i % ${half}u;
    let first = dqkv[place];
    let second = dqkv[place + ${half}u];
    dqkv[place] = first * turn.x + second * turn.y;
    dqkv[place + ${half}u] = second * turn.x - first * turn.y;
  }`;
}

/** What rows of the buffers hold at a head's dimension, as WGSL. */
function rowValues({ Q, KV, headSize }: ModelShape) {
  const ofQueries = (buffer: string) => (row: string, d: string) => `${buffer}[${row} * ${Q}u + head * ${headSize}u + ${d}]`;
  return {
    query: ofQueries("q"),
    given: ofQueries("d_o"),
    output: ofQueries("o"),
    key: (row: string, d: string) => `kv[${row} * ${2 * KV}u + key_at + ${d}]`,
    value: (row: string, d: string) => `kv[${row} * ${2 * KV}u + ${KV}u + key_at + ${d}]`,
  };
}

/** Columns [0, Q) of dqkv, and stats.y = sum of do * o. Training only: keys lie in rows of the batch. */
export function queryGradientKernel(shape: ModelShape): Kernel {
  const { Q, KV, heads, kvHeads, headSize } = shape;
  const scale = `${1 / Math.sqrt(headSize)}f`;
  const width = Q + 2 * KV;
  const { query, given, output, key, value } = rowValues(shape);
  const scaled = (row: string, d: string) => `${query(row, d)} * ${scale}`;
  const product = (row: string, d: string) => `${given(row, d)} * ${output(row, d)}`;
  const block = `${rowProducts("scores", headSize, ["r0", "held", scaled], ["first", "count", key])}
        ${rowProducts("changes", headSize, ["r0", "held", given], ["first", "count", value])}
        for (var i = 0u; i < 4u; i++) {
          let change = exp(scores[i] - log_sum[i]) * (changes[i] - delta[i]) * ${scale};
          scores[i] = select(vec4f(), change, ${ownPlaces} + block < vec4u(length[i]));
        }
        ${keepTile("scores")}
        ${addRows("out", headSize, "first", "count", key)}`;
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
${attentionTiles}
${rowEntry(tileThreads, "tile", tileCount)}
  let head = group.z;
  let key_at = (head / ${heads / kvHeads}u) * ${headSize}u;
  ${tileRows}
  ${rowTotals("delta", headSize, "r0", "held", product)}
  var log_sum = vec4f();
  for (var i = 0u; i < 4u; i++) { if (4u * ty + i < held) { log_sum[i] = stats[(r0 + 4u * ty + i) * ${heads}u + head].x; } }
  var scores: array<vec4f, 4>;
  var changes: array<vec4f, 4>;
  var out: array<vec4f, ${4 * headChunks(headSize).chunks}>;
  ${keyRuns(block)}
  ${storeRows("out", headSize, "held", (m, d, sum) => `dqkv[${m} * ${width}u + head * ${headSize}u + ${d}] = ${sum};`)}
  ${unrotate(headSize, width, `head * ${headSize}u`)}
  for (var i = 0u; i < 4u; i++) {
    if (tx == 0u && 4u * ty + i < held) { stats[(r0 + 4u * ty + i) * ${heads}u + head] = vec2f(log_sum[i], delta[i]); }
  }
}
`,
  };
}

/** Columns [Q, Q + 2 KV) of dqkv; after queryGradientKernel. Heads of keys in z. */
export function keyValueGradientKernel(shape: ModelShape): Kernel {
  const { Q, KV, heads, kvHeads, headSize } = shape;
  const scale = `${1 / Math.sqrt(headSize)}f`;
  const width = Q + 2 * KV;
  const { chunks } = headChunks(headSize);
  const { query, given, key, value } = rowValues(shape);
  const scaled = (row: string, d: string) => `${key(row, d)} * ${scale}`;
  // A key is seen by its own row and those behind it, and by all rows whose prefix its segment is.
  const block = `let count = min(${tileSide}u, length - block);
          let query = first + block;
          ${rowProducts("scores", headSize, ["r0", "held", scaled], ["query", "count", query])}
          ${rowProducts("changes", headSize, ["r0", "held", value], ["query", "count", given])}
          var log_sum = vec4f();
          var delta = vec4f();
          for (var k = 0u; k < 4u; k++) {
            if (4u * tx + k < count) {
              let kept = stats[(query + 4u * tx + k) * ${heads}u + head];
              log_sum[k] = kept.x;
              delta[k] = kept.y;
            }
          }
          for (var i = 0u; i < 4u; i++) {
            let m = r0 + 4u * ty + i;
            let isSeen = (${ownPlaces} < vec4u(count)) & vec4<bool>(m >= begin && m < next) & ((${ownPlaces} + query >= vec4u(m)) | vec4<bool>(run < seen.z));
            scores[i] = select(vec4f(), exp(scores[i] - log_sum), isSeen);
            changes[i] = scores[i] * (changes[i] - delta) * ${scale};
          }
          ${keepTile("scores")}
          ${addRows("d_value", headSize, "query", "count", given)}
          ${keepTile("changes")}
          ${addRows("d_key", headSize, "query", "count", query)}`;
  const own = `${Q}u + group.z * ${headSize}u`;
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
${attentionTiles}
${rowEntry(tileThreads, "tile", tileCount)}
  let key_at = group.z * ${headSize}u;
  ${tileRows}
  var scores: array<vec4f, 4>;
  var changes: array<vec4f, 4>;
  var d_key: array<vec4f, ${4 * chunks}>;
  var d_value: array<vec4f, ${4 * chunks}>;
  for (var begin = r0; begin < end;) {
    // Rows of a segment are neighbours, and no two segments end at the same row.
    let seen = row_info[2u * begin + 1u];
    var next = begin + 1u;
    while (next < end) {
      if (row_info[2u * next + 1u].x != seen.x) { break; }
      next++;
    }
    for (var run = seen.y; run <= seen.z; run++) {
      var first = begin;
      var length = seen.x - begin;
      if (run < seen.z) {
        let later = row_info[2u * call.rows + run];
        first = later.x;
        length = later.y;
      }
      for (var head = group.z * ${heads / kvHeads}u; head < (group.z + 1u) * ${heads / kvHeads}u; head++) {
        for (var block = 0u; block < length; block += ${tileSide}u) {
          ${block}
        }
      }
    }
    begin = next;
  }
  ${storeRows("d_key", headSize, "held", (m, d, sum) => `dqkv[${m} * ${width}u + ${own} + ${d}] = ${sum};`)}
  ${storeRows("d_value", headSize, "held", (m, d, sum) => `dqkv[${m} * ${width}u + ${own} + ${KV}u + ${d}] = ${sum};`)}
  ${unrotate(headSize, width, own)}
}
`,
  };
}
