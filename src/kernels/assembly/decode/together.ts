// Decoding beside a frozen base: all threads work on all rows, since a panel of the base must be widened before it is used,
// and is so once a step for all of them. Rows (or tiles of them) and runs of a matrix's outputs are handed out one by one,
// and between the stages of a layer the threads meet. Sums have the order they have in any other pass (../product/frozen.ts).
import { attendGroup, keepToken } from "./decodeAttention";
import { attnWidth, finalNormOffset, heads, hidden, inner, kvHeads, layers, matrixIn, matrixOut, minI, norm1Offset, norm2Offset, partOut, qkvWidth, rank, slotPointer, vocab } from "../layout";
import { JOB, JOB_STEPS, JOB_THREADS, ROW_BYTES, ROW_FORCED, ROW_FORCED_END, ROW_PROMPT, ROW_PROMPT_LENGTH, ROW_SEQUENCE, SAMPLER, SAMPLER_KEYS, SAMPLER_LIVE, SAMPLER_PROMPT_HIDDEN, SAMPLER_ROWS, SAMPLER_ROW_COUNT, SAMPLER_STATE, SLOT_ADAPTED, SLOT_WEIGHTS } from "../memoryMap";
import { finishHeads } from "../layers/headVectors";
import { rmsNorm } from "../layers/rmsnorm";
import { ropeRow } from "../layers/rope";
import { swiglu } from "../layers/swiglu";
import { logitsFrom } from "../layers/tiledHead";
import { adaptRows, adaptedStride } from "../product/adapterPanels";
import { outputsOf } from "../product/frozen";
import { firstPart, partCount } from "../product/frozenParts";
import { packBlock, tileHeight } from "../product/gemm";
import { addInto } from "../simd";
import { meet, takeItem } from "../team";
import { FILL, SAMPLED_ROWS, adapted, attended, chosen, entryPlace, entryRow, gateUp, gated, headInverse, inverse, isLastOfRow, last, live, logits, norm, packed, placeState, putEntry, qkv, rowAt, sampleInto, scores, state, tailStride, tails, x } from "./state";

/** Rows that a panel is used for while it is at hand; whole tiles of either height. */
const BLOCK_ROWS: i32 = 192;
/** Outputs that a thread takes at once: two lines of the processor's cache and more. */
const RUN: i32 = 32;
/** Ids of the vocabulary that a thread takes at once. */
const ID_RUN: i32 = 64;

/** Entries of the pass, which thread 0 counts. */
const ENTRIES: usize = 4;

function takeState(thread: i32): void {
  placeState(load<u32>(SAMPLER, SAMPLER_STATE), load<i32>(SAMPLER, SAMPLER_ROW_COUNT), load<i32>(SAMPLER, SAMPLER_KEYS), load<i32>(JOB, JOB_THREADS), thread);
}

/** Rows of the tile that begins at `row` of `count`. */
@inline function tileAt(row: i32, count: i32): i32 {
  const left = minI(BLOCK_ROWS - (row % BLOCK_ROWS), count - row);
  return minI(tileHeight(left), left);
}

/** Where rows of a product come from: from x through a norm, from x and what is to be added to it, from attention, from gates. */
const FROM_X: i32 = 0;
const FROM_SUM: i32 = 1;
const FROM_ATTENTION: i32 = 2;
const FROM_GATES: i32 = 3;

/** Makes `rows` rows of a product's input from `row` on; returns where they lie. */
@inline function inputRows(source: i32, row: i32, rows: i32, weights: usize): usize {
  const at = row as usize;
  const width = (hidden as usize) << 2;
  if (source == FROM_ATTENTION) return attended + at * ((attnWidth as usize) << 2);
  if (source == FROM_GATES) {
    const to = gated + at * ((inner as usize) << 2);
    swiglu(rows, inner, gateUp + at * ((inner as usize) << 3), to);
    return to;
  }
  if (source == FROM_SUM) addInto(x + at * width, norm + at * width, rows * hidden);
  rmsNorm(rows, hidden, x + at * width, weights, norm + at * width, inverse + (at << 2));
  return norm + at * width;
}

/** A stage: inputs of a layer's matrix (kinds as in layout.ts), packed, and what its adapters make of them. */
function prepare(layer: i32, kind: i32, source: i32, weights: usize, count: i32): void {
  const inputs = matrixIn(kind);
  const isAdapted = slotPointer(SLOT_ADAPTED) != 0;
  let mine = takeItem();
  for (let row = 0, tile = 0; row < count; tile++) {
    const rows = tileAt(row, count);
    if (tile == mine) {
      const from = inputRows(source, row, rows, weights);
      const at = row as usize;
      const to = packed + at * ((inputs as usize) << 2);
      packBlock(from, (inputs as usize) << 2, rows, inputs, to);
      if (isAdapted) adaptRows(layer, kind, rows, to, adapted + at * adaptedStride(), tails + at * ((rank as usize) << 2), tailStride);
      mine = takeItem();
    }
    row += rows;
  }
  meet();
}

/** A stage: y = W x + B (s A x) of what is prepared. */
function product(layer: i32, kind: i32, count: i32, y: usize): void {
  const stride = (matrixOut(kind) as usize) << 2;
  const inputBytes = (matrixIn(kind) as usize) << 2;
  const isAdapted = slotPointer(SLOT_ADAPTED) != 0;
  let item = takeItem();
  let before = 0;
  for (let p = firstPart(kind); p < firstPart(kind) + partCount(kind); p++) {
    const out = partOut(p);
    const runs = (out + RUN - 1) / RUN;
    const tail = tails + ((p - firstPart(kind)) as usize) * tailStride;
    for (; item < before + runs; item = takeItem()) {
      const first = (item - before) * RUN;
      for (let row = 0; row < count; row += BLOCK_ROWS) {
        const at = row as usize;
        outputsOf(layer, p, first, minI(first + RUN, out), minI(BLOCK_ROWS, count - row), packed + at * inputBytes, tail + at * ((rank as usize) << 2), isAdapted, y + at * stride, stride);
      }
    }
    before += runs;
    y += (out as usize) << 2;
  }
  meet();
}

/** Two stages: keys and values of all entries are kept, then each attends to what comes before it. */
function attend(layer: i32, count: i32): void {
  const stride = (qkvWidth as usize) << 2;
  for (let i = takeItem(); i < count; i = takeItem()) {
    const row = load<u32>(entryRow + ((i as usize) << 2)) as usize;
    const own = load<i32>(entryPlace + ((i as usize) << 2));
    const vectors = qkv + (i as usize) * stride;
    finishHeads(layer, 1, slotPointer(SLOT_WEIGHTS), vectors, 0, headInverse);
    ropeRow(vectors, heads + kvHeads, load<i32>(row, ROW_PROMPT_LENGTH) + own, 1);
    keepToken(layer, load<i32>(row, ROW_SEQUENCE), own, vectors);
  }
  meet();
  for (let item = takeItem(); item < count * kvHeads; item = takeItem()) {
    const i = item / kvHeads;
    const row = load<u32>(entryRow + ((i as usize) << 2)) as usize;
    const own = load<i32>(entryPlace + ((i as usize) << 2));
    const out = attended + (i as usize) * ((attnWidth as usize) << 2);
    attendGroup(layer, item % kvHeads, load<i32>(row, ROW_SEQUENCE), load<i32>(row, ROW_PROMPT), load<i32>(row, ROW_PROMPT_LENGTH), own, qkv + (i as usize) * stride, out, scores);
  }
  meet();
}

/** `count` entries through all layers: their sums are in x, but for the last layer's feed-forward part, which is in norm. */
function runLayers(count: i32): void {
  const w = slotPointer(SLOT_WEIGHTS);
  for (let layer = 0; layer < layers; layer++) {
    prepare(layer, 0, layer == 0 ? FROM_X : FROM_SUM, w + norm1Offset(layer), count);
    product(layer, 0, count, qkv);
    attend(layer, count);
    prepare(layer, 1, FROM_ATTENTION, 0, count);
    product(layer, 1, count, norm);
    prepare(layer, 2, FROM_SUM, w + norm2Offset(layer), count);
    product(layer, 2, count, gateUp);
    prepare(layer, 3, FROM_GATES, 0, count);
    product(layer, 3, count, norm);
  }
}

/** The last hidden vector of a live row from its entry. */
function finishRow(entry: i32, i: i32): void {
  const width = (hidden as usize) << 2;
  const at = (entry as usize) * width;
  addInto(x + at, norm + at, hidden);
  rmsNorm(1, hidden, x + at, slotPointer(SLOT_WEIGHTS) + finalNormOffset(), last + (i as usize) * width, inverse + ((entry as usize) << 2));
}

/** The row whose forced tokens are taken next. */
let forcing: i32 = 0;

/** Takes as many forced tokens of the rows, in order, as fit into a pass; returns how many. */
function putForced(count: i32): i32 {
  let entries = 0;
  for (; forcing < count; forcing++) {
    const row = rowAt(forcing);
    let at = load<u32>(row, ROW_FORCED) as usize;
    const end = load<u32>(row, ROW_FORCED_END) as usize;
    for (; at < end; at += 4) {
      if (entries == FILL) {
        store<u32>(row, at as u32, ROW_FORCED);
        return entries;
      }
      putEntry(entries++, row, load<i32>(at));
    }
    store<u32>(row, end as u32, ROW_FORCED);
  }
  return entries;
}

/** Leaves the last vectors of a pass's rows, which the passes after overwrite. */
function finishForced(entries: i32): void {
  const rows = load<u32>(SAMPLER, SAMPLER_ROWS);
  for (let entry = 0; entry < entries; entry++) {
    if (isLastOfRow(entry, entries)) finishRow(entry, (load<u32>(entryRow + ((entry as usize) << 2)) - rows) / (ROW_BYTES as u32));
  }
}

/** Begins a turn: all rows at their prompts' last hidden rows, from which they sample unless tokens are forced; takes those. */
export function beginTogether(thread: i32): void {
  takeState(thread);
  const count = load<i32>(SAMPLER, SAMPLER_ROW_COUNT);
  const width = (hidden as usize) << 2;
  if (thread == 0) {
    for (let i = 0; i < count; i++) {
      const row = (load<u32>(SAMPLER, SAMPLER_ROWS) as usize) + (i as usize) * ROW_BYTES;
      store<u32>(live + ((i as usize) << 2), row as u32);
      memory.copy(last + (i as usize) * width, (load<u32>(SAMPLER, SAMPLER_PROMPT_HIDDEN) as usize) + (load<i32>(row, ROW_PROMPT) as usize) * width, width);
    }
    store<i32>(state, count);
    forcing = 0;
  }
  while (true) {
    if (thread == 0) store<i32>(state + ENTRIES, putForced(count));
    meet();
    const entries = load<i32>(state + ENTRIES);
    if (entries == 0) return;
    runLayers(entries);
    if (thread == 0) finishForced(entries);
  }
}

/** Three stages for at most SAMPLED_ROWS live rows: their vectors are packed, make logits, and choose tokens. */
function chooseTokens(first: i32, count: i32): void {
  const width = (hidden as usize) << 2;
  let mine = takeItem();
  for (let row = 0, tile = 0; row < count; tile++) {
    const rows = tileAt(row, count);
    if (tile == mine) {
      packBlock(last + ((first + row) as usize) * width, width, rows, hidden, packed + (row as usize) * width);
      mine = takeItem();
    }
    row += rows;
  }
  meet();
  for (let id = takeItem() * ID_RUN; id < vocab; id = takeItem() * ID_RUN) logitsFrom(packed, count, id, minI(id + ID_RUN, vocab), logits);
  meet();
  for (let i = takeItem(); i < count; i = takeItem()) {
    const at = ((first + i) as usize) << 2;
    store<i32>(chosen + at, sampleInto(rowAt(first + i), logits + (i as usize) * ((vocab as usize) << 2)));
  }
  meet();
}

/** The next token of every live row; returns how many live on, moved to the front as entries of the next pass. */
function takeTokens(thread: i32, count: i32): i32 {
  for (let first = 0; first < count; first += SAMPLED_ROWS) chooseTokens(first, minI(SAMPLED_ROWS, count - first));
  if (thread == 0) {
    let living = 0;
    for (let i = 0; i < count; i++) {
      const row = rowAt(i);
      const token = load<i32>(chosen + ((i as usize) << 2));
      if (token < 0) continue;
      store<u32>(live + ((living as usize) << 2), row as u32);
      putEntry(living++, row, token);
    }
    store<i32>(state, living);
  }
  meet();
  return load<i32>(state);
}

/** Up to JOB_STEPS new tokens for each live row. */
export function decodeTogether(thread: i32): void {
  takeState(thread);
  let count = load<i32>(state);
  for (let step = load<i32>(JOB, JOB_STEPS); step > 0 && count > 0; step--) {
    count = takeTokens(thread, count);
    if (count == 0) break;
    runLayers(count);
    for (let i = takeItem(); i < count; i = takeItem()) finishRow(i, i);
    meet();
  }
  if (thread == 0) store<i32>(SAMPLER, count, SAMPLER_LIVE);
}
