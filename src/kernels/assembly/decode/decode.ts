// Decoding a turn: each thread owns a run of the turn's rows. It begins with the tokens that the rows'
// caches lack (forced ones: the last that a sequence sampled in an earlier turn and what was inserted since),
// many at a time as entries of one pass. Then the rows sample together, one token a step, and a row that stops
// leaves the batch at once. What an entry computes depends on no other but those before it in its sequence, so
// tokens are the same for any number of threads and any cut into passes.
import { decodeAttend, keepToken } from "./decodeAttention";
import { matmulPacked } from "../product/gemm";
import { attnWidth, finalNormOffset, frozen, heads, hidden, inner, kvHeads, layers, matrixIn, matrixOut, minI, norm1Offset, norm2Offset, panelOffset, qkvWidth, slotPointer, vocab } from "../layout";
import { JOB, JOB_STEPS, JOB_THREADS, ROW_BYTES, ROW_FORCED, ROW_FORCED_END, ROW_PROMPT, ROW_PROMPT_LENGTH, ROW_SEQUENCE, SAMPLER, SAMPLER_KEYS, SAMPLER_LIVE, SAMPLER_PROMPT_HIDDEN, SAMPLER_ROWS, SAMPLER_ROW_COUNT, SAMPLER_STATE, SLOT_FORWARD_PANELS, SLOT_WEIGHTS } from "../memoryMap";
import { finishHeads } from "../layers/headVectors";
import { rmsNorm } from "../layers/rmsnorm";
import { ropeRow } from "../layers/rope";
import { FILL, SAMPLED_ROWS, attended, entryPlace, entryRow, gateUp, gated, headInverse, inverse, isLastOfRow, last, live, logits, norm, placeState, putEntry, qkv, rowAt, sampleInto, scores, state, x } from "./state";
import { addInto } from "../simd";
import { swiglu } from "../layers/swiglu";
import { beginTogether, decodeTogether } from "./together";

function firstRow(thread: i32): i32 {
  return (load<i32>(SAMPLER, SAMPLER_ROW_COUNT) * thread) / load<i32>(JOB, JOB_THREADS);
}

function takeState(thread: i32): void {
  const threads = load<i32>(JOB, JOB_THREADS);
  const rows = (load<i32>(SAMPLER, SAMPLER_ROW_COUNT) + threads - 1) / threads;
  const keys = load<i32>(SAMPLER, SAMPLER_KEYS);
  placeState((load<u32>(SAMPLER, SAMPLER_STATE) as usize) + (thread as usize) * placeState(0, rows, keys, 1, 0), rows, keys, 1, 0);
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
  if (frozen != 0) return beginTogether(thread);
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

/** Logits of a few rows' last vectors. */
function logitsOf(vectors: usize, rows: i32): void {
  matmulPacked(rows, vocab, hidden, vectors, slotPointer(SLOT_FORWARD_PANELS) + panelOffset(0, 4, false), logits, false);
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

function product(layer: i32, kind: i32, rows: i32, from: usize, to: usize): void {
  matmulPacked(rows, matrixOut(kind), matrixIn(kind), from, slotPointer(SLOT_FORWARD_PANELS) + panelOffset(layer, kind, false), to, false);
}

/**
 * `count` entries through all layers, in x. Of tokens before a row's last only keys and values are used, so that the
 * last layer's other work is left out for them where only the last are wanted. Returns how many entries come out.
 */
function runLayers(count: i32, onlyLast: bool): i32 {
  const w = slotPointer(SLOT_WEIGHTS);
  for (let layer = 0; layer < layers; layer++) {
    rmsNorm(count, hidden, x, w + norm1Offset(layer), norm, inverse);
    product(layer, 0, count, norm, qkv);
    keepEntries(layer, count);
    count = attendEntries(layer, count, onlyLast && layer == layers - 1);
    product(layer, 1, count, attended, norm);
    addInto(x, norm, count * hidden);
    rmsNorm(count, hidden, x, w + norm2Offset(layer), norm, inverse);
    product(layer, 2, count, norm, gateUp);
    swiglu(count, inner, gateUp, gated);
    product(layer, 3, count, gated, norm);
    addInto(x, norm, count * hidden);
  }
  return count;
}

/** Up to JOB_STEPS new tokens for each of a thread's live rows. */
export function decodeSteps(thread: i32): void {
  if (frozen != 0) return decodeTogether(thread);
  takeState(thread);
  let count = load<i32>(state);
  for (let step = load<i32>(JOB, JOB_STEPS); step > 0 && count > 0; step--) {
    count = takeTokens(count);
    if (count == 0) break;
    runLayers(count, false);
    rmsNorm(count, hidden, x, slotPointer(SLOT_WEIGHTS) + finalNormOffset(), last, inverse);
  }
  store<i32>(state, count);
  atomic.add<i32>(SAMPLER + SAMPLER_LIVE, count);
}
