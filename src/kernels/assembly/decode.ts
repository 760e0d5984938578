// Decoding a turn: each thread owns a run of the turn's rows and advances them together, one token a
// step. A row first takes the tokens that its sequence's cache lacks (forced ones: the last it sampled in
// an earlier turn and what was inserted since), then it samples until it stops and leaves the batch at
// once. What a row computes depends on no other row, so tokens are the same for any number of threads.
import { decodeAttend } from "./decodeAttention";
import { matmulPacked } from "./gemm";
import { slotPointer } from "./head";
import { attnWidth, finalNormOffset, heads, hidden, inner, kvHeads, layers, norm1Offset, norm2Offset, panelOffset, qkvWidth, vocab } from "./layout";
import {
  JOB, JOB_STEPS, JOB_THREADS, ROW_BYTES, ROW_CACHED, ROW_FORCED, ROW_FORCED_END, ROW_PROMPT, ROW_PROMPT_LENGTH, ROW_SAMPLED, ROW_SEQUENCE,
  ROW_STOPPED, SAMPLER, SAMPLER_ENTROPIES, SAMPLER_LOGPROBS, SAMPLER_MAX_NEW, SAMPLER_MIN_P, SAMPLER_PROMPT_HIDDEN, SAMPLER_ROWS,
  SAMPLER_ROW_COUNT, SAMPLER_STATE, SAMPLER_STATE_STRIDE, SAMPLER_STOPS, SAMPLER_STOP_COUNT, SAMPLER_TEMPERATURE, SAMPLER_TOKENS,
  SAMPLER_TOP_K, SAMPLER_TOP_P, SAMPLER_UNIFORMS, SLOT_FORWARD_PANELS, SLOT_WEIGHTS,
} from "./memoryMap";
import { rmsNorm } from "./rmsnorm";
import { ropeRow } from "./rope";
import { sampleRow, sampledEntropy, sampledLogprob } from "./sampler";
import { addInto } from "./simd";
import { swiglu } from "./swiglu";

// State of this thread: the number of live rows, the address of each one's words, and its vectors.
let state: usize = 0;
let live: usize = 0;
let last: usize = 0;
let x: usize = 0;
let norm: usize = 0;
let inverse: usize = 0;
let qkv: usize = 0;
let attended: usize = 0;
let gateUp: usize = 0;
let gated: usize = 0;
let logits: usize = 0;
let scores: usize = 0;

function placeState(base: usize, rows: i32, keys: i32): usize {
  const n = (rows as usize) << 2;
  state = base;
  live = base + 64;
  last = live + n;
  x = last + n * hidden;
  norm = x + n * hidden;
  inverse = norm + n * hidden;
  qkv = inverse + n;
  attended = qkv + n * qkvWidth;
  gateUp = attended + n * attnWidth;
  gated = gateUp + 2 * n * inner;
  logits = gated + n * inner;
  scores = logits + n * vocab;
  return (scores + ((keys as usize) << 2) - base + 191) & ~127;
}

/** Bytes of one thread's state for so many rows and keys (a prompt's and a sequence's own, each padded to 8). */
export function decodeBytes(rows: i32, keys: i32): usize {
  return placeState(0, rows, keys);
}

function firstRow(thread: i32): i32 {
  return (load<i32>(SAMPLER, SAMPLER_ROW_COUNT) * thread) / load<i32>(JOB, JOB_THREADS);
}

/** Address of the words of the i-th live row. */
@inline function rowAt(i: i32): usize {
  return load<u32>(live + ((i as usize) << 2)) as usize;
}

function takeState(thread: i32): void {
  const threads = load<i32>(JOB, JOB_THREADS);
  const base = (load<u32>(SAMPLER, SAMPLER_STATE) as usize) + (thread as usize) * (load<u32>(SAMPLER, SAMPLER_STATE_STRIDE) as usize);
  placeState(base, (load<i32>(SAMPLER, SAMPLER_ROW_COUNT) + threads - 1) / threads, 0);
}

/** Gives a thread its rows, each at its prompt's last hidden row, from which it samples unless tokens are forced. */
export function beginDecode(thread: i32): void {
  takeState(thread);
  const first = firstRow(thread);
  const count = firstRow(thread + 1) - first;
  const width = (hidden as usize) << 2;
  for (let i = 0; i < count; i++) {
    const row = (load<u32>(SAMPLER, SAMPLER_ROWS) as usize) + ((first + i) as usize) * ROW_BYTES;
    store<u32>(live + ((i as usize) << 2), row as u32);
    memory.copy(last + (i as usize) * width, (load<u32>(SAMPLER, SAMPLER_PROMPT_HIDDEN) as usize) + (load<i32>(row, ROW_PROMPT) as usize) * width, width);
  }
  store<i32>(state, count);
}

function isStop(token: i32): bool {
  const stops = load<u32>(SAMPLER, SAMPLER_STOPS) as usize;
  const count = load<i32>(SAMPLER, SAMPLER_STOP_COUNT);
  for (let i = 0; i < count; i++) if (load<i32>(stops + ((i as usize) << 2)) == token) return true;
  return false;
}

/** Whether the next token of a row is not sampled. */
@inline function isForced(row: usize): bool {
  return load<u32>(row, ROW_FORCED) < load<u32>(row, ROW_FORCED_END);
}

function anySamples(count: i32): bool {
  for (let i = 0; i < count; i++) if (!isForced(rowAt(i))) return true;
  return false;
}

function takeForced(row: usize): i32 {
  const at = load<u32>(row, ROW_FORCED);
  store<u32>(row, at + 4, ROW_FORCED);
  return load<i32>(at as usize);
}

/** Samples a row's next token from its logits and writes it down; returns it, or -1 where the row's turn ends with it. */
function sampleInto(row: usize, z: usize): i32 {
  const maxNew = load<i32>(SAMPLER, SAMPLER_MAX_NEW);
  const sampled = load<i32>(row, ROW_SAMPLED);
  const index = ((row - (load<u32>(SAMPLER, SAMPLER_ROWS) as usize)) / ROW_BYTES) as i32;
  const at = ((index * maxNew + sampled) as usize) << 2;
  const u = load<f32>((load<u32>(SAMPLER, SAMPLER_UNIFORMS) as usize) + at);
  const token = sampleRow(z, load<f32>(SAMPLER, SAMPLER_TEMPERATURE), load<i32>(SAMPLER, SAMPLER_TOP_K), load<f32>(SAMPLER, SAMPLER_TOP_P), load<f32>(SAMPLER, SAMPLER_MIN_P), u);
  store<i32>((load<u32>(SAMPLER, SAMPLER_TOKENS) as usize) + at, token);
  store<f32>((load<u32>(SAMPLER, SAMPLER_LOGPROBS) as usize) + at, sampledLogprob);
  store<f32>((load<u32>(SAMPLER, SAMPLER_ENTROPIES) as usize) + at, sampledEntropy);
  store<i32>(row, sampled + 1, ROW_SAMPLED);
  const stopped = isStop(token);
  if (stopped) store<i32>(row, 1, ROW_STOPPED);
  return stopped || sampled + 1 == maxNew ? -1 : token;
}

/** The next token of every live row, forced or sampled; returns how many live on, moved to the front with x embedded. */
function takeTokens(count: i32): i32 {
  const width = (hidden as usize) << 2;
  if (anySamples(count)) matmulPacked(count, vocab, hidden, last, slotPointer(SLOT_FORWARD_PANELS) + panelOffset(0, 4, false), logits, false);
  let living = 0;
  for (let i = 0; i < count; i++) {
    const row = rowAt(i);
    const token = isForced(row) ? takeForced(row) : sampleInto(row, logits + (i as usize) * ((vocab as usize) << 2));
    if (token < 0) continue;
    store<u32>(live + ((living as usize) << 2), row as u32);
    store<i32>(row, load<i32>(row, ROW_CACHED) + 1, ROW_CACHED);
    memory.copy(x + (living as usize) * width, slotPointer(SLOT_WEIGHTS) + (token as usize) * width, width);
    living++;
  }
  return living;
}

function attendRows(layer: i32, count: i32): void {
  const stride = (qkvWidth as usize) << 2;
  for (let i = 0; i < count; i++) {
    const row = rowAt(i);
    const promptLength = load<i32>(row, ROW_PROMPT_LENGTH);
    // The token of this step is counted already.
    const own = load<i32>(row, ROW_CACHED) - 1;
    const vectors = qkv + (i as usize) * stride;
    ropeRow(vectors, heads + kvHeads, promptLength + own, 1);
    decodeAttend(layer, load<i32>(row, ROW_SEQUENCE), load<i32>(row, ROW_PROMPT), promptLength, own, vectors, attended + (i as usize) * ((attnWidth as usize) << 2), scores);
  }
}

/** One token through all layers for `count` rows of x; leaves the final-normed rows in `last`. */
function advance(count: i32): void {
  const w = slotPointer(SLOT_WEIGHTS);
  const panels = slotPointer(SLOT_FORWARD_PANELS);
  for (let layer = 0; layer < layers; layer++) {
    rmsNorm(count, hidden, x, w + norm1Offset(layer), norm, inverse);
    matmulPacked(count, qkvWidth, hidden, norm, panels + panelOffset(layer, 0, false), qkv, false);
    attendRows(layer, count);
    matmulPacked(count, hidden, attnWidth, attended, panels + panelOffset(layer, 1, false), norm, false);
    addInto(x, norm, count * hidden);
    rmsNorm(count, hidden, x, w + norm2Offset(layer), norm, inverse);
    matmulPacked(count, 2 * inner, hidden, norm, panels + panelOffset(layer, 2, false), gateUp, false);
    swiglu(count, inner, gateUp, gated);
    matmulPacked(count, hidden, inner, gated, panels + panelOffset(layer, 3, false), norm, false);
    addInto(x, norm, count * hidden);
  }
  rmsNorm(count, hidden, x, w + finalNormOffset(), last, inverse);
}

/** Up to JOB_STEPS tokens for each of a thread's live rows. */
export function decodeSteps(thread: i32): void {
  takeState(thread);
  let count = load<i32>(state);
  for (let step = load<i32>(JOB, JOB_STEPS); step > 0 && count > 0; step--) {
    count = takeTokens(count);
    if (count > 0) advance(count);
  }
  store<i32>(state, count);
}
