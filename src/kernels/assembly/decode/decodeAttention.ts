// Attention of one new token over a prompt's shared cache and its sequence's own.
import { cacheKeys, cacheValues } from "./caches";
import { headSize, heads, kvHeads, pad8 } from "../layout";
import { SAMPLER, SAMPLER_OWN_CACHE, SAMPLER_OWN_CAPACITY, SAMPLER_PROMPT_CACHE, SAMPLER_PROMPT_CAPACITY } from "../memoryMap";
import { scorePanels } from "../layers/scorePanels";
import { exp4, madd, max4, sum4 } from "../simd";

@inline function putScaled(out: usize, sum: v128, by: v128, accumulate: bool): void {
  const scaled = f32x4.mul(sum, by);
  v128.store(out, accumulate ? f32x4.add(scaled, v128.load(out)) : scaled);
}

/**
 * 16 columns of weightedValues, even and odd positions apart to keep the multipliers busy; 8 more, whose sums wait for
 * each other, beside them.
 */
@inline function sixteenValues(p: usize, v: usize, stride: usize, positions: i32, by: v128, out: usize, accumulate: bool, eightMore: bool): void {
  let a0 = f32x4.splat(0);
  let b0 = a0;
  let c0 = a0;
  let d0 = a0;
  let a1 = a0;
  let b1 = a0;
  let c1 = a0;
  let d1 = a0;
  let e = a0;
  let f = a0;
  let j = positions;
  for (; j >= 2; j -= 2) {
    const s = v128.load32_splat(p);
    a0 = madd(s, v128.load(v), a0);
    b0 = madd(s, v128.load(v, 16), b0);
    c0 = madd(s, v128.load(v, 32), c0);
    d0 = madd(s, v128.load(v, 48), d0);
    if (eightMore) {
      e = madd(s, v128.load(v, 64), e);
      f = madd(s, v128.load(v, 80), f);
    }
    v += stride;
    const t = v128.load32_splat(p, 4);
    a1 = madd(t, v128.load(v), a1);
    b1 = madd(t, v128.load(v, 16), b1);
    c1 = madd(t, v128.load(v, 32), c1);
    d1 = madd(t, v128.load(v, 48), d1);
    if (eightMore) {
      e = madd(t, v128.load(v, 64), e);
      f = madd(t, v128.load(v, 80), f);
    }
    v += stride;
    p += 8;
  }
  if (j > 0) {
    const s = v128.load32_splat(p);
    a0 = madd(s, v128.load(v), a0);
    b0 = madd(s, v128.load(v, 16), b0);
    c0 = madd(s, v128.load(v, 32), c0);
    d0 = madd(s, v128.load(v, 48), d0);
    if (eightMore) {
      e = madd(s, v128.load(v, 64), e);
      f = madd(s, v128.load(v, 80), f);
    }
  }
  putScaled(out, f32x4.add(a0, a1), by, accumulate);
  putScaled(out + 16, f32x4.add(b0, b1), by, accumulate);
  putScaled(out + 32, f32x4.add(c0, c1), by, accumulate);
  putScaled(out + 48, f32x4.add(d0, d1), by, accumulate);
  if (!eightMore) return;
  putScaled(out + 64, e, by, accumulate);
  putScaled(out + 80, f, by, accumulate);
}

/** out[d] (+)= by * sum over positions of p[j] values[j][d]. */
function weightedValues(p: usize, values: usize, positions: i32, by: f32, out: usize, accumulate: bool): void {
  const stride = (headSize as usize) << 2;
  const bb = f32x4.splat(by);
  let d = 0;
  for (; d + 16 <= headSize; d += 16) {
    const at = (d as usize) << 2;
    if (headSize - d == 24) {
      sixteenValues(p, values + at, stride, positions, bb, out + at, accumulate, true);
      return;
    }
    sixteenValues(p, values + at, stride, positions, bb, out + at, accumulate, false);
  }
  for (; d + 4 <= headSize; d += 4) {
    const at = (d as usize) << 2;
    let sum = f32x4.splat(0);
    for (let j = 0; j < positions; j++) sum = madd(v128.load32_splat(p + ((j as usize) << 2)), v128.load(values + at + (j as usize) * stride), sum);
    putScaled(out + at, sum, bb, accumulate);
  }
  for (; d < headSize; d++) {
    const to = out + ((d as usize) << 2);
    let sum: f32 = 0;
    for (let j = 0; j < positions; j++) sum += load<f32>(p + ((j as usize) << 2)) * load<f32>(values + (j as usize) * stride + ((d as usize) << 2));
    store<f32>(to, accumulate ? load<f32>(to) + sum * by : sum * by);
  }
}

/** Lanes of the vector at positions i.. that are below count; computed, because reading back what was just stored in parts stalls. */
@inline function laneMask(i: i32, count: i32): v128 {
  return i32x4.lt_s(i32x4.add(i32x4.splat(i), i32x4(0, 1, 2, 3)), i32x4.splat(count));
}

/** Largest of the first count scores; the last vector may hold anything past them. */
@inline function largest(scores: usize, count: i32, high: v128): v128 {
  let i = 0;
  for (; i + 4 <= count; i += 4) high = f32x4.pmax(high, v128.load(scores + ((i as usize) << 2)));
  if (i < count) high = f32x4.pmax(high, v128.bitselect(v128.load(scores + ((i as usize) << 2)), high, laneMask(i, count)));
  return high;
}

/** Replaces count scores by exp((score - top) scale), zero past them in the last vector; returns sums by lane. */
@inline function exponentiate(scores: usize, count: i32, top: v128, scale: v128, sum: v128): v128 {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = scores + ((i as usize) << 2);
    const e = exp4(f32x4.mul(f32x4.sub(v128.load(at), top), scale));
    v128.store(at, e);
    sum = f32x4.add(sum, e);
  }
  if (i < count) {
    const at = scores + ((i as usize) << 2);
    const e = v128.and(exp4(f32x4.mul(f32x4.sub(v128.load(at), top), scale)), laneMask(i, count));
    v128.store(at, e);
    sum = f32x4.add(sum, e);
  }
  return sum;
}

/** Adds the new key and value of a sequence to its own cache, as position `at`. */
function append(key: usize, value: usize, keys: usize, capacity: i32, at: i32): void {
  let to = keys + (((at >> 3) * headSize) as usize) * 32 + (((at & 7) as usize) << 2);
  for (let d = 0; d < headSize; d++) {
    store<f32>(to, load<f32>(key + ((d as usize) << 2)));
    to += 32;
  }
  const bytes = (headSize as usize) << 2;
  memory.copy(cacheValues(keys, capacity) + (at as usize) * bytes, value, bytes);
}

/** Keeps key and value of a row of fused q, k, v (rotated), which is the token `own` of its sequence. */
export function keepToken(layer: i32, sequence: i32, own: i32, qkv: usize): void {
  const headBytes = (headSize as usize) << 2;
  const capacity = load<i32>(SAMPLER, SAMPLER_OWN_CAPACITY);
  for (let kv = 0; kv < kvHeads; kv++) {
    const keys = cacheKeys(load<u32>(SAMPLER, SAMPLER_OWN_CACHE), sequence, capacity, layer, kv);
    append(qkv + headBytes * ((heads + kv) as usize), qkv + headBytes * ((heads + kvHeads + kv) as usize), keys, capacity, own);
  }
}

/** One row of fused q, k, v (rotated) of a sequence with `own` earlier tokens, itself kept already; scores is working memory. */
export function decodeAttend(layer: i32, sequence: i32, prompt: i32, promptLength: i32, own: i32, qkv: usize, out: usize, scores: usize): void {
  for (let kv = 0; kv < kvHeads; kv++) attendGroup(layer, kv, sequence, prompt, promptLength, own, qkv, out, scores);
}

/** The same for the query heads that share one head of keys and values. */
export function attendGroup(layer: i32, kv: i32, sequence: i32, prompt: i32, promptLength: i32, own: i32, qkv: usize, out: usize, scores: usize): void {
  const headBytes = (headSize as usize) << 2;
  const promptCapacity = load<i32>(SAMPLER, SAMPLER_PROMPT_CAPACITY);
  const ownCapacity = load<i32>(SAMPLER, SAMPLER_OWN_CAPACITY);
  const group = heads / kvHeads;
  const promptKeys = cacheKeys(load<u32>(SAMPLER, SAMPLER_PROMPT_CACHE), prompt, promptCapacity, layer, kv);
  const ownKeys = cacheKeys(load<u32>(SAMPLER, SAMPLER_OWN_CACHE), sequence, ownCapacity, layer, kv);
  for (let head = kv * group; head < (kv + 1) * group; head++) {
    const o = out + headBytes * (head as usize);
    attendHead(qkv + headBytes * (head as usize), promptKeys, cacheValues(promptKeys, promptCapacity), promptLength, ownKeys, cacheValues(ownKeys, ownCapacity), own + 1, o, scores);
  }
}

function attendHead(q: usize, promptKeys: usize, promptValues: usize, promptLength: i32, ownKeys: usize, ownValues: usize, ownLength: i32, out: usize, scores: usize): void {
  const ownScores = scores + ((pad8(promptLength) as usize) << 2);
  scorePanels(q, promptKeys, promptLength, scores);
  scorePanels(q, ownKeys, ownLength, ownScores);
  const top = f32x4.splat(max4(largest(ownScores, ownLength, largest(scores, promptLength, f32x4.splat(-Infinity)))));
  const scale = f32x4.splat(1 / sqrt<f32>(headSize as f32));
  const by: f32 = 1 / sum4(exponentiate(ownScores, ownLength, top, scale, exponentiate(scores, promptLength, top, scale, f32x4.splat(0))));
  weightedValues(scores, promptValues, promptLength, by, out, false);
  weightedValues(ownScores, ownValues, ownLength, by, out, true);
}
