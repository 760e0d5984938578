// Matrix products: B is cut into panels of 8 columns, a block of A is packed tile by tile. The block
// stays in the second-level cache, one panel of B and one tile of A in the first.
import { minI, tileRows } from "../layout";
import { JOB, JOB_PARTITIONS, TRIAL_DEPTH, TRIAL_ROWS } from "../memoryMap";
import { DEPTH_BLOCK, OUT_BLOCK, edgeTile, packA, packB } from "../scratch";
import { tile4, tile6 } from "./tile";

/** Floats of A that are packed at once, at least 12 rows: they must stay in the second-level cache. */
const BLOCK_FLOATS: i32 = 32768;

/** Moves the valid corner of the edge tile into c. */
function storeEdge(c: usize, cs: usize, rows: i32, columns: i32, accumulate: bool): void {
  for (let i = 0; i < rows; i++) {
    const from = edgeTile + ((i * 32) as usize);
    const to = c + (i as usize) * cs;
    for (let j = 0; j < columns; j++) {
      const at = (j as usize) << 2;
      const value = load<f32>(from + at);
      store<f32>(to + at, accumulate ? load<f32>(to + at) + value : value);
    }
  }
}

/** Height of the next tile when `left` rows are left: whole tiles, with 4s where they leave fewer rows over. */
@inline export function tileHeight(left: i32): i32 {
  return tileRows == 6 && (left == 5 || left == 6 || left > 8) ? 6 : 4;
}

/** One tile whose A lies at a with ks bytes between columns; only `rows` x `columns` of it belong to c. */
@inline function tile(height: i32, a: usize, ks: usize, rows: i32, b: usize, bs: usize, k: i32, c: usize, cs: usize, columns: i32, accumulate: bool): void {
  const whole = rows >= height && columns >= 8;
  const to = whole ? c : edgeTile;
  const toStride = whole ? cs : 32;
  if (height == 6) tile6(a, ks, b, bs, k, to, toStride, whole && accumulate);
  else tile4(a, ks, b, bs, k, to, toStride, whole && accumulate);
  if (!whole) storeEdge(c, cs, minI(rows, height), minI(columns, 8), accumulate);
}

/**
 * c[m, n] (+)= a[m, k] · b[k, n]. Panel p of b starts at b + p * panelStep, its rows are bs bytes
 * apart; a's rows are rs bytes apart and c's cs bytes. Packed panels: panelStep = 32 k, bs = 32;
 * plain row-major b: panelStep = 32, bs = its row stride (its last panel may be read past the end).
 */
export function matmul(m: i32, n: i32, k: i32, a: usize, rs: usize, b: usize, panelStep: usize, bs: usize, c: usize, cs: usize, accumulate: bool): void {
  const tileFloor = 12 * k;
  const block = max(12, (BLOCK_FLOATS / max(tileFloor, 1)) * 12);
  for (let i0 = 0; i0 < m; i0 += block) {
    const rows = minI(m - i0, block);
    packBlock(a + (i0 as usize) * rs, rs, rows, k, packA);
    const from = c + (i0 as usize) * cs;
    let panel = b;
    for (let j = 0; j < n; j += 8) {
      panelProduct(packA, rows, k, panel, bs, from + ((j as usize) << 2), cs, n - j, accumulate);
      panel += panelStep;
    }
  }
}

/** Columns of c, at most 8, from packed rows and one panel whose rows are bs bytes apart. */
export function panelProduct(packed: usize, rows: i32, k: i32, panel: usize, bs: usize, c: usize, cs: usize, columns: i32, accumulate: bool): void {
  for (let i = 0; i < rows; ) {
    const height = tileHeight(rows - i);
    tile(height, packed + (i as usize) * (k as usize) * 4, (height as usize) << 2, rows - i, panel, bs, k, c + (i as usize) * cs, cs, columns, accumulate);
    i += height;
  }
}

/** Packs rows as the tiles that matmul will take: [tile][k][height]; a tile's missing rows repeat its first. */
export function packBlock(a: usize, rs: usize, rows: i32, k: i32, packed: usize): void {
  for (let i = 0; i < rows; ) {
    const height = tileHeight(rows - i);
    const from = a + (i as usize) * rs;
    const to = packed + (i as usize) * (k as usize) * 4;
    if (height == 6) packSix(from, rs, rows - i, k, to);
    else packFour(from, rs, rows - i, k, to, 16);
    i += height;
  }
}

/** Four rows side by side, `step` bytes from one column to the next. */
@inline function packFour(a: usize, rs: usize, rows: i32, k: i32, to: usize, step: usize): void {
  let a1 = rows > 1 ? a + rs : a;
  let a2 = rows > 2 ? a + 2 * rs : a;
  let a3 = rows > 3 ? a + 3 * rs : a;
  let left = k;
  for (; left >= 4; left -= 4) {
    const r0 = v128.load(a);
    const r1 = v128.load(a1);
    const r2 = v128.load(a2);
    const r3 = v128.load(a3);
    const x = i32x4.shuffle(r0, r1, 0, 4, 1, 5);
    const y = i32x4.shuffle(r2, r3, 0, 4, 1, 5);
    const z = i32x4.shuffle(r0, r1, 2, 6, 3, 7);
    const w = i32x4.shuffle(r2, r3, 2, 6, 3, 7);
    v128.store(to, i64x2.shuffle(x, y, 0, 2));
    v128.store(to + step, i64x2.shuffle(x, y, 1, 3));
    v128.store(to + 2 * step, i64x2.shuffle(z, w, 0, 2));
    v128.store(to + 3 * step, i64x2.shuffle(z, w, 1, 3));
    to += 4 * step;
    a += 16;
    a1 += 16;
    a2 += 16;
    a3 += 16;
  }
  for (; left > 0; left--) {
    store<f32>(to, load<f32>(a));
    store<f32>(to, load<f32>(a1), 4);
    store<f32>(to, load<f32>(a2), 8);
    store<f32>(to, load<f32>(a3), 12);
    to += step;
    a += 4;
    a1 += 4;
    a2 += 4;
    a3 += 4;
  }
}

function packSix(a: usize, rs: usize, rows: i32, k: i32, to: usize): void {
  packFour(a, rs, rows, k, to, 24);
  let a4 = rows > 4 ? a + 4 * rs : a;
  let a5 = rows > 5 ? a + 5 * rs : a;
  to += 16;
  let left = k;
  for (; left >= 4; left -= 4) {
    const r4 = v128.load(a4);
    const r5 = v128.load(a5);
    const low = i32x4.shuffle(r4, r5, 0, 4, 1, 5);
    const high = i32x4.shuffle(r4, r5, 2, 6, 3, 7);
    v128.store_lane<u64>(to, low, 0);
    v128.store_lane<u64>(to, low, 1, 24);
    v128.store_lane<u64>(to, high, 0, 48);
    v128.store_lane<u64>(to, high, 1, 72);
    to += 96;
    a4 += 16;
    a5 += 16;
  }
  for (; left > 0; left--) {
    store<f32>(to, load<f32>(a4));
    store<f32>(to, load<f32>(a5), 4);
    to += 24;
    a4 += 4;
    a5 += 4;
  }
}

/** Product with weights packed in panels. */
@inline export function matmulPacked(m: i32, n: i32, k: i32, a: usize, panels: usize, c: usize, accumulate: bool): void {
  matmul(m, n, k, a, (k as usize) << 2, panels, (k as usize) << 5, 32, c, (n as usize) << 2, accumulate);
}

/** c[m, n] += aᵀ · b with a [k, m] and b [k, n] row-major (ks and bs bytes between rows); for small k. */
export function matmulTransposed(m: i32, n: i32, k: i32, a: usize, ks: usize, b: usize, bs: usize, c: usize, cs: usize): void {
  for (let j = 0; j < n; j += 8) {
    const at = (j as usize) << 2;
    for (let i = 0; i < m; ) {
      const height = tileHeight(m - i);
      tile(height, a + ((i as usize) << 2), ks, m - i, b + at, bs, k, c + at + (i as usize) * cs, cs, n - j, true);
      i += height;
    }
  }
}

/** Packs columns [i0, i0 + m) of `depth` rows of a as the tiles that follow: [tile][row][height]. Reads up to 5 floats past the last. */
function packColumns(a: usize, ks: usize, m: i32, depth: i32): void {
  let to = packA;
  for (let i = 0; i < m; ) {
    let from = a + ((i as usize) << 2);
    const height = tileHeight(m - i);
    if (height == 6) {
      for (let k = 0; k < depth; k++) {
        v128.store(to, v128.load(from));
        store<u64>(to, load<u64>(from, 16), 16);
        to += 24;
        from += ks;
      }
    } else {
      for (let k = 0; k < depth; k++) {
        v128.store(to, v128.load(from));
        to += 16;
        from += ks;
      }
    }
    i += height;
  }
}

/** c[m, n] += aᵀ · b with a [k, m] and b [k, n] dense: the gradient of a weight [m, n] from k rows. */
export function accumulateOuter(m: i32, n: i32, k: i32, a: usize, b: usize, c: usize): void {
  accumulateStrided(m, n, k, a, (m as usize) << 2, b, (n as usize) << 2, c, (n as usize) << 2);
}

/** The same of rows that lie ks, bs and cs bytes apart. */
export function accumulateStrided(m: i32, n: i32, k: i32, a: usize, ks: usize, b: usize, bs: usize, c: usize, cs: usize): void {
  for (let k0 = 0; k0 < k; k0 += DEPTH_BLOCK) {
    const depth = minI(DEPTH_BLOCK, k - k0);
    for (let i0 = 0; i0 < m; i0 += OUT_BLOCK) {
      const rows = minI(OUT_BLOCK, m - i0);
      packColumns(a + (k0 as usize) * ks + ((i0 as usize) << 2), ks, rows, depth);
      for (let j = 0; j < n; j += 8) {
        let from = b + (k0 as usize) * bs + ((j as usize) << 2);
        let to = packB;
        for (let d = 0; d < depth; d++) {
          v128.store(to, v128.load(from));
          v128.store(to, v128.load(from, 16), 16);
          to += 32;
          from += bs;
        }
        for (let i = 0; i < rows; ) {
          const height = tileHeight(rows - i);
          const at = c + ((i0 + i) as usize) * cs + ((j as usize) << 2);
          tile(height, packA + (i as usize) * (depth as usize) * 4, (height as usize) << 2, rows - i, packB, 32, depth, at, cs, n - j, true);
          i += height;
        }
      }
    }
  }
}

const TRIAL_WIDTH: usize = (TRIAL_DEPTH as usize) << 2;
const TRIAL_A_BYTES: usize = (TRIAL_ROWS as usize) * TRIAL_WIDTH;
const TRIAL_B_BYTES: usize = (TRIAL_DEPTH as usize) * TRIAL_WIDTH;

/**
 * The work by which numbers of threads are compared, whose result nobody wants. The factors lie at JOB_PARTITIONS;
 * behind them each thread has a place for results.
 */
export function tryProduct(thread: i32): void {
  const a = load<u32>(JOB, JOB_PARTITIONS) as usize;
  const b = a + TRIAL_A_BYTES;
  matmul(TRIAL_ROWS, TRIAL_DEPTH, TRIAL_DEPTH, a, TRIAL_WIDTH, b, (TRIAL_DEPTH as usize) << 5, 32, b + TRIAL_B_BYTES + (thread as usize) * TRIAL_A_BYTES, TRIAL_WIDTH, false);
}
