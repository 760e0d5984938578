// Attention of one new token over a prompt's shared cache and its sequence's own.
import { ROLLOUT, headSize, heads, kvHeads, pad8 } from "./layout";
import { ROLL_MAX_NEW, ROLL_OWN_CACHE, ROLL_PROMPT_CACHE, ROLL_PROMPT_CAPACITY, cacheKeys, cacheValues } from "./promptCache";
import { exp4, madd, max4, sum4 } from "./simd";

/** out[j] = q · key j over whole panels of 8 positions; four panels at a time keep the multipliers busy. */
function scorePanels(q: usize, panels: usize, positions: i32, out: usize): void {
  const step = (headSize as usize) << 5;
  let j = 0;
  for (; j + 32 <= positions; j += 32) {
    let a0 = f32x4.splat(0);
    let b0 = a0;
    let a1 = a0;
    let b1 = a0;
    let a2 = a0;
    let b2 = a0;
    let a3 = a0;
    let b3 = a0;
    let k0 = panels;
    let k1 = panels + step;
    let k2 = k1 + step;
    let k3 = k2 + step;
    for (let d = 0; d < headSize; d++) {
      const s = v128.load32_splat(q + ((d as usize) << 2));
      a0 = madd(s, v128.load(k0), a0);
      b0 = madd(s, v128.load(k0, 16), b0);
      a1 = madd(s, v128.load(k1), a1);
      b1 = madd(s, v128.load(k1, 16), b1);
      a2 = madd(s, v128.load(k2), a2);
      b2 = madd(s, v128.load(k2, 16), b2);
      a3 = madd(s, v128.load(k3), a3);
      b3 = madd(s, v128.load(k3, 16), b3);
      k0 += 32;
      k1 += 32;
      k2 += 32;
      k3 += 32;
    }
    v128.store(out, a0);
    v128.store(out, b0, 16);
    v128.store(out, a1, 32);
    v128.store(out, b1, 48);
    v128.store(out, a2, 64);
    v128.store(out, b2, 80);
    v128.store(out, a3, 96);
    v128.store(out, b3, 112);
    out += 128;
    panels = k3;
  }
  for (; j < positions; j += 8) {
    let a = f32x4.splat(0);
    let b = a;
    for (let d = 0; d < headSize; d++) {
      const s = v128.load32_splat(q + ((d as usize) << 2));
      a = madd(s, v128.load(panels), a);
      b = madd(s, v128.load(panels, 16), b);
      panels += 32;
    }
    v128.store(out, a);
    v128.store(out, b, 16);
    out += 32;
  }
}

/** out[d] (+)= by * sum over positions of p[j] values[j][d]. */
function weightedValues(p: usize, values: usize, positions: i32, by: f32, out: usize, accumulate: bool): void {
  const stride = (headSize as usize) << 2;
  const bb = f32x4.splat(by);
  let d = 0;
  for (; d + 8 <= headSize; d += 8) {
    let a0 = f32x4.splat(0);
    let b0 = a0;
    let a1 = a0;
    let b1 = a0;
    let v = values + ((d as usize) << 2);
    let j = 0;
    for (; j + 2 <= positions; j += 2) {
      const at = p + ((j as usize) << 2);
      const s = v128.load32_splat(at);
      const t = v128.load32_splat(at, 4);
      a0 = madd(s, v128.load(v), a0);
      b0 = madd(s, v128.load(v, 16), b0);
      v += stride;
      a1 = madd(t, v128.load(v), a1);
      b1 = madd(t, v128.load(v, 16), b1);
      v += stride;
    }
    if (j < positions) {
      const s = v128.load32_splat(p + ((j as usize) << 2));
      a0 = madd(s, v128.load(v), a0);
      b0 = madd(s, v128.load(v, 16), b0);
    }
    const to = out + ((d as usize) << 2);
    const a = f32x4.mul(f32x4.add(a0, a1), bb);
    const b = f32x4.mul(f32x4.add(b0, b1), bb);
    v128.store(to, accumulate ? f32x4.add(a, v128.load(to)) : a);
    v128.store(to, accumulate ? f32x4.add(b, v128.load(to, 16)) : b, 16);
  }
  for (; d < headSize; d++) {
    const to = out + ((d as usize) << 2);
    let sum: f32 = 0;
    for (let j = 0; j < positions; j++) sum += load<f32>(p + ((j as usize) << 2)) * load<f32>(values + (j as usize) * stride + ((d as usize) << 2));
    store<f32>(to, accumulate ? load<f32>(to) + sum * by : sum * by);
  }
}

@inline function maskTail(scores: usize, count: i32): void {
  for (let i = count; i < pad8(count); i++) store<f32>(scores + ((i as usize) << 2), -Infinity);
}

@inline function clearTail(scores: usize, count: i32): void {
  for (let i = count; i < pad8(count); i++) store<f32>(scores + ((i as usize) << 2), 0);
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

/** One row of fused q, k, v (rotated) of a sequence with `own` earlier tokens; scores is working memory. */
export function decodeAttend(layer: i32, sequence: i32, prompt: i32, promptLength: i32, own: i32, qkv: usize, out: usize, scores: usize): void {
  const headBytes = (headSize as usize) << 2;
  const promptCapacity = load<i32>(ROLLOUT, ROLL_PROMPT_CAPACITY);
  const ownCapacity = load<i32>(ROLLOUT, ROLL_MAX_NEW);
  const group = heads / kvHeads;
  for (let kv = 0; kv < kvHeads; kv++) {
    const promptKeys = cacheKeys(load<u32>(ROLLOUT, ROLL_PROMPT_CACHE), prompt, promptCapacity, layer, kv);
    const ownKeys = cacheKeys(load<u32>(ROLLOUT, ROLL_OWN_CACHE), sequence, ownCapacity, layer, kv);
    append(qkv + headBytes * ((heads + kv) as usize), qkv + headBytes * ((heads + kvHeads + kv) as usize), ownKeys, ownCapacity, own);
    for (let head = kv * group; head < (kv + 1) * group; head++) {
      const o = out + headBytes * (head as usize);
      attendHead(qkv + headBytes * (head as usize), promptKeys, cacheValues(promptKeys, promptCapacity), promptLength, ownKeys, cacheValues(ownKeys, ownCapacity), own + 1, o, scores);
    }
  }
}

function attendHead(q: usize, promptKeys: usize, promptValues: usize, promptLength: i32, ownKeys: usize, ownValues: usize, ownLength: i32, out: usize, scores: usize): void {
  const ownScores = scores + ((pad8(promptLength) as usize) << 2);
  const padded = pad8(promptLength) + pad8(ownLength);
  scorePanels(q, promptKeys, promptLength, scores);
  scorePanels(q, ownKeys, ownLength, ownScores);
  maskTail(scores, promptLength);
  maskTail(ownScores, ownLength);
  let high = f32x4.splat(-Infinity);
  for (let i = 0; i < padded; i += 4) high = f32x4.max(high, v128.load(scores + ((i as usize) << 2)));
  const mm = f32x4.splat(max4(high));
  const ss = f32x4.splat(1 / sqrt<f32>(headSize as f32));
  for (let i = 0; i < padded; i += 4) {
    const at = scores + ((i as usize) << 2);
    v128.store(at, exp4(f32x4.mul(f32x4.sub(v128.load(at), mm), ss)));
  }
  clearTail(scores, promptLength);
  clearTail(ownScores, ownLength);
  let acc = f32x4.splat(0);
  for (let i = 0; i < padded; i += 4) acc = f32x4.add(acc, v128.load(scores + ((i as usize) << 2)));
  const by: f32 = 1 / sum4(acc);
  weightedValues(scores, promptValues, promptLength, by, out, false);
  weightedValues(ownScores, ownValues, ownLength, by, out, true);
}
