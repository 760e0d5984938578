// The few vector operations everything else is made of. The relaxed build fuses multiply and add.

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
  const pairs = f32x4.max(a, i32x4.shuffle(a, a, 2, 3, 0, 1));
  return max(f32x4.extract_lane(pairs, 0), f32x4.extract_lane(pairs, 1));
}

/**
 * exp of four numbers, relative error about 1e-7 (range reduction and polynomial of Cephes expf).
 * Arguments are held within [-87.3, 88.3], so the result is never 0 nor infinite; NaN stays NaN.
 */
@inline export function exp4(input: v128): v128 {
  const x = f32x4.min(f32x4.max(input, f32x4.splat(-87.3)), f32x4.splat(88.3));
  const n = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.44269504088896341)));
  const r = madd(n, f32x4.splat(2.12194440e-4), madd(n, f32x4.splat(-0.693359375), x));
  let p = madd(f32x4.splat(1.9875691500e-4), r, f32x4.splat(1.3981999507e-3));
  p = madd(p, r, f32x4.splat(8.3334519073e-3));
  p = madd(p, r, f32x4.splat(4.1665795894e-2));
  p = madd(p, r, f32x4.splat(1.6666665459e-1));
  p = madd(p, r, f32x4.splat(5.0000001201e-1));
  const y = f32x4.add(madd(p, f32x4.mul(r, r), r), f32x4.splat(1));
  const power = i32x4.shl(i32x4.add(i32x4.trunc_sat_f32x4_s(n), i32x4.splat(127)), 23);
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
