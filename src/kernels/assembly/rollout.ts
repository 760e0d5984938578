// Decoding: each thread owns a run of sequences and advances them together, one token a step, until
// they stop. A sequence that has ended leaves the batch at once. What a row computes depends on no
// other row, so tokens are the same for any number of threads.
import { decodeAttend } from "./decodeAttention";
import { matmulPacked } from "./gemm";
import { slotPointer } from "./head";
import { JOB, JOB_STEPS, JOB_THREADS, ROLLOUT, attnWidth, finalNormOffset, heads, hidden, inner, kvHeads, layers, norm1Offset, norm2Offset, panelOffset, qkvWidth, vocab } from "./layout";
import { ROLL_COPIES, ROLL_LENGTHS, ROLL_LOGPROBS, ROLL_MAX_NEW, ROLL_MIN_P, ROLL_PROMPT_HIDDEN, ROLL_PROMPT_LENGTHS, ROLL_SEQUENCES, ROLL_STATE, ROLL_STATE_STRIDE, ROLL_STOPPED, ROLL_STOPS, ROLL_STOP_COUNT, ROLL_TEMPERATURE, ROLL_TOKENS, ROLL_TOP_K, ROLL_TOP_P, ROLL_UNIFORMS } from "./promptCache";
import { rmsNorm } from "./rmsnorm";
import { ropeRow } from "./rope";
import { sampleRow, sampledLogprob } from "./sampler";
import { addInto } from "./simd";
import { swiglu } from "./swiglu";

// State of this thread: the number of live sequences, their ids, and one row for each.
let state: usize = 0;
let ids: usize = 0;
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

function carve(base: usize, sequences: i32, keys: i32): usize {
  const n = (sequences as usize) << 2;
  state = base;
  ids = base + 64;
  last = ids + n;
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

/** Bytes of one thread's state for so many sequences and keys (prompt and completion each padded to 8). */
export function decodeBytes(sequences: i32, keys: i32): usize {
  return carve(0, sequences, keys);
}

function firstSequence(thread: i32): i32 {
  return (load<i32>(ROLLOUT, ROLL_SEQUENCES) * thread) / load<i32>(JOB, JOB_THREADS);
}

function takeState(thread: i32): void {
  const sequences = load<i32>(ROLLOUT, ROLL_SEQUENCES);
  const threads = load<i32>(JOB, JOB_THREADS);
  carve((load<u32>(ROLLOUT, ROLL_STATE) as usize) + (thread as usize) * (load<u32>(ROLLOUT, ROLL_STATE_STRIDE) as usize), (sequences + threads - 1) / threads, 0);
}

/** Gives a thread its sequences, each at its prompt's last hidden row. */
export function beginDecode(thread: i32): void {
  takeState(thread);
  const first = firstSequence(thread);
  const count = firstSequence(thread + 1) - first;
  const copies = load<i32>(ROLLOUT, ROLL_COPIES);
  const width = (hidden as usize) << 2;
  for (let i = 0; i < count; i++) {
    store<i32>(ids + ((i as usize) << 2), first + i);
    memory.copy(last + (i as usize) * width, (load<u32>(ROLLOUT, ROLL_PROMPT_HIDDEN) as usize) + (((first + i) / copies) as usize) * width, width);
  }
  store<i32>(state, count);
}

function isStop(token: i32): bool {
  const stops = load<u32>(ROLLOUT, ROLL_STOPS) as usize;
  const count = load<i32>(ROLLOUT, ROLL_STOP_COUNT);
  for (let i = 0; i < count; i++) if (load<i32>(stops + ((i as usize) << 2)) == token) return true;
  return false;
}

/** Draws the next token of every live sequence; returns how many live on, moved to the front with x embedded. */
function drawTokens(count: i32): i32 {
  const maxNew = load<i32>(ROLLOUT, ROLL_MAX_NEW);
  const width = (hidden as usize) << 2;
  const lengths = load<u32>(ROLLOUT, ROLL_LENGTHS) as usize;
  matmulPacked(count, vocab, hidden, last, slotPointer(4) + panelOffset(0, 4, false), logits, false);
  let live = 0;
  for (let i = 0; i < count; i++) {
    const b = load<i32>(ids + ((i as usize) << 2));
    const length = load<i32>(lengths + ((b as usize) << 2));
    const at = ((b * maxNew + length) as usize) << 2;
    const u = load<f32>((load<u32>(ROLLOUT, ROLL_UNIFORMS) as usize) + at);
    const token = sampleRow(logits + (i as usize) * ((vocab as usize) << 2), load<f32>(ROLLOUT, ROLL_TEMPERATURE), load<i32>(ROLLOUT, ROLL_TOP_K), load<f32>(ROLLOUT, ROLL_TOP_P), load<f32>(ROLLOUT, ROLL_MIN_P), u);
    store<i32>((load<u32>(ROLLOUT, ROLL_TOKENS) as usize) + at, token);
    store<f32>((load<u32>(ROLLOUT, ROLL_LOGPROBS) as usize) + at, sampledLogprob);
    store<i32>(lengths + ((b as usize) << 2), length + 1);
    if (isStop(token)) {
      store<i32>((load<u32>(ROLLOUT, ROLL_STOPPED) as usize) + ((b as usize) << 2), 1);
    } else if (length + 1 < maxNew) {
      store<i32>(ids + ((live as usize) << 2), b);
      memory.copy(x + (live as usize) * width, slotPointer(0) + (token as usize) * width, width);
      live++;
    }
  }
  return live;
}

function attendRows(layer: i32, count: i32): void {
  const stride = (qkvWidth as usize) << 2;
  const copies = load<i32>(ROLLOUT, ROLL_COPIES);
  for (let i = 0; i < count; i++) {
    const b = load<i32>(ids + ((i as usize) << 2));
    const prompt = b / copies;
    const promptLength = load<i32>((load<u32>(ROLLOUT, ROLL_PROMPT_LENGTHS) as usize) + ((prompt as usize) << 2));
    const own = load<i32>((load<u32>(ROLLOUT, ROLL_LENGTHS) as usize) + ((b as usize) << 2)) - 1;
    const row = qkv + (i as usize) * stride;
    ropeRow(row, heads + kvHeads, promptLength + own, 1);
    decodeAttend(layer, b, prompt, promptLength, own, row, attended + (i as usize) * ((attnWidth as usize) << 2), scores);
  }
}

/** One token through all layers for `count` rows of x; leaves the final-normed rows in `last`. */
function advance(count: i32): void {
  const w = slotPointer(0);
  const panels = slotPointer(4);
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

/** Up to JOB_STEPS tokens for each of a thread's live sequences. */
export function decodeSteps(thread: i32): void {
  takeState(thread);
  let count = load<i32>(state);
  for (let step = load<i32>(JOB, JOB_STEPS); step > 0 && count > 0; step--) {
    count = drawTokens(count);
    if (count > 0) advance(count);
  }
  store<i32>(state, count);
}
