// SwiGLU (Shazeer 2020): h = silu(g) u with silu(g) = g / (1 + exp(-g)). A row of gu is g, then u.
import { exp4, ones } from "../simd";

@inline function sigmoid(g: v128): v128 {
  return f32x4.div(ones(), f32x4.add(ones(), exp4(f32x4.neg(g))));
}

/** h [rows, inner] from gu [rows, 2 inner]. */
export function swiglu(rows: i32, inner: i32, gu: usize, h: usize): void {
  const width = (inner as usize) << 2;
  for (let row = 0; row < rows; row++) {
    const u = gu + width;
    let i = 0;
    for (; i + 4 <= inner; i += 4) {
      const at = (i as usize) << 2;
      const g = v128.load(gu + at);
      v128.store(h + at, f32x4.mul(f32x4.mul(g, sigmoid(g)), v128.load(u + at)));
    }
    for (; i < inner; i++) {
      const at = (i as usize) << 2;
      const g = load<f32>(gu + at);
      store<f32>(h + at, g * f32x4.extract_lane(sigmoid(f32x4.splat(g)), 0) * load<f32>(u + at));
    }
    gu += 2 * width;
    h += width;
  }
}

/** dgu from dh and gu: dg = dh u s (1 + g (1 - s)), du = dh g s with s = sigmoid(g). */
export function swigluBackward(rows: i32, inner: i32, gu: usize, dh: usize, dgu: usize): void {
  const width = (inner as usize) << 2;
  for (let row = 0; row < rows; row++) {
    let i = 0;
    for (; i + 4 <= inner; i += 4) {
      const at = (i as usize) << 2;
      const g = v128.load(gu + at);
      const d = v128.load(dh + at);
      const s = sigmoid(g);
      const slope = f32x4.mul(s, f32x4.add(ones(), f32x4.mul(g, f32x4.sub(ones(), s))));
      v128.store(dgu + at, f32x4.mul(f32x4.mul(d, v128.load(gu + width + at)), slope));
      v128.store(dgu + width + at, f32x4.mul(d, f32x4.mul(g, s)));
    }
    for (; i < inner; i++) {
      const at = (i as usize) << 2;
      const g = load<f32>(gu + at);
      const d = load<f32>(dh + at);
      const s = f32x4.extract_lane(sigmoid(f32x4.splat(g)), 0);
      store<f32>(dgu + at, d * load<f32>(gu + width + at) * (s * (1 + g * (1 - s))));
      store<f32>(dgu + width + at, d * (g * s));
    }
    gu += 2 * width;
    dgu += 2 * width;
    dh += width;
  }
}
