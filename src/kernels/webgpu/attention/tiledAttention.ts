// The same attention as attention.ts for many rows: a workgroup takes 32 of them and brings keys and values into its
// memory once for all (Dao et al. 2022). Rows of a group share their prompt's keys, so neighbours mostly see the same run.
// Dispatch: tiles of rows in (x, y), heads in z.
import type { ModelShape } from "../../modelSizes.ts";
import { type Kernel, read, rowEntry, write } from "../kernel.ts";
import { type Grid, rowGrid } from "../program.ts";
import {
  addRows,
  attentionTiles,
  headChunks,
  keepTile,
  keptRows,
  keyRuns,
  ownPlaces,
  rowProducts,
  storeRows,
  tileCount,
  tileRows,
  tileSide,
  tileThreads,
} from "./attentionTile.ts";

/** Grid of a kernel over tiles of rows. */
export const attentionGrid = (rows: number, heads: number): Grid => rowGrid(Math.ceil(rows / tileSide), heads);

/** o_NQ, and stats[N, heads].x = log of the sum of exponentials (its .y is the gradient's). */
export function tiledAttentionKernel({ Q, KV, heads, kvHeads, headSize }: ModelShape): Kernel {
  const { chunks } = headChunks(headSize);
  const query = (row: string, d: string) => `q[${row} * ${Q}u + head * ${headSize}u + ${d}] * ${1 / Math.sqrt(headSize)}f`;
  const keyed = (from: string) => (row: string, d: string) => `kv[${row} * ${2 * KV}u + ${from} + ${d}]`;
  const block = `${rowProducts("scores", headSize, ["r0", "held", query], ["first", "count", keyed("key_at")])}
        for (var i = 0u; i < 4u; i++) {
          scores[i] = select(vec4f(lowest), scores[i], ${ownPlaces} + block < vec4u(length[i]));
        }
        ${keepTile("scores")}
        workgroupBarrier();
        var top = highest;
        for (var j = 0u; j < count; j++) { top = max(top, ${keptRows("j")}); }
        workgroupBarrier();
        for (var i = 0u; i < 4u; i++) {
          scores[i] = select(vec4f(), exp(scores[i] - top[i]), ${ownPlaces} + block < vec4u(length[i]));
        }
        ${keepTile("scores")}
        let shrink = exp(highest - top);
        highest = top;
        ${Array.from({ length: 4 * chunks }, (_, n) => `out[${n}] *= shrink[${n & 3}];`).join(" ")}
        workgroupBarrier();
        total *= shrink;
        for (var j = 0u; j < count; j++) { total += ${keptRows("j")}; }
        ${addRows("out", headSize, "first", "count", keyed(`${KV}u + key_at`))}`;
  return {
    label: "attention in tiles",
    buffers: [read("q"), read("kv"), read("row_info", "array<vec4u>"), write("o"), write("stats", "array<vec2f>")],
    offsets: [],
    code: `
const lowest = -3.0e38f;
${attentionTiles}
${rowEntry(tileThreads, "tile", tileCount)}
  let head = group.z;
  let key_at = (head / ${heads / kvHeads}u) * ${headSize}u;
  ${tileRows}
  var highest = vec4f(lowest);
  var total = vec4f();
  var scores: array<vec4f, 4>;
  var out: array<vec4f, ${4 * chunks}>;
  ${keyRuns(block)}
  ${storeRows("out", headSize, "held", (m, d, value, i) => `o[${m} * ${Q}u + head * ${headSize}u + ${d}] = ${value} / total[${i}];`)}
  for (var i = 0u; i < 4u; i++) {
    if (tx == 0u && 4u * ty + i < held) { stats[(r0 + 4u * ty + i) * ${heads}u + head] = vec2f(highest[i] + log(total[i]), 0f); }
  }
}
`,
  };
}
