// Rotary position embedding (Su et al. 2021) in the rotate-half form of Hugging Face's Llama:
// component i pairs with i + headSize / 2. The table holds headSize / 2 cosines, then as many sines, a row.
import { headSize, ropeTable } from "../layout";
import { madd } from "../simd";

/** Rotates `count` heads of one row by its position, backwards (the gradient) when `sign` is -1. */
export function ropeRow(x: usize, count: i32, position: i32, sign: f32): void {
  const half = headSize >> 1;
  const cosines = ropeTable + (((position * headSize) as usize) << 2);
  const sines = cosines + ((half as usize) << 2);
  const halfBytes = (half as usize) << 2;
  const ss = f32x4.splat(sign);
  for (let h = 0; h < count; h++) {
    let i = 0;
    for (; i + 4 <= half; i += 4) {
      const at = (i as usize) << 2;
      const c = v128.load(cosines + at);
      const s = f32x4.mul(v128.load(sines + at), ss);
      const a = v128.load(x + at);
      const b = v128.load(x + halfBytes + at);
      v128.store(x + at, f32x4.sub(f32x4.mul(a, c), f32x4.mul(b, s)));
      v128.store(x + halfBytes + at, madd(b, c, f32x4.mul(a, s)));
    }
    for (; i < half; i++) {
      const at = (i as usize) << 2;
      const c = load<f32>(cosines + at);
      const s = load<f32>(sines + at) * sign;
      const a = load<f32>(x + at);
      const b = load<f32>(x + halfBytes + at);
      store<f32>(x + at, a * c - b * s);
      store<f32>(x + halfBytes + at, b * c + a * s);
    }
    x += (headSize as usize) << 2;
  }
}

/** Rotates the first `count` heads of each row; rows are `stride` bytes apart. */
export function rope(rows: i32, x: usize, stride: usize, count: i32, positions: usize, sign: f32): void {
  for (let row = 0; row < rows; row++) {
    ropeRow(x, count, load<i32>(positions + ((row as usize) << 2)), sign);
    x += stride;
  }
}
