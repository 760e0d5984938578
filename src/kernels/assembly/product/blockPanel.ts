// Eight rows of GGUF's blocks become a panel directly: their bytes change places while they are still bytes, sixteen at a
// time, which takes a third of what widening rows and turning them takes. While decoding, few rows share a panel, and
// making it is most of the work. A nibble times its scale has 15 bits, so that fused and plain sums are the same.
import { madd } from "../simd";
import { fromHalves } from "./widen";

/** Low and high halves of two vectors' bytes, in turns. */
@inline function low(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}
@inline function high(a: v128, b: v128): v128 {
  return i8x16.shuffle(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/** Four rows' halves at the same place. */
@inline function fourHalves(at: usize, step: usize): v128 {
  let bits = i32x4.splat(load<u16>(at) as i32);
  bits = i32x4.replace_lane(bits, 1, load<u16>(at + step) as i32);
  bits = i32x4.replace_lane(bits, 2, load<u16>(at + 2 * step) as i32);
  return fromHalves(i32x4.replace_lane(bits, 3, load<u16>(at + 3 * step) as i32));
}

// Scales of rows 0 to 3 and 4 to 7 of the block at hand, and what is added to their products.
let scale0: v128 = f32x4.splat(0);
let scale1: v128 = f32x4.splat(0);
let least0: v128 = f32x4.splat(0);
let least1: v128 = f32x4.splat(0);

/** Two inputs of eight rows each, 8 floats an input. */
@inline function put(bytes: v128, signed: bool, s0: v128, s1: v128, m0: v128, m1: v128, to: usize): void {
  const first = signed ? i16x8.extend_low_i8x16_s(bytes) : i16x8.extend_low_i8x16_u(bytes);
  const second = signed ? i16x8.extend_high_i8x16_s(bytes) : i16x8.extend_high_i8x16_u(bytes);
  v128.store(to, madd(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(first)), s0, m0));
  v128.store(to, madd(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(first)), s1, m1), 16);
  v128.store(to, madd(f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(second)), s0, m0), 32);
  v128.store(to, madd(f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(second)), s1, m1), 48);
}

/** Two inputs of nibbles: those in the low bits, and 16 inputs on those in the high ones. */
@inline function putNibbles(bytes: v128, s0: v128, s1: v128, m0: v128, m1: v128, to: usize): void {
  put(v128.and(bytes, i8x16.splat(15)), false, s0, s1, m0, m1, to);
  put(i8x16.shr_u(bytes, 4), false, s0, s1, m0, m1, to + 512);
}

/** Sixteen bytes of each of eight rows, `step` bytes apart, as inputs of a panel; `nibbles` is a constant. */
@inline function turnBytes(at: usize, step: usize, nibbles: bool, to: usize): void {
  const r0 = v128.load(at);
  const r1 = v128.load(at + step);
  const r2 = v128.load(at + 2 * step);
  const r3 = v128.load(at + 3 * step);
  const r4 = v128.load(at + 4 * step);
  const r5 = v128.load(at + 5 * step);
  const r6 = v128.load(at + 6 * step);
  const r7 = v128.load(at + 7 * step);
  turnHalf(low(r0, r4), low(r1, r5), low(r2, r6), low(r3, r7), nibbles, to);
  turnHalf(high(r0, r4), high(r1, r5), high(r2, r6), high(r3, r7), nibbles, to + 256);
}

@inline function turnHalf(a: v128, b: v128, c: v128, d: v128, nibbles: bool, to: usize): void {
  const even0 = low(a, c);
  const odd0 = low(b, d);
  const even1 = high(a, c);
  const odd1 = high(b, d);
  const s0 = scale0;
  const s1 = scale1;
  const m0 = least0;
  const m1 = least1;
  if (nibbles) {
    putNibbles(low(even0, odd0), s0, s1, m0, m1, to);
    putNibbles(high(even0, odd0), s0, s1, m0, m1, to + 64);
    putNibbles(low(even1, odd1), s0, s1, m0, m1, to + 128);
    putNibbles(high(even1, odd1), s0, s1, m0, m1, to + 192);
  } else {
    put(low(even0, odd0), true, s0, s1, m0, m1, to);
    put(high(even0, odd0), true, s0, s1, m0, m1, to + 64);
    put(low(even1, odd1), true, s0, s1, m0, m1, to + 128);
    put(high(even1, odd1), true, s0, s1, m0, m1, to + 192);
  }
}

/**
 * Panel of eight rows of `blocks` blocks of 4 bits each, `step` bytes from row to row; with `hasLeast` (Q4_1) blocks
 * have a least value, else (Q4_0) nibbles count from -8.
 */
export function nibblePanel(from: usize, step: usize, blocks: i32, hasLeast: bool, to: usize): void {
  const blockBytes: usize = hasLeast ? 20 : 18;
  for (; blocks > 0; blocks--) {
    scale0 = fourHalves(from, step);
    scale1 = fourHalves(from + 4 * step, step);
    least0 = hasLeast ? fourHalves(from + 2, step) : f32x4.mul(scale0, f32x4.splat(-8));
    least1 = hasLeast ? fourHalves(from + 2 + 4 * step, step) : f32x4.mul(scale1, f32x4.splat(-8));
    turnBytes(from + blockBytes - 16, step, true, to);
    from += blockBytes;
    to += 1024;
  }
}

/** Sum of a word of each line of the processor's cache. */
let touched: i32 = 0;

/** Reads memory from first to last, once for each line: eight rows at a time, what has to come from far would come one by one. */
function touch(from: usize, bytes: usize): void {
  let sum = 0;
  for (let at: usize = 0; at < bytes; at += 64) sum += load<i32>(from + at);
  touched = sum;
}

/** The same of blocks of 8 bits (Q8_0). */
export function bytePanel(from: usize, step: usize, blocks: i32, to: usize): void {
  touch(from, 8 * step);
  least0 = f32x4.splat(0);
  least1 = least0;
  for (; blocks > 0; blocks--) {
    scale0 = fourHalves(from, step);
    scale1 = fourHalves(from + 4 * step, step);
    turnBytes(from + 2, step, false, to);
    turnBytes(from + 18, step, false, to + 512);
    from += 34;
    to += 1024;
  }
}
