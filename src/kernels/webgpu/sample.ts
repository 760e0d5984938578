// Chooses the next token of each sequence on the GPU: the rule of rl/rollout/sampleToken.ts. Thresholds of
// top-k and top-p are found exactly, bit by bit, on an order-preserving integer image of the logits, so
// nothing is sorted. Records token, log-prob and entropy, advances the row and embeds the token for the
// next step. Dispatch: one workgroup per row.

import type { ModelShape } from "../modelSizes.ts";
import { embeddedRow } from "./embedding.ts";
import { type Kernel, read, sampledWords, write } from "./kernel.ts";
import { baseReader, type StoredForm } from "./product/storedForm.ts";

/** Threads of a row: no more than there are ids, since each reads the shares of all others. */
const threadsOf = (V: number): number => Math.min(256, 2 ** Math.ceil(Math.log2(Math.max(32, V))));

/** WGSL: keyOf preserves order; likely(key) is exp(logit / temperature - highest). */
const keys = `
fn keyOf(value: f32) -> u32 {
  let bits = bitcast<u32>(value);
  return select(bits | 0x80000000u, ~bits, (bits >> 31u) != 0u);
}
fn valueOf(key: u32) -> f32 { return bitcast<f32>(select(~key, key & 0x7fffffffu, (key >> 31u) != 0u)); }`;

/** WGSL: over this workgroup's tokens that may be drawn with key >= floor, the sum of `what`. */
const total = (name: string, what: string) => `
fn ${name}(floor: u32, lid: u32) -> f32 {
  var sum = 0f;
  for (var v = begin; v < draw_end; v++) {
    let key = keyOf(logits[at + v] * call.inverseTemperature);
    if (key >= floor) { sum += ${what}; }
  }
  return reduceSum(sum, lid);
}`;

/**
 * WGSL: sets `floor_key` and `ties`: kept are keys above it and the first `ties` tokens equal to it.
 * Each search goes down the 32 bits; its rounds before and after that measure the whole and what lies
 * above the key found, in the same loop because code is inlined wherever it is called.
 */
const thresholds = (V: number) => `
fn keepTopK(lid: u32) {
  let wanted = f32(call.topK);
  var key = 0u;
  for (var round = 1u; round <= 33u; round++) {
    let candidate = select(key + 1u, key | (1u << (32u - round)), round <= 32u);
    let count = countFrom(candidate, lid);
    if (round == 33u) { ties = wanted - count; } else if (count >= wanted) { key = candidate; }
  }
  floor_key = key;
}
fn keepTopP(lid: u32) {
  let top = keyOf(highest);
  let equal = select(0f, ties * exp(valueOf(floor_key) - highest), floor_key > 0u);
  var goal = 0f;
  var above = 0f;
  var key = 0u;
  for (var round = 0u; round <= 33u; round++) {
    var candidate = select(key + 1u, key | (1u << (32u - round)), round <= 32u);
    if (round == 0u) { candidate = 0u; }
    let mass = massFrom(max(candidate, floor_key + 1u), lid) + select(0f, equal, candidate <= floor_key);
    if (round == 0u) { goal = call.topP * mass; }
    else if (round == 33u) { above = mass; }
    else if (candidate <= top && mass >= goal) { key = candidate; }
  }
  let needed = max(1f, ceil((goal - above) / exp(valueOf(key) - highest)));
  ties = select(needed, min(ties, needed), key <= floor_key);
  floor_key = max(key, floor_key);
}
fn dropUnlikely(lid: u32) {
  floor_key = 0u;
  ties = ${V}f;
  if (call.topK > 0u && call.topK < ${V}u) { keepTopK(lid); }
  if (call.topP < 1f) { keepTopP(lid); }
}`;

const inverseCdf = (threads: number) => `
fn chooseByCdf(r: u32, lid: u32) {
  var equal = 0f;
  for (var v = begin; v < draw_end; v++) { equal += select(0f, 1f, keyOf(logits[at + v] * call.inverseTemperature) == floor_key); }
  shares[lid] = equal;
  workgroupBarrier();
  var rank = 0f;
  for (var i = 0u; i < lid; i++) { rank += shares[i]; }
  workgroupBarrier();
  var own = 0f;
  var seen = rank;
  for (var v = begin; v < draw_end; v++) { own += weightOf(v, &seen); }
  shares[lid] = own;
  workgroupBarrier();
  var before = 0f;
  var all = 0f;
  for (var i = 0u; i < ${threads}u; i++) {
    if (i == lid) { before = all; }
    all += shares[i];
  }
  let more = row_info[2u * r + 1u];
  let step = min(row_info[2u * r].w - more.z, call.maxNewTokens - 1u);
  let drawn = uniforms[more.x * call.maxNewTokens + step] * all;
  var reached = before;
  var last = 0u;
  var found = 0xffffffffu;
  seen = rank;
  for (var v = begin; v < draw_end; v++) {
    let weight = weightOf(v, &seen);
    if (weight > 0f) {
      reached += weight;
      last = v + 1u;
      if (reached > drawn && found == 0xffffffffu) { found = v; }
    }
  }
  if (own > 0f && before <= drawn && drawn < before + own) { chosen_in_share = select(last - 1u, found, found != 0xffffffffu); }
  if (own > 0f) { atomicMax(&last_kept, last); }
}`;

const record = `
fn record(r: u32, token: u32, log_sum: f32, entropy: f32) {
  let info = row_info[2u * r];
  let more = row_info[2u * r + 1u];
  let step = info.w - more.z;
  if (more.y == 1u || step >= call.maxNewTokens) { return; }
  let logprob = logits[at + token] * call.inverseTemperature - log_sum;
  let into = (more.x * call.maxNewTokens + step) * ${sampledWords}u;
  sampled[into] = token;
  sampled[into + 1u] = bitcast<u32>(logprob);
  sampled[into + 2u] = bitcast<u32>(entropy);
  var stopped = 0u;
  for (var i = 0u; i < call.stopCount; i++) { if (call.stops[i / 4u][i % 4u] == token) { stopped = 1u; } }
  row_info[2u * r] = vec4u(info.xyz, info.w + 1u);
  row_info[2u * r + 1u] = vec4u(more.x, stopped, more.z, token);
}`;

/** WGSL: puts a token's embedding into the row of x. */
const embedding = (shape: ModelShape, form: StoredForm, threads: number) => `
${baseReader(form, shape.D).code}
fn embed(r: u32, token: u32, lid: u32) {${embeddedRow(shape, threads, "token")}
}`;

/**
 * logits_RV → sampled[place * maxNewTokens + step] = (token, bits of log-prob and entropy) of the row's
 * place in the turn; x_RD gets the token's embedding where that lies in one buffer, of which this is the form. A row
 * that has stopped or is full is left as it is. uniforms: [place, step]. Ids from `ids` on count in log-probs and
 * entropies and are never drawn.
 */
export function sampleKernel(shape: ModelShape, { ids, form }: { readonly ids: number; readonly form: StoredForm | undefined }): Kernel {
  const { D, V } = shape;
  const threads = threadsOf(V);
  const highestDrawn = `var best_drawn = -3.0e38f;
  for (var v = begin; v < draw_end; v++) { best_drawn = max(best_drawn, logits[at + v] * call.inverseTemperature); }
  best_drawn = reduceMax(best_drawn, lid);`;
  return {
    label: "sample",
    buffers: [
      ...(form ? [read("base", baseReader(form, D).type), write("x")] : []),
      read("logits"),
      read("uniforms"),
      write("row_info", "array<vec4u>"),
      write("sampled", "array<u32>"),
    ],
    offsets: form ? ["matrix"] : [],
    reduces: { threads },
    code: `
var<workgroup> shares: array<f32, ${threads}>;
var<workgroup> last_kept: atomic<u32>;
var<workgroup> first_best: atomic<u32>;
var<workgroup> chosen_in_share: u32;
var<private> at: u32;
var<private> begin: u32;
var<private> end: u32;
var<private> draw_end: u32;
var<private> highest: f32;
var<private> floor_key: u32;
var<private> ties: f32;
${keys}
${total("countFrom", "1f")}
${total("massFrom", "exp(valueOf(key) - highest)")}
${thresholds(ids)}
fn weightOf(v: u32, seen: ptr<function, f32>) -> f32 {
  let value = logits[at + v] * call.inverseTemperature;
  let key = keyOf(value);
  if (key < floor_key) { return 0f; }
  if (key == floor_key) {
    *seen += 1f;
    if (*seen > ties) { return 0f; }
  }
  let e = exp(value - highest);
  return select(0f, e, e >= call.minP);
}
${inverseCdf(threads)}
${record}
${form ? embedding(shape, form, threads) : ""}
@compute @workgroup_size(${threads})
fn main(@builtin(workgroup_id) group: vec3u, @builtin(local_invocation_index) lid: u32) {
  let r = group.x;
  if (r >= call.scored) { return; }
  at = r * ${V}u;
  begin = min(${V}u, lid * ${Math.ceil(V / threads)}u);
  end = min(${V}u, begin + ${Math.ceil(V / threads)}u);
  draw_end = min(end, ${ids}u);
  if (lid == 0u) {
    atomicStore(&first_best, 0xffffffffu);
    atomicStore(&last_kept, 0u);
    chosen_in_share = 0xffffffffu;
  }
  var best = -3.0e38f;
  for (var v = begin; v < end; v++) { best = max(best, logits[at + v] * call.inverseTemperature); }
  highest = reduceMax(best, lid);
  var sum = 0f;
  var weighted = 0f;
  for (var v = begin; v < end; v++) {
    let shifted = logits[at + v] * call.inverseTemperature - highest;
    let e = exp(shifted);
    sum += e;
    weighted = fma(e, shifted, weighted);
  }
  let all = reduceSum(sum, lid);
  let entropy = log(all) - reduceSum(weighted, lid) / all;
  ${ids < V ? highestDrawn : "let best_drawn = highest;"}
  for (var v = begin; v < draw_end; v++) { if (logits[at + v] * call.inverseTemperature == best_drawn) { atomicMin(&first_best, v); } }
  if (call.greedy == 0u) {
    dropUnlikely(lid);
    chooseByCdf(r, lid);
  }
  workgroupBarrier();
  var token = min(atomicLoad(&first_best), ${ids - 1}u);
  if (call.greedy == 0u) {
    token = select(atomicLoad(&last_kept) - 1u, chosen_in_share, chosen_in_share != 0xffffffffu);
  }
  workgroupBarrier();
  if (lid == 0u) { record(r, token, highest + log(all), entropy); }
  ${form ? "embed(r, token, lid);" : ""}
}
`,
  };
}
