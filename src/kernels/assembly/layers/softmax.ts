// The passes over a row of numbers that softmax and its statistics are made of.
import { exp1, exp4, madd, max4, sum4 } from "../simd";

@inline export function largest(z: usize, count: i32): f32 {
  let high = f32x4.splat(-Infinity);
  let i = 0;
  for (; i + 4 <= count; i += 4) high = f32x4.pmax(high, v128.load(z + ((i as usize) << 2)));
  let top = max4(high);
  for (; i < count; i++) top = max(top, load<f32>(z + ((i as usize) << 2)));
  return top;
}

/** Sum of e[i] = exp((z[i] - top) by); leaves the sum of each times its exponent in lastMoment, and each at `to` with `keep`, a constant. */
export let lastMoment: f32 = 0;
@inline export function exponentials(z: usize, count: i32, top: f32, by: f32, keep: bool, to: usize): f32 {
  const tt = f32x4.splat(top);
  const bb = f32x4.splat(by);
  let acc = f32x4.splat(0);
  let weighted = f32x4.splat(0);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = (i as usize) << 2;
    const exponent = f32x4.mul(f32x4.sub(v128.load(z + at), tt), bb);
    const e = exp4(exponent);
    if (keep) v128.store(to + at, e);
    acc = f32x4.add(acc, e);
    weighted = madd(e, exponent, weighted);
  }
  let sum = sum4(acc);
  let moment = sum4(weighted);
  for (; i < count; i++) {
    const at = (i as usize) << 2;
    const exponent: f32 = (load<f32>(z + at) - top) * by;
    const e = exp1(exponent);
    if (keep) store<f32>(to + at, e);
    sum += e;
    moment += e * exponent;
  }
  lastMoment = moment;
  return sum;
}
