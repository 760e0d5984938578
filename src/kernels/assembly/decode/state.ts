// What a turn's rows are decoded in: their live ones, the entries of a pass with all vectors of it, and the choice of a
// row's next token. With trained weights each thread has a state for rows of its own; beside a frozen base all share one.
import { attnWidth, frozen, headNorm, heads, hidden, inner, kvHeads, minI, pad8, qkvWidth, rank, vocab } from "../layout";
import { embedToken } from "../layers/head";
import { ROW_BYTES, ROW_CACHED, ROW_SAMPLED, ROW_STOPPED, SAMPLER, SAMPLER_ENTROPIES, SAMPLER_LOGPROBS, SAMPLER_MAX_NEW, SAMPLER_MIN_P, SAMPLER_ROWS, SAMPLER_STOPS, SAMPLER_STOP_COUNT, SAMPLER_TEMPERATURE, SAMPLER_TOKENS, SAMPLER_TOP_K, SAMPLER_TOP_P, SAMPLER_UNIFORMS } from "../memoryMap";
import { sampleRow, sampledEntropy, sampledLogprob } from "./sampler";

/** Tokens of one pass before the rows sample: enough to keep the products busy. */
export const FILL: i32 = 96;
/** Rows whose logits are held at once: over a large vocabulary they are many floats. */
export const SAMPLED_ROWS: i32 = 48;

// The number of live rows, the address of each one's words, its last hidden vector and its logits; of the entries of a
// pass, the row and the place among its own tokens, and its vectors.
export let state: usize = 0;
export let live: usize = 0;
export let last: usize = 0;
export let logits: usize = 0;
export let entryRow: usize = 0;
export let entryPlace: usize = 0;
export let x: usize = 0;
export let norm: usize = 0;
export let inverse: usize = 0;
export let headInverse: usize = 0;
export let qkv: usize = 0;
export let attended: usize = 0;
export let gateUp: usize = 0;
export let gated: usize = 0;
/** What adapters make of their inputs, the same packed, the rows of a product packed, and the tokens that were chosen. */
export let adapted: usize = 0;
export let tails: usize = 0;
export let tailStride: usize = 0;
export let packed: usize = 0;
export let chosen: usize = 0;
/** Working memory of attention. */
export let scores: usize = 0;

/** Floats of each thread's own: 1 / rms of the heads of a row. */
@inline function headFloats(): usize {
  return headNorm ? (pad8(heads + kvHeads) as usize) << 2 : 0;
}
@inline function scoreBytes(keys: i32): usize {
  return (((keys as usize) << 2) + 127) & ~127;
}

function placeShared(at: usize, n: i32): usize {
  adapted = at;
  tailStride = ((n + 6) as usize) * ((rank as usize) << 2);
  tails = adapted + (n as usize) * ((7 * rank) as usize) * 4;
  packed = tails + 3 * tailStride;
  chosen = packed + ((n + 6) as usize) * ((max(max(hidden, attnWidth), inner) as usize) << 2);
  return chosen + ((n as usize) << 2);
}

/** Places a state for so many rows and keys of one at `base`, of which a thread among `sharers` takes what is its own. */
export function placeState(base: usize, rows: i32, keys: i32, sharers: i32, thread: i32): usize {
  const r = (rows as usize) << 2;
  const entries = max(rows, FILL);
  const n = (entries as usize) << 2;
  state = base;
  live = base + 64;
  last = live + r;
  logits = last + r * hidden;
  entryRow = logits + ((minI(rows, SAMPLED_ROWS) as usize) << 2) * vocab;
  entryPlace = entryRow + n;
  x = entryPlace + n;
  norm = x + n * hidden;
  inverse = norm + n * hidden;
  headInverse = inverse + n + (thread as usize) * headFloats();
  qkv = inverse + n + (sharers as usize) * headFloats();
  attended = qkv + n * qkvWidth;
  gateUp = attended + n * attnWidth;
  gated = gateUp + 2 * n * inner;
  scores = gated + n * inner;
  if (frozen != 0) scores = placeShared(scores, entries);
  const end = scores + (sharers as usize) * scoreBytes(keys);
  scores += (thread as usize) * scoreBytes(keys);
  return (end - base + 191) & ~127;
}

/** Bytes of the state of so many rows on so many threads; `keys` are those of one row, a prompt's and its own, each padded to 8. */
export function decodeBytes(rows: i32, keys: i32, threads: i32): usize {
  if (frozen != 0) return placeState(0, rows, keys, threads, 0);
  return placeState(0, (rows + threads - 1) / threads, keys, 1, 0) * threads;
}

/** Address of the words of the i-th live row. */
@inline export function rowAt(i: i32): usize {
  return load<u32>(live + ((i as usize) << 2)) as usize;
}

/** Takes a row's next token as an entry of the coming pass. */
export function putEntry(entry: i32, row: usize, token: i32): void {
  const place = load<i32>(row, ROW_CACHED);
  store<u32>(entryRow + ((entry as usize) << 2), row as u32);
  store<i32>(entryPlace + ((entry as usize) << 2), place);
  store<i32>(row, place + 1, ROW_CACHED);
  const width = (hidden as usize) << 2;
  embedToken(token, x + (entry as usize) * width);
}

/** Whether an entry of a pass is its row's last. */
@inline export function isLastOfRow(entry: i32, count: i32): bool {
  const at = entryRow + ((entry as usize) << 2);
  return entry + 1 == count || load<u32>(at) != load<u32>(at, 4);
}

function isStop(token: i32): bool {
  const stops = load<u32>(SAMPLER, SAMPLER_STOPS) as usize;
  const count = load<i32>(SAMPLER, SAMPLER_STOP_COUNT);
  for (let i = 0; i < count; i++) if (load<i32>(stops + ((i as usize) << 2)) == token) return true;
  return false;
}

/** Samples a row's next token from its logits and writes it down; returns it, or -1 where the row's turn ends with it. */
export function sampleInto(row: usize, z: usize): i32 {
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
