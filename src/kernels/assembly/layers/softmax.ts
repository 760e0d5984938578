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

/** So many terms are summed in single precision at most: sums of a run go on in double, since each lane rounds the same way for long. */
const RUN: i32 = 512;

/**
 * Sum of e[i] = exp((z[i] - top) by); leaves the sum of each times its exponent in lastMoment, and each at `to` with
 * `keep`, a constant.
 */
export let lastMoment: f32 = 0;
@inline export function exponentials(z: usize, count: i32, top: f32, by: f32, keep: bool, to: usize): f32 {
  let total: f64 = 0;
  let moments: f64 = 0;
  for (let first = 0; first < count; first += RUN) {
    const at = (first as usize) << 2;
    total += runExponentials(z + at, min(RUN, count - first), top, by, keep, to + at) as f64;
    moments += lastMoment as f64;
  }
  lastMoment = moments as f32;
  return total as f32;
}

@inline function runExponentials(z: usize, count: i32, top: f32, by: f32, keep: bool, to: usize): f32 {
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

/**
 * A run of a row's logits becomes their gradients: -p (g + h (log p + H)) by, before the targets' own share. `stats` are the
 * row's four: log of the sum of exponentials, H, g and h.
 */
export function logitGradients(z: usize, count: i32, by: f32, stats: usize): void {
  const logSum = load<f32>(stats);
  const entropy = load<f32>(stats, 4);
  const g = load<f32>(stats, 8);
  const h = load<f32>(stats, 12);
  const bb = f32x4.splat(by);
  const ll = f32x4.splat(logSum);
  const constant = f32x4.splat(-by * (g + h * entropy));
  const slope = f32x4.splat(-by * h);
  let i = 0;
  for (; i + 4 <= count; i += 4) {
    const at = z + ((i as usize) << 2);
    const logp = f32x4.sub(f32x4.mul(v128.load(at), bb), ll);
    v128.store(at, f32x4.mul(exp4(logp), madd(slope, logp, constant)));
  }
  for (; i < count; i++) {
    const at = z + ((i as usize) << 2);
    const logp: f32 = load<f32>(at) * by - logSum;
    store<f32>(at, exp1(logp) * (-by * (g + h * entropy) - by * h * logp));
  }
}
