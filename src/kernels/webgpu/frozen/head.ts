// The output head over a frozen matrix of tens of thousands of ids, in tiles of rows x ids. Scoring keeps of each row a
// running maximum, the sum of exponentials and their first moment (Milakov & Gimelshein 2018), and the target's logit:
// no row's logits are stored. A gradient makes the logits of some ids again and turns them into
// dz_v = (g (1[v = target] - p_v) - e p_v (log p_v + H)) / temperature, which then go through the matrix.
// The matrix may lie in several buffers, each with the ids from op.id on.
import type { ModelShape } from "../../modelSizes.ts";
import { type Kernel, read, rowEntry, write } from "../kernel.ts";
import { frozenGemm } from "./gemm.ts";
import { baseReader, type StoredForm } from "./storedForm.ts";
import { type FrozenTile, gemmThreads, threadRow, threadRows } from "./tile.ts";

const rows = "call.scored";
const lowest = "-3.0e38f";

function headGemm({ D, V }: ModelShape, form: StoredForm, tile: FrozenTile) {
  return { form, outputs: V, inputs: D, tile, rows, parts: [], scale: "1f", extent: "op.count" } as const;
}

/** logits_KV of the ids [op.id, op.id + op.count), from the normed rows. */
export function logitsKernel(shape: ModelShape, form: StoredForm, tile: FrozenTile): Kernel {
  return frozenGemm({
    ...headGemm(shape, form, tile),
    label: "logits",
    direction: "toOutputs",
    left: { name: "normed", width: shape.D },
    buffers: [write("logits")],
    offsets: ["id", "count"],
    store: `fn store4(m: u32, n0: u32, value: vec4f) {
  for (var i = 0u; i < 4u; i++) { if (n0 + i < op.count) { logits[m * ${shape.V}u + op.id + n0 + i] = value[i]; } }
}`,
  });
}

/**
 * partials[(op.share + x) scored + m] = (maximum, sum, moment, 0) over the x-th share of these ids, as dispatched in x;
 * target_logits_K where the target is among them.
 */
export function headPartialsKernel(shape: ModelShape, form: StoredForm, tile: FrozenTile): Kernel {
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
  return frozenGemm({
    ...headGemm(shape, form, tile),
    label: "head partials",
    direction: "toOutputs",
    left: { name: "normed", width: shape.D },
    buffers: [read("target_token", "array<u32>"), write("target_logits"), write("partials", "array<vec4f>")],
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
    if (target_token[m] == op.id + n0 + j) { target_logits[m] = value[j] * call.inverseTemperature; }
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

/** scores_K = (log-prob, entropy, value, log of the sum of exponentials), from all shares. */
export function frozenScoresKernel({ D, valueHead }: ModelShape, shares: number): Kernel {
  const value = `var dot = 0f;
  for (var d = lid; d < ${D}u; d += 64u) { dot = fma(normed[k * ${D}u + d], trained[op.value + d], dot); }
  value = reduceSum(dot, lid) + trained[op.value + ${D}u];`;
  return {
    label: "scores",
    buffers: [
      read("partials", "array<vec4f>"),
      read("target_logits"),
      write("scores", "array<vec4f>"),
      ...(valueHead ? [read("normed"), read("trained")] : []),
    ],
    offsets: valueHead ? ["value"] : [],
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

/** dz_K(block), for the ids from op.id on, op.count of them; what lies behind in a row's last four is 0. */
export function logitsGradientKernel(shape: ModelShape, form: StoredForm, tile: FrozenTile, block: number): Kernel {
  return frozenGemm({
    ...headGemm(shape, form, tile),
    label: "logits gradient",
    direction: "toOutputs",
    left: { name: "normed", width: shape.D },
    firstRow: "op.first",
    buffers: [
      read("target_token", "array<u32>"),
      read("scores", "array<vec4f>"),
      read("token_gradients", "array<vec4f>"),
      write("dz", "array<vec4f>"),
    ],
    offsets: ["id", "count", "first"],
    store: `fn store4(m: u32, n0: u32, value: vec4f) {
  let score = scores[m];
  let given = token_gradients[m];
  let logp = value * call.inverseTemperature - score.w;
  let p = exp(logp);
  let ids = vec4u(n0) + vec4u(0u, 1u, 2u, 3u);
  let hit = select(vec4f(), vec4f(given.x), ids + op.id == vec4u(target_token[m]));
  let change = (hit - p * (given.x + given.y * (logp + score.y))) * call.inverseTemperature;
  dz[m * ${block / 4}u + n0 / 4u] = select(vec4f(), change, ids < vec4u(op.count));
}`,
  });
}

/** dh[part, K, D] (+)= dz W of the block's ids, from the matrix's row op.first on; the first block sets it. */
export function headInputGradientKernel(shape: ModelShape, form: StoredForm, tile: FrozenTile, block: number): Kernel {
  const { D } = shape;
  return frozenGemm({
    ...headGemm(shape, form, tile),
    label: "head input gradient",
    direction: "toInputs",
    left: { name: "dz", width: block },
    firstRow: "op.first",
    buffers: [write("dh")],
    offsets: ["count", "first", "is_first", "stride"],
    store: `fn store4(m: u32, n0: u32, value: vec4f) {
  for (var i = 0u; i < 4u; i++) {
    if (n0 + i >= ${D}u) { continue; }
    let at = part * op.stride + m * ${D}u + n0 + i;
    dh[at] = select(dh[at], 0f, op.is_first == 1u) + value[i];
  }
}`,
  });
}

/**
 * From dh of the scored tokens, in parts, to dx_ND at the last layer's output: several tokens may share a row, rows
 * without any get 0. row_scores as in the whole model's final norm.
 */
export function finalNormGradientKernel({ D, valueHead }: ModelShape, parts: number): Kernel {
  const value = valueHead ? " + token_gradients[token].z * trained[op.value + d]" : "";
  return {
    label: "final norm gradient",
    buffers: [
      read("vectors"),
      read("x"),
      read("inverse_rms"),
      read("dh"),
      read("row_scores", "array<u32>"),
      write("dx"),
      ...(valueHead ? [read("token_gradients", "array<vec4f>"), read("trained")] : []),
    ],
    offsets: ["norm", "stride", ...(valueHead ? ["value"] : [])],
    reduces: { threads: 128 },
    code: `
${rowEntry(128, "r", "call.rows")}
  let first = row_scores[r];
  let end = row_scores[r + 1u];
  let scale = inverse_rms[row_scores[call.rows + 1u + min(first, call.scored - 1u)]];
  var dot = 0f;
  for (var d = lid; d < ${D}u; d += 128u) {
    var sum = 0f;
    for (var i = first; i < end; i++) {
      let token = row_scores[call.rows + 1u + i];
      for (var part = 0u; part < ${parts}u; part++) { sum += dh[part * op.stride + token * ${D}u + d]; }
      sum += 0f${value};
    }
    let weighted = sum * vectors[op.norm + d];
    dx[r * ${D}u + d] = weighted;
    dot = fma(weighted, x[r * ${D}u + d], dot);
  }
  let pull = reduceSum(dot, lid) * scale * scale * scale / ${D}f;
  for (var d = lid; d < ${D}u; d += 128u) {
    let at = r * ${D}u + d;
    dx[at] = select(0f, scale * dx[at] - x[at] * pull, first < end);
  }
}
`,
  };
}

/** Inside a layer: dx += the gradient of RMSNorm's input, from dy at its output. */
export function normGradientKernel({ D }: ModelShape): Kernel {
  return {
    label: "norm gradient",
    buffers: [read("vectors"), read("x"), read("inverse_rms"), read("dy"), write("dx")],
    offsets: ["norm"],
    reduces: { threads: 128 },
    code: `
${rowEntry(128, "r", "call.rows")}
  let scale = inverse_rms[r];
  var dot = 0f;
  for (var d = lid; d < ${D}u; d += 128u) { dot = fma(vectors[op.norm + d] * dy[r * ${D}u + d], x[r * ${D}u + d], dot); }
  let pull = reduceSum(dot, lid) * scale * scale * scale / ${D}f;
  for (var d = lid; d < ${D}u; d += 128u) {
    let at = r * ${D}u + d;
    dx[at] += scale * vectors[op.norm + d] * dy[at] - x[at] * pull;
  }
}
`,
  };
}

/** The value head's gradient: weights, then bias, at op.value. Dispatch: columns in workgroups of 64. */
export function valueGradientKernel({ D }: ModelShape): Kernel {
  return {
    label: "value gradient",
    buffers: [read("normed"), read("token_gradients", "array<vec4f>"), write("gradient")],
    offsets: ["value"],
    code: `
@compute @workgroup_size(64)
fn main(@builtin(global_invocation_id) id: vec3u) {
  let d = id.x;
  if (d > ${D}u) { return; }
  var sum = 0f;
  for (var k = 0u; k < call.scored; k++) {
    let given = token_gradients[k].z;
    if (d < ${D}u) { sum = fma(given, normed[k * ${D}u + d], sum); } else { sum += given; }
  }
  gradient[op.value + d] += sum;
}
`,
  };
}

/** x = the embedding of the tokens of `over` rows, as far as they are among the ids from op.id on. */
export function frozenEmbedKernel({ D }: ModelShape, form: StoredForm, over: "rows" | "scored"): Kernel {
  const reader = baseReader(form, D);
  return {
    label: `embed (${form.name})`,
    buffers: [read("base", reader.type), read("row_info", "array<vec4u>"), write("x")],
    offsets: ["id", "count"],
    code: `
${reader.code}
${rowEntry(64, "r", `call.${over}`)}
  let token = row_info[2u * r + 1u].w;
  if (token < op.id || token >= op.id + op.count) { return; }
  for (var unit = lid; unit < ${Math.ceil(D / 4)}u; unit += 64u) {
    let value = base4(token - op.id, unit);
    for (var i = 0u; i < 4u; i++) { if (4u * unit + i < ${D}u) { x[r * ${D}u + 4u * unit + i] = value[i]; } }
  }
}
`,
  };
}
