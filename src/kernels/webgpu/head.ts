// The output head over a vocabulary of any size, in tiles of rows x ids, with the final RMSNorm in the same pass. Scoring
// keeps of each row a running maximum, the sum of exponentials and their first moment (Milakov & Gimelshein 2018), and the
// target's logit: no row's logits are stored. A gradient makes the logits of some ids again and turns them into
// dz_v = (g (1[v = target] - p_v) - e p_v (log p_v + H)) / temperature, which then go through the matrix.
// The matrix may lie in several buffers, each with the ids from op.id on; `asked` are (row, token) of each scored token.
import type { ModelShape } from "../modelSizes.ts";
import { type Kernel, type KernelBuffer, read, rowEntry, write } from "./kernel.ts";
import { gemmKernel } from "./product/gemm.ts";
import { activations, matrixRows, normedLines, weighedLines } from "./product/operands.ts";
import { storeEach, weightGradientOf } from "./product/projections.ts";
import type { StoredForm } from "./product/storedForm.ts";
import { gemmThreads, type Tile, threadRow, threadRows } from "./product/tile.ts";

const rows = "call.scored";
const lowest = "-3.0e38f";
const asked = read("asked", "array<vec2u>");

/** logits_RV of the ids [op.id, op.id + op.count) at rows score_row_R of x, not yet divided by the temperature. */
export function logitsKernel({ D, V, eps }: ModelShape, form: StoredForm, tile: Tile): Kernel {
  return gemmKernel({
    label: "logits",
    tile,
    rows,
    columns: "op.count",
    depth: `${D}u`,
    left: normedLines(D, eps, "score_row[line]"),
    right: matrixRows(form, D, "terms"),
    buffers: [read("score_row", "array<u32>"), write("logits")],
    offsets: ["id", "count"],
    store: storeEach("op.count", `logits[m * ${V}u + op.id + n] = value[i];`),
  });
}

/**
 * partials[(op.share + x) scored + m] = (maximum, sum, moment, 0) over the x-th share of these ids, as dispatched in x;
 * target_logits_K where the target is among them; 1 / rms of the tokens' rows.
 */
export function headPartialsKernel({ D, eps }: ModelShape, form: StoredForm, tile: Tile): Kernel {
  const { across, count } = threadRows(tile);
  const merge = `for (var i = 0u; i < ${count}u; i++) {
    merged[lid] = moments[i];
    workgroupBarrier();
    let m = m0 + ${threadRow(tile, "i")};
    if (tx == 0u && m < rows) {
      var all = merged[lid];
      for (var j = 1u; j < ${across}u; j++) { all = joined(all, merged[lid + j]); }
      partials[(op.share + group.x) * call.scored + m] = vec4f(all, 0f);
    }
    workgroupBarrier();
  }`;
  return gemmKernel({
    label: "head partials",
    tile,
    rows,
    columns: "op.count",
    depth: `${D}u`,
    left: normedLines(D, eps, "asked[line].x"),
    right: matrixRows(form, D, "terms"),
    buffers: [asked, write("target_logits"), write("partials", "array<vec4f>")],
    offsets: ["id", "count", "share"],
    tiles: {
      from: `let all_tiles = (columns + ${tile.columns - 1}u) / ${tile.columns}u;
  let per_group = (all_tiles + groups.x - 1u) / groups.x;
  let first_tile = min(all_tiles, group.x * per_group);
  let last_tile = min(all_tiles, first_tile + per_group);
  for (var i = 0u; i < ${count}u; i++) { moments[i] = vec3f(${lowest}, 0f, 0f); }`,
      after: merge,
    },
    declarations: `var<workgroup> merged: array<vec3f, ${gemmThreads}>;
var<private> moments: array<vec3f, ${count}>;
${joinedFunction}`,
    store: `fn store4(m: u32, n0: u32, value: vec4f) {
  for (var j = 0u; j < 4u; j++) {
    if (n0 + j >= op.count) { continue; }
    moments[thread_row] = joined(moments[thread_row], vec3f(value[j] * call.inverseTemperature, 1f, 0f));
    if (asked[m].y == op.id + n0 + j) { target_logits[m] = value[j] * call.inverseTemperature; }
  }
}`,
  });
}

/** WGSL: (maximum, sum of e^(z - maximum), its moment of z - maximum) of two sets of ids as one. */
const joinedFunction = `fn joined(a: vec3f, b: vec3f) -> vec3f {
  let top = max(a.x, b.x);
  let by_a = exp(a.x - top);
  let by_b = exp(b.x - top);
  let moment = select(0f, by_a * (a.z + (a.x - top) * a.y), by_a > 0f) + select(0f, by_b * (b.z + (b.x - top) * b.y), by_b > 0f);
  return vec3f(top, by_a * a.y + by_b * b.y, moment);
}`;

/** scores_K = (log-prob, entropy, value, log of the sum of exponentials), nats at the call's temperature, from all shares. */
export function scoresKernel({ D, valueHead }: ModelShape, shares: number): Kernel {
  const value = `var dot = 0f;
  for (var d = lid; d < ${D}u; d += 64u) {
    dot = fma(x[asked[k].x * ${D}u + d] * inverse_rms[k] * vectors[op.norm + d], value_head[op.value + d], dot);
  }
  value = reduceSum(dot, lid) + value_head[op.value + ${D}u];`;
  return {
    label: "scores",
    buffers: [
      ...[read("partials", "array<vec4f>"), read("target_logits"), write("scores", "array<vec4f>")],
      ...(valueHead ? [asked, read("x"), read("inverse_rms"), read("vectors"), read("value_head")] : []),
    ],
    offsets: valueHead ? ["norm", "value"] : [],
    reduces: { threads: 64 },
    code: `
${joinedFunction}
${rowEntry(64, "k", rows)}
  var value = 0f;
  ${valueHead ? value : ""}
  if (lid == 0u) {
    var all = vec3f(${lowest}, 0f, 0f);
    for (var share = 0u; share < ${shares}u; share++) { all = joined(all, partials[share * call.scored + k].xyz); }
    let log_sum = all.x + log(all.y);
    scores[k] = vec4f(target_logits[k] - log_sum, log(all.y) - all.z / all.y, value, log_sum);
  }
}
`,
  };
}

/**
 * dz_K(block), for the ids from op.id on, op.count of them; what lies behind in a row's last four is 0. token_gradients_K =
 * d loss / d (log-prob, entropy, value), scores_K as scoresKernel left them.
 */
export function logitsGradientKernel({ D }: ModelShape, form: StoredForm, tile: Tile, block: number): Kernel {
  return gemmKernel({
    label: "logits gradient",
    tile,
    rows,
    columns: "op.count",
    depth: `${D}u`,
    left: weighedLines(D, "asked[line].x"),
    right: matrixRows(form, D, "terms", "op.first"),
    buffers: [asked, read("scores", "array<vec4f>"), read("token_gradients", "array<vec4f>"), write("dz", "array<vec4f>")],
    offsets: ["id", "count", "first"],
    store: `fn store4(m: u32, n0: u32, value: vec4f) {
  let score = scores[m];
  let given = token_gradients[m];
  let logp = value * inverse_rms[m] * call.inverseTemperature - score.w;
  let p = exp(logp);
  let ids = vec4u(n0) + vec4u(0u, 1u, 2u, 3u);
  let hit = select(vec4f(), vec4f(given.x), ids + op.id == vec4u(asked[m].y));
  let change = (hit - p * (given.x + given.y * (logp + score.y))) * call.inverseTemperature;
  dz[m * ${block / 4}u + n0 / 4u] = select(vec4f(), change, ids < vec4u(op.count));
}`,
  });
}

/** dh[part, K, D] (+)= dz W of the block's ids, from the matrix's row op.first on; the first block sets it, with the value head's share. */
export function headInputGradientKernel({ D, valueHead }: ModelShape, form: StoredForm, tile: Tile, block: number): Kernel {
  const value: readonly KernelBuffer[] = valueHead ? [read("token_gradients", "array<vec4f>"), read("value_head")] : [];
  const share = "select(0f, token_gradients[m].z * value_head[op.value + n], part == 0u)";
  return gemmKernel({
    label: "head input gradient",
    tile,
    rows,
    columns: `${D}u`,
    depth: "op.count",
    left: activations("dz", block),
    right: matrixRows(form, D, "results", "op.first"),
    buffers: [...value, write("dh")],
    offsets: ["count", "first", "is_first", "stride", ...(valueHead ? ["value"] : [])],
    store: storeEach(
      `${D}u`,
      `let at = part * op.stride + m * ${D}u + n;
      dh[at] = select(dh[at], ${valueHead ? share : "0f"}, op.is_first == 1u) + value[i];`,
    ),
  });
}

/** dW += dz^T of the block's ids and the normed rows of the scored tokens. */
export function headWeightGradientKernel({ D }: ModelShape, tile: Tile, block: number): Kernel {
  const dy = activations("dz", block, { along: "results" });
  const rowsOfX = activations("x", D, { along: "results", line: "asked[line].x", factor: "inverse_rms[line]" });
  const x = { ...rowsOfX, buffers: [...rowsOfX.buffers, asked], offsets: ["count"] };
  return weightGradientOf({ label: "head weight gradient", dy, x, outputs: "op.count", terms: rows, inputs: D, hasNorm: true }, tile);
}
