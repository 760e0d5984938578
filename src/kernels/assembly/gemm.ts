// Matrix products over packed panels: B is cut into panels of 8 columns, A is read in place (by rows)
// or packed (weight gradients). Blocks keep A in the second-level cache and one panel in the first.
import { minI, tileRows } from "./layout";
import { DEPTH_BLOCK, OUT_BLOCK, edgeTile, packA, packB } from "./scratch";
import { cols4, rows4 } from "./tile4";
import { cols6, rows6 } from "./tile6";

/** Bytes of A that one block may fill. */
const BLOCK_BYTES: i32 = 96 * 1024;

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

@inline function rowTile(a: usize, rs: usize, rows: i32, b: usize, bs: usize, k: i32, c: usize, cs: usize, columns: i32, accumulate: bool): void {
  if (rows > 4) {
    if (rows == 6 && columns >= 8) {
      rows6(a, rs, 6, b, bs, k, c, cs, accumulate);
    } else {
      rows6(a, rs, rows, b, bs, k, edgeTile, 32, false);
      storeEdge(c, cs, rows, minI(columns, 8), accumulate);
    }
  } else if (rows == 4 && columns >= 8) {
    rows4(a, rs, 4, b, bs, k, c, cs, accumulate);
  } else {
    rows4(a, rs, rows, b, bs, k, edgeTile, 32, false);
    storeEdge(c, cs, rows, minI(columns, 8), accumulate);
  }
}

/**
 * c[m, n] (+)= a[m, k] · b[k, n]. Panel p of b starts at b + p * panelStep, its rows are bs bytes
 * apart; a's rows are rs bytes apart and c's cs bytes. Packed panels: panelStep = 32 k, bs = 32;
 * plain row-major b: panelStep = 32, bs = its row stride (its last panel may be read past the end).
 */
export function matmul(m: i32, n: i32, k: i32, a: usize, rs: usize, b: usize, panelStep: usize, bs: usize, c: usize, cs: usize, accumulate: bool): void {
  let block = (BLOCK_BYTES / (4 * k + 1) / 12) * 12;
  if (block < 12) block = 12;
  const tile = tileRows;
  for (let i0 = 0; i0 < m; i0 += block) {
    const end = minI(m, i0 + block);
    let panel = b;
    for (let j = 0; j < n; j += 8) {
      const cj = c + ((j as usize) << 2);
      for (let i = i0; i < end; i += tile) {
        rowTile(a + (i as usize) * rs, rs, minI(tile, end - i), panel, bs, k, cj + (i as usize) * cs, cs, n - j, accumulate);
      }
      panel += panelStep;
    }
  }
}

/** Product with weights packed in panels. */
@inline export function matmulPacked(m: i32, n: i32, k: i32, a: usize, panels: usize, c: usize, accumulate: bool): void {
  matmul(m, n, k, a, (k as usize) << 2, panels, (k as usize) << 5, 32, c, (n as usize) << 2, accumulate);
}

@inline function columnTile(a: usize, ks: usize, rows: i32, b: usize, bs: usize, k: i32, c: usize, cs: usize, columns: i32, accumulate: bool): void {
  const whole = rows >= tileRows && columns >= 8;
  if (tileRows == 6) {
    if (whole) cols6(a, ks, b, bs, k, c, cs, accumulate);
    else cols6(a, ks, b, bs, k, edgeTile, 32, false);
  } else {
    if (whole) cols4(a, ks, b, bs, k, c, cs, accumulate);
    else cols4(a, ks, b, bs, k, edgeTile, 32, false);
  }
  if (!whole) storeEdge(c, cs, minI(rows, tileRows), minI(columns, 8), accumulate);
}

/** c[m, n] += aᵀ · b with a [k, m] and b [k, n] row-major (ks and bs bytes between rows); for small k. */
export function matmulTransposed(m: i32, n: i32, k: i32, a: usize, ks: usize, b: usize, bs: usize, c: usize, cs: usize): void {
  for (let j = 0; j < n; j += 8) {
    const at = (j as usize) << 2;
    for (let i = 0; i < m; i += tileRows) {
      columnTile(a + ((i as usize) << 2), ks, m - i, b + at, bs, k, c + at + (i as usize) * cs, cs, n - j, true);
    }
  }
}

/** Packs columns [i0, i0 + m) of `depth` rows of a as tiles: [tile][row][tileRows]. Reads up to 5 floats past the last. */
function packColumns(a: usize, ks: usize, m: i32, depth: i32): void {
  let to = packA;
  if (tileRows == 6) {
    for (let i = 0; i < m; i += 6) {
      let from = a + ((i as usize) << 2);
      for (let k = 0; k < depth; k++) {
        v128.store(to, v128.load(from));
        store<u64>(to, load<u64>(from, 16), 16);
        to += 24;
        from += ks;
      }
    }
  } else {
    for (let i = 0; i < m; i += 4) {
      let from = a + ((i as usize) << 2);
      for (let k = 0; k < depth; k++) {
        v128.store(to, v128.load(from));
        to += 16;
        from += ks;
      }
    }
  }
}

/** c[m, n] += aᵀ · b with a [k, m] and b [k, n] dense: the gradient of a weight [m, n] from k rows. */
export function accumulateOuter(m: i32, n: i32, k: i32, a: usize, b: usize, c: usize): void {
  const ks = (m as usize) << 2;
  const bs = (n as usize) << 2;
  const tileBytes = (tileRows as usize) << 2;
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
        for (let i = 0; i < rows; i += tileRows) {
          const at = c + ((i0 + i) as usize) * bs + ((j as usize) << 2);
          columnTile(packA + (i as usize) * (depth as usize) * 4, tileBytes, rows - i, packB, 32, depth, at, bs, n - j, true);
        }
      }
    }
  }
}
