// Decoding a turn: each thread owns a run of the turn's rows. It begins with the tokens that the rows'
// caches lack (forced ones: the last that a sequence sampled in an earlier turn and what was inserted since),
// many at a time as entries of one pass. Then the rows sample together, one token a step, and a row that stops
// leaves the batch at once. What an entry computes depends on no other but those before it in its sequence, so
// tokens are the same for any number of threads and any cut into passes.
import { decodeAttend, keepToken } from "./decodeAttention";
import { matmulPacked } from "../product/gemm";
import { embedToken } from "../layers/head";
import { frozenLogits } from "../layers/tiledHead";
import { linear } from "../product/frozen";
import { attnWidth, finalNormOffset, frozen, headNorm, heads, hidden, inner, kvHeads, layers, minI, norm1Offset, norm2Offset, pad8, panelOffset, qkvWidth, rank, slotPointer, vocab } from "../layout";
import { JOB, JOB_STEPS, JOB_THREADS, ROW_BYTES, ROW_CACHED, ROW_FORCED, ROW_FORCED_END, ROW_PROMPT, ROW_PROMPT_LENGTH, ROW_SAMPLED, ROW_SEQUENCE, ROW_STOPPED, SAMPLER, SAMPLER_ENTROPIES, SAMPLER_LOGPROBS, SAMPLER_MAX_NEW, SAMPLER_MIN_P, SAMPLER_PROMPT_HIDDEN, SAMPLER_ROWS, SAMPLER_ROW_COUNT, SAMPLER_STATE, SAMPLER_STATE_STRIDE, SAMPLER_STOPS, SAMPLER_STOP_COUNT, SAMPLER_TEMPERATURE, SAMPLER_TOKENS, SAMPLER_TOP_K, SAMPLER_TOP_P, SAMPLER_UNIFORMS, SLOT_FORWARD_PANELS, SLOT_WEIGHTS } from "../memoryMap";
import { finishHeads } from "../layers/headVectors";
import { rmsNorm } from "../layers/rmsnorm";
import { ropeRow } from "../layers/rope";
import { sampleRow, sampledEntropy, sampledLogprob } from "./sampler";
import { addInto } from "../simd";
import { swiglu } from "../layers/swiglu";

/** Tokens of one pass before the rows sample: enough to keep the products busy. */
const FILL: i32 = 96;
/** Rows whose logits are held at once: over a large vocabulary they are many floats. */
const SAMPLED_ROWS: i32 = 48;

// State of this thread: the number of live rows, the address of each one's words, its last hidden vector and its
// logits; of the entries of a pass, the row and the place among its own tokens, and its vectors.
let state: usize = 0;
let live: usize = 0;
let last: usize = 0;
let logits: usize = 0;
let entryRow: usize = 0;
let entryPlace: usize = 0;
let x: usize = 0;
let norm: usize = 0;
let inverse: usize = 0;
let headInverse: usize = 0;
let qkv: usize = 0;
let attended: usize = 0;
let gateUp: usize = 0;
let gated: usize = 0;
/** What adapters make of their inputs. */
let adapted: usize = 0;
let scores: usize = 0;

function placeState(base: usize, rows: i32, keys: i32): usize {
  const r = (rows as usize) << 2;
  const n = (max(rows, FILL) as usize) << 2;
  state = base;
  live = base + 64;
  last = live + r;
  logits = last + r * hidden;
  entryRow = logits + ((minI(rows, SAMPLED_ROWS) as usize) << 2) * vocab;
  entryPlace = entryRow + n;
  x = entryPlace + n;
  norm = x + n * hidden;
  inverse = norm + n * hidden;
  headInverse = inverse + n;
  qkv = headInverse + (headNorm ? (pad8(heads + kvHeads) as usize) << 2 : 0);
  attended = qkv + n * qkvWidth;
  gateUp = attended + n * attnWidth;
  gated = gateUp + 2 * n * inner;
  adapted = gated + n * inner;
  scores = adapted + (frozen != 0 ? n * (7 * rank) : 0);
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

/** Takes a row's next token as an entry of the coming pass. */
function putEntry(entry: i32, row: usize, token: i32): void {
  const place = load<i32>(row, ROW_CACHED);
  store<u32>(entryRow + ((entry as usize) << 2), row as u32);
  store<i32>(entryPlace + ((entry as usize) << 2), place);
  store<i32>(row, place + 1, ROW_CACHED);
  const width = (hidden as usize) << 2;
  embedToken(token, x + (entry as usize) * width);
}

/** Runs the entries of a pass; those of live rows [first, end) leave their last vectors, which the passes after overwrite. */
function fillPass(entries: i32, first: i32, end: i32): void {
  const kept = runLayers(entries, true);
  const width = (hidden as usize) << 2;
  let entry = 0;
  for (let i = first; i < end && entry < kept; i++) {
    if ((load<u32>(entryRow + ((entry as usize) << 2)) as usize) != rowAt(i)) continue;
    rmsNorm(1, hidden, x + (entry as usize) * width, slotPointer(SLOT_WEIGHTS) + finalNormOffset(), last + (i as usize) * width, inverse);
    entry++;
  }
}

/** Takes all forced tokens of the rows, in order, as many at a time as fit. */
function takeForced(count: i32): void {
  let entries = 0;
  let first = 0;
  for (let i = 0; i < count; i++) {
    const row = rowAt(i);
    let at = load<u32>(row, ROW_FORCED) as usize;
    const end = load<u32>(row, ROW_FORCED_END) as usize;
    for (; at < end; at += 4) {
      if (entries == FILL) {
        fillPass(entries, first, i + 1);
        entries = 0;
        first = i;
      }
      putEntry(entries++, row, load<i32>(at));
    }
  }
  if (entries > 0) fillPass(entries, first, count);
}

/** Gives a thread its rows, each at its prompt's last hidden row, from which it samples unless tokens are forced; takes those. */
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
  takeForced(count);
  store<i32>(state, count);
}

function isStop(token: i32): bool {
  const stops = load<u32>(SAMPLER, SAMPLER_STOPS) as usize;
  const count = load<i32>(SAMPLER, SAMPLER_STOP_COUNT);
  for (let i = 0; i < count; i++) if (load<i32>(stops + ((i as usize) << 2)) == token) return true;
  return false;
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

/** Logits of a few rows' last vectors. */
function logitsOf(vectors: usize, rows: i32): void {
  if (frozen != 0) frozenLogits(rows, vectors, logits);
  else matmulPacked(rows, vocab, hidden, vectors, slotPointer(SLOT_FORWARD_PANELS) + panelOffset(0, 4, false), logits, false);
}

/** The next token of every live row; returns how many live on, moved to the front as entries of the next pass. */
function takeTokens(count: i32): i32 {
  let living = 0;
  for (let i = 0; i < count; i++) {
    const row = rowAt(i);
    const place = i % SAMPLED_ROWS;
    if (place == 0) logitsOf(last + (i as usize) * ((hidden as usize) << 2), minI(SAMPLED_ROWS, count - i));
    const token = sampleInto(row, logits + (place as usize) * ((vocab as usize) << 2));
    if (token < 0) continue;
    store<u32>(live + ((living as usize) << 2), row as u32);
    putEntry(living++, row, token);
  }
  return living;
}

/** Whether an entry of a pass is its row's last. */
@inline function isLastOfRow(entry: i32, count: i32): bool {
  const at = entryRow + ((entry as usize) << 2);
  return entry + 1 == count || load<u32>(at) != load<u32>(at, 4);
}

/** Keys and values of all entries are kept before any attends: what has just been stored in parts is slow to read. */
function keepEntries(layer: i32, count: i32): void {
  const stride = (qkvWidth as usize) << 2;
  finishHeads(layer, count, slotPointer(SLOT_WEIGHTS), qkv, 0, headInverse);
  for (let i = 0; i < count; i++) {
    const row = load<u32>(entryRow + ((i as usize) << 2)) as usize;
    const own = load<i32>(entryPlace + ((i as usize) << 2));
    const vectors = qkv + (i as usize) * stride;
    ropeRow(vectors, heads + kvHeads, load<i32>(row, ROW_PROMPT_LENGTH) + own, 1);
    keepToken(layer, load<i32>(row, ROW_SEQUENCE), own, vectors);
  }
}

/** Each entry over what comes before it. Where only rows' last entries are wanted, they move to the front. Returns how many go on. */
function attendEntries(layer: i32, count: i32, onlyLast: bool): i32 {
  const width = (hidden as usize) << 2;
  let kept = 0;
  for (let i = 0; i < count; i++) {
    if (onlyLast && !isLastOfRow(i, count)) continue;
    const row = load<u32>(entryRow + ((i as usize) << 2)) as usize;
    const own = load<i32>(entryPlace + ((i as usize) << 2));
    const vectors = qkv + (i as usize) * ((qkvWidth as usize) << 2);
    const out = attended + (kept as usize) * ((attnWidth as usize) << 2);
    decodeAttend(layer, load<i32>(row, ROW_SEQUENCE), load<i32>(row, ROW_PROMPT), load<i32>(row, ROW_PROMPT_LENGTH), own, vectors, out, scores);
    if (kept < i) {
      store<u32>(entryRow + ((kept as usize) << 2), row as u32);
      memory.copy(x + (kept as usize) * width, x + (i as usize) * width, width);
    }
    kept++;
  }
  return kept;
}

/**
 * `count` entries through all layers, in x. Of tokens before a row's last only keys and values are used, so that the
 * last layer's other work is left out for them where only the last are wanted. Returns how many entries come out.
 */
function runLayers(count: i32, onlyLast: bool): i32 {
  const w = slotPointer(SLOT_WEIGHTS);
  for (let layer = 0; layer < layers; layer++) {
    rmsNorm(count, hidden, x, w + norm1Offset(layer), norm, inverse);
    linear(layer, 0, count, norm, qkv, adapted);
    keepEntries(layer, count);
    count = attendEntries(layer, count, onlyLast && layer == layers - 1);
    linear(layer, 1, count, attended, norm, adapted);
    addInto(x, norm, count * hidden);
    rmsNorm(count, hidden, x, w + norm2Offset(layer), norm, inverse);
    linear(layer, 2, count, norm, gateUp, adapted);
    swiglu(count, inner, gateUp, gated);
    linear(layer, 3, count, gated, norm, adapted);
    addInto(x, norm, count * hidden);
  }
  return count;
}

/** Up to JOB_STEPS new tokens for each of a thread's live rows. */
export function decodeSteps(thread: i32): void {
  takeState(thread);
  let count = load<i32>(state);
  for (let step = load<i32>(JOB, JOB_STEPS); step > 0 && count > 0; step--) {
    count = takeTokens(count);
    if (count == 0) break;
    runLayers(count, false);
    rmsNorm(count, hidden, x, slotPointer(SLOT_WEIGHTS) + finalNormOffset(), last, inverse);
  }
  store<i32>(state, count);
}
