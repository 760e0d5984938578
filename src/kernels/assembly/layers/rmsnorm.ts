// RMSNorm (Zhang and Sennrich 2019): y = x / sqrt(mean(x²) + eps) * w, row by row.
import { eps } from "../layout";
import { dot, madd, sum4 } from "../simd";

/** y and the reciprocal root mean square of each row; w has `width` floats. */
export function rmsNorm(rows: i32, width: i32, x: usize, w: usize, y: usize, inverse: usize): void {
  const stride = (width as usize) << 2;
  for (let row = 0; row < rows; row++) {
    const r: f32 = 1 / sqrt<f32>(dot(x, x, width) / (width as f32) + eps);
    store<f32>(inverse, r);
    const rr = f32x4.splat(r);
    let i = 0;
    for (; i + 4 <= width; i += 4) {
      const at = (i as usize) << 2;
      v128.store(y + at, f32x4.mul(f32x4.mul(v128.load(x + at), rr), v128.load(w + at)));
    }
    for (; i < width; i++) {
      const at = (i as usize) << 2;
      store<f32>(y + at, load<f32>(x + at) * r * load<f32>(w + at));
    }
    x += stride;
    y += stride;
    inverse += 4;
  }
}

/**
 * Adds to dx and to dw the gradient that arrives as dy. With s = sum(dy w x):
 * dx += r (w dy - x r² s / width), dw += dy x r. Where w stands still, dw is 0.
 */
export function rmsNormBackward(rows: i32, width: i32, x: usize, w: usize, inverse: usize, dy: usize, dx: usize, dw: usize): void {
  const stride = (width as usize) << 2;
  for (let row = 0; row < rows; row++) {
    const r = load<f32>(inverse);
    rowBackward(width, x, w, r, dy, dx, dw);
    x += stride;
    dy += stride;
    dx += stride;
    inverse += 4;
  }
}

/** One row of rmsNormBackward. */
export function rowBackward(width: i32, x: usize, w: usize, r: f32, dy: usize, dx: usize, dw: usize): void {
  let acc = f32x4.splat(0);
  const rr = f32x4.splat(r);
  let i = 0;
  for (; i + 4 <= width; i += 4) {
    const at = (i as usize) << 2;
    const product = f32x4.mul(v128.load(dy + at), v128.load(x + at));
    acc = madd(product, v128.load(w + at), acc);
    if (dw != 0) v128.store(dw + at, madd(product, rr, v128.load(dw + at)));
  }
  let sum = sum4(acc);
  for (; i < width; i++) {
    const at = (i as usize) << 2;
    const product = load<f32>(dy + at) * load<f32>(x + at);
    sum += product * load<f32>(w + at);
    if (dw != 0) store<f32>(dw + at, load<f32>(dw + at) + product * r);
  }
  const k: f32 = (r * r * sum) / (width as f32);
  const kk = f32x4.splat(k);
  i = 0;
  for (; i + 4 <= width; i += 4) {
    const at = (i as usize) << 2;
    const inner = f32x4.sub(f32x4.mul(v128.load(dy + at), v128.load(w + at)), f32x4.mul(v128.load(x + at), kk));
    v128.store(dx + at, madd(inner, rr, v128.load(dx + at)));
  }
  for (; i < width; i++) {
    const at = (i as usize) << 2;
    store<f32>(dx + at, load<f32>(dx + at) + (load<f32>(dy + at) * load<f32>(w + at) - load<f32>(x + at) * k) * r);
  }
}
