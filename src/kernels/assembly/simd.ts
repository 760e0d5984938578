// The few vector operations everything else is made of. The relaxed build fuses multiply and add.
// pmin and pmax are one instruction; min and max are eight, for the sake of signed zeros and NaN.
import { CONSTANTS } from "./memoryMap";

/** a * b + c, fused where the build has relaxed SIMD. */
@inline export function madd(a: v128, b: v128, c: v128): v128 {
  if (ASC_FEATURE_RELAXED_SIMD) {
    return f32x4.relaxed_madd(a, b, c);
  } else {
    return f32x4.add(f32x4.mul(a, b), c);
  }
}

/** Sum of the four lanes, pairs first. */
@inline export function sum4(a: v128): f32 {
  const pairs = f32x4.add(a, i32x4.shuffle(a, a, 2, 3, 0, 1));
  return f32x4.extract_lane(pairs, 0) + f32x4.extract_lane(pairs, 1);
}

@inline export function max4(a: v128): f32 {
  const pairs = f32x4.pmax(a, i32x4.shuffle(a, a, 2, 3, 0, 1));
  return max(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1));
}

// Constants of exp4, read from memory: engines build a vector constant from integers at every use,
// which costs more than the arithmetic it serves.
const C_LOW: usize = CONSTANTS;
const C_HIGH: usize = CONSTANTS + 4;
const C_LOG2E: usize = CONSTANTS + 8;
const C_LN2_HIGH: usize = CONSTANTS + 12;
const C_LN2_LOW: usize = CONSTANTS + 16;
const C_P0: usize = CONSTANTS + 20;
const C_P1: usize = CONSTANTS + 24;
const C_P2: usize = CONSTANTS + 28;
const C_P3: usize = CONSTANTS + 32;
const C_P4: usize = CONSTANTS + 36;
const C_P5: usize = CONSTANTS + 40;
const C_ONE: usize = CONSTANTS + 44;
const C_BIAS: usize = CONSTANTS + 48;
const C_ROUND: usize = CONSTANTS + 52;

/** Writes the constants; the same bytes each time, so any thread may. */
export function writeConstants(): void {
  store<f32>(C_LOW, -87.3);
  store<f32>(C_HIGH, 88.3);
  store<f32>(C_LOG2E, 1.44269504088896341);
  store<f32>(C_LN2_HIGH, -0.693359375);
  store<f32>(C_LN2_LOW, 2.12194440e-4);
  store<f32>(C_P0, 1.9875691500e-4);
  store<f32>(C_P1, 1.3981999507e-3);
  store<f32>(C_P2, 8.3334519073e-3);
  store<f32>(C_P3, 4.1665795894e-2);
  store<f32>(C_P4, 1.6666665459e-1);
  store<f32>(C_P5, 5.0000001201e-1);
  store<f32>(C_ONE, 1);
  store<i32>(C_BIAS, 127);
  store<f32>(C_ROUND, 12582912);
}

/** Four ones. */
@inline export function ones(): v128 {
  return v128.load32_splat(C_ONE);
}

/**
 * exp of four numbers, relative error about 1e-7 (range reduction and polynomial of Cephes expf).
 * Arguments are held within [-87.3, 88.3], so the result is never 0 nor infinite; NaN stays NaN.
 */
@inline export function exp4(input: v128): v128 {
  const x = f32x4.pmin(f32x4.pmax(input, v128.load32_splat(C_LOW)), v128.load32_splat(C_HIGH));
  // Adding 1.5 * 2^23 rounds to a whole number and leaves it in the lowest bits.
  const t = madd(x, v128.load32_splat(C_LOG2E), v128.load32_splat(C_ROUND));
  const n = f32x4.sub(t, v128.load32_splat(C_ROUND));
  const r = madd(n, v128.load32_splat(C_LN2_LOW), madd(n, v128.load32_splat(C_LN2_HIGH), x));
  let p = madd(v128.load32_splat(C_P0), r, v128.load32_splat(C_P1));
  p = madd(p, r, v128.load32_splat(C_P2));
  p = madd(p, r, v128.load32_splat(C_P3));
  p = madd(p, r, v128.load32_splat(C_P4));
  p = madd(p, r, v128.load32_splat(C_P5));
  const y = f32x4.add(madd(p, f32x4.mul(r, r), r), ones());
  const power = i32x4.shl(i32x4.add(t, v128.load32_splat(C_BIAS)), 23);
  return f32x4.mul(y, power);
}

/** exp of one number by the same arithmetic, so that tails of a row have the bits its body would have. */
@inline export function exp1(x: f32): f32 {
  return f32x4.extract_lane(exp4(f32x4.splat(x)), 0);
}

/** Natural logarithm of a positive finite number: log m + e log 2 with log m = 2 artanh((m-1)/(m+1)). */
export function log1(x: f64): f64 {
  const bits = reinterpret<i64>(x);
  let exponent = ((bits >> 52) & 0x7ff) as i32 - 1023;
  let m = reinterpret<f64>((bits & 0xfffffffffffff) | 0x3ff0000000000000);
  if (m > 1.4142135623730951) {
    m *= 0.5;
    exponent++;
  }
  const s = (m - 1) / (m + 1);
  const q = s * s;
  let p: f64 = 1.0 / 15;
  p = p * q + 1.0 / 13;
  p = p * q + 1.0 / 11;
  p = p * q + 1.0 / 9;
  p = p * q + 1.0 / 7;
  p = p * q + 1.0 / 5;
  p = p * q + 1.0 / 3;
  p = p * q + 1.0;
  // Not-a-number must not turn into a number here: training stops on it.
  return x != x ? x : 2 * s * p + (exponent as f64) * 0.6931471805599453;
}

/** y[i] += x[i] for count floats. */
export function addInto(y: usize, x: usize, count: i32): void {
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = (i as usize) << 2;
    v128.store(y + at, f32x4.add(v128.load(y + at), v128.load(x + at)));
  }
  for (; i < count; i++) {
    const at = (i as usize) << 2;
    store<f32>(y + at, load<f32>(y + at) + load<f32>(x + at));
  }
}

/** y[i] += a * x[i] for count floats. */
export function addScaled(y: usize, a: f32, x: usize, count: i32): void {
  const aa = f32x4.splat(a);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = (i as usize) << 2;
    v128.store(y + at, madd(aa, v128.load(x + at), v128.load(y + at)));
  }
  for (; i < count; i++) {
    const at = (i as usize) << 2;
    store<f32>(y + at, load<f32>(y + at) + a * load<f32>(x + at));
  }
}

/** Sum of x[i] * y[i] for count floats. */
export function dot(x: usize, y: usize, count: i32): f32 {
  let acc = f32x4.splat(0);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = (i as usize) << 2;
    acc = madd(v128.load(x + at), v128.load(y + at), acc);
  }
  let sum = sum4(acc);
  for (; i < count; i++) sum += load<f32>(x + ((i as usize) << 2)) * load<f32>(y + ((i as usize) << 2));
  return sum;
}
