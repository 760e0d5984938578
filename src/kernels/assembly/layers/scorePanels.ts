// Scores of one query against a cache's keys, which lie in panels of 8 positions ([panel][d][position]).
// A sum waits for its last product, so each loop keeps several going: while decoding, sequences are short
// and most of their panels come in ones and twos.
import { headSize } from "../layout";
import { madd } from "../simd";

/** out[j] = q · key j over whole panels of 8 positions; eight sums at a time keep the multipliers busy. */
export function scorePanels(q: usize, panels: usize, positions: i32, out: usize): void {
  const step = (headSize as usize) << 5;
  let j = 0;
  for (; j + 24 < positions; j += 32) {
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
  for (; j + 8 < positions; j += 16) {
    twoPanels(q, panels, out);
    out += 64;
    panels += 2 * step;
  }
  if (j < positions) onePanel(q, panels, out);
}

/** Even and odd components apart. */
@inline function twoPanels(q: usize, panels: usize, out: usize): void {
  const step = (headSize as usize) << 5;
  let a0 = f32x4.splat(0);
  let b0 = a0;
  let c0 = a0;
  let d0 = a0;
  let a1 = a0;
  let b1 = a0;
  let c1 = a0;
  let d1 = a0;
  let next = panels + step;
  for (let d = 0; d < headSize; d += 2) {
    const s = v128.load32_splat(q);
    a0 = madd(s, v128.load(panels), a0);
    b0 = madd(s, v128.load(panels, 16), b0);
    c0 = madd(s, v128.load(next), c0);
    d0 = madd(s, v128.load(next, 16), d0);
    const t = v128.load32_splat(q, 4);
    a1 = madd(t, v128.load(panels, 32), a1);
    b1 = madd(t, v128.load(panels, 48), b1);
    c1 = madd(t, v128.load(next, 32), c1);
    d1 = madd(t, v128.load(next, 48), d1);
    q += 8;
    panels += 64;
    next += 64;
  }
  v128.store(out, f32x4.add(a0, a1));
  v128.store(out, f32x4.add(b0, b1), 16);
  v128.store(out, f32x4.add(c0, c1), 32);
  v128.store(out, f32x4.add(d0, d1), 48);
}

@inline function onePanel(q: usize, panel: usize, out: usize): void {
  let a0 = f32x4.splat(0);
  let b0 = a0;
  let a1 = a0;
  let b1 = a0;
  for (let d = 0; d < headSize; d += 2) {
    const s = v128.load32_splat(q);
    a0 = madd(s, v128.load(panel), a0);
    b0 = madd(s, v128.load(panel, 16), b0);
    const t = v128.load32_splat(q, 4);
    a1 = madd(t, v128.load(panel, 32), a1);
    b1 = madd(t, v128.load(panel, 48), b1);
    q += 8;
    panel += 64;
  }
  v128.store(out, f32x4.add(a0, a1));
  v128.store(out, f32x4.add(b0, b1), 16);
}
