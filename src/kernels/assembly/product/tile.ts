// The inner loops of every matrix product: a tile of 6 or 4 rows by 8 columns held in registers. Each
// output is one chain of multiply-adds in the order of k, so its bits depend neither on the tile's
// size nor on its neighbours. A lies by columns, so that one pointer with fixed offsets reaches the
// whole tile: with a pointer for each row the same loop runs at half the speed. Strides are in bytes.
import { madd } from "../simd";

/** Eight columns of one row; `add` is a constant, so that a product compiles to one branch for all of its rows. */
@inline function put(add: bool, c: usize, left: v128, right: v128): void {
  if (add) {
    v128.store(c, f32x4.add(v128.load(c), left));
    v128.store(c, f32x4.add(v128.load(c, 16), right), 16);
  } else {
    v128.store(c, left);
    v128.store(c, right, 16);
  }
}

@inline function store(
  six: bool, add: bool, c: usize, cs: usize,
  l0: v128, r0: v128, l1: v128, r1: v128, l2: v128, r2: v128, l3: v128, r3: v128, l4: v128, r4: v128, l5: v128, r5: v128,
): void {
  put(add, c, l0, r0);
  put(add, c + 1 * cs, l1, r1);
  put(add, c + 2 * cs, l2, r2);
  put(add, c + 3 * cs, l3, r3);
  if (six) {
    put(add, c + 4 * cs, l4, r4);
    put(add, c + 5 * cs, l5, r5);
  }
}

/** c[i][j] (+)= sum over k of a[k * ks + 4i] * b[k * bs + 4j]; `six` is a constant, so either height is compiled without the other. */
@inline function tile(six: bool, a: usize, ks: usize, b: usize, bs: usize, k: i32, c: usize, cs: usize, accumulate: bool): void {
  let l0 = f32x4.splat(0);
  let r0 = f32x4.splat(0);
  let l1 = f32x4.splat(0);
  let r1 = f32x4.splat(0);
  let l2 = f32x4.splat(0);
  let r2 = f32x4.splat(0);
  let l3 = f32x4.splat(0);
  let r3 = f32x4.splat(0);
  let l4 = f32x4.splat(0);
  let r4 = f32x4.splat(0);
  let l5 = f32x4.splat(0);
  let r5 = f32x4.splat(0);
  let bl: v128;
  let br: v128;
  let s: v128;
  for (let left = k; left > 0; left--) {
    bl = v128.load(b);
    br = v128.load(b, 16);
    s = v128.load32_splat(a);
    l0 = madd(s, bl, l0);
    r0 = madd(s, br, r0);
    s = v128.load32_splat(a, 4);
    l1 = madd(s, bl, l1);
    r1 = madd(s, br, r1);
    s = v128.load32_splat(a, 8);
    l2 = madd(s, bl, l2);
    r2 = madd(s, br, r2);
    s = v128.load32_splat(a, 12);
    l3 = madd(s, bl, l3);
    r3 = madd(s, br, r3);
    if (six) {
      s = v128.load32_splat(a, 16);
      l4 = madd(s, bl, l4);
      r4 = madd(s, br, r4);
      s = v128.load32_splat(a, 20);
      l5 = madd(s, bl, l5);
      r5 = madd(s, br, r5);
    }
    b += bs;
    a += ks;
  }
  if (accumulate) store(six, true, c, cs, l0, r0, l1, r1, l2, r2, l3, r3, l4, r4, l5, r5);
  else store(six, false, c, cs, l0, r0, l1, r1, l2, r2, l3, r3, l4, r4, l5, r5);
}

/** 6x8 tile. */
export function tile6(a: usize, ks: usize, b: usize, bs: usize, k: i32, c: usize, cs: usize, accumulate: bool): void {
  tile(true, a, ks, b, bs, k, c, cs, accumulate);
}

/** 4x8 tile. */
export function tile4(a: usize, ks: usize, b: usize, bs: usize, k: i32, c: usize, cs: usize, accumulate: bool): void {
  tile(false, a, ks, b, bs, k, c, cs, accumulate);
}
