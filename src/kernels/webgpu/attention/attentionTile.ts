// What attention in tiles and its gradient share: 32 rows against 32 others in 64 threads, each with four of either. A
// head's dimensions come in chunks, so that any head fits the workgroup memory that every device has. Products read two
// tiles of vec4f from there; a line of nine keeps neighbouring threads on different banks.

/** Rows of a tile, on either side. */
export const tileSide = 32;
export const tileThreads = 64;
const line = tileSide / 4 + 1;

/** How a head is cut: dimensions of a chunk, a multiple of 4, and how many chunks. */
export function headChunks(headSize: number): { readonly chunk: number; readonly chunks: number } {
  const chunk = Math.min(tileSide, 4 * Math.ceil(headSize / 4));
  return { chunk, chunks: Math.ceil(headSize / chunk) };
}

/** WGSL: the tiles. `a_tile` and `b_tile` are filled from buffers, `p_tile` by the threads. */
export const attentionTiles = `
var<workgroup> a_tile: array<vec4f, ${tileSide * line}>;
var<workgroup> b_tile: array<vec4f, ${tileSide * line}>;
var<workgroup> p_tile: array<vec4f, ${tileSide * line}>;`;

/** A value of row `row` at dimension `d`, as WGSL. */
type RowValue = (row: string, d: string) => string;

/** WGSL: `count` rows from `first` on, dimensions from d0 on, as [d][four rows]; 0 where there are none. */
function turned(tile: string, headSize: number, first: string, count: string, value: RowValue): string {
  const { chunk } = headChunks(headSize);
  return `for (var i = lid; i < ${chunk * (tileSide / 4)}u; i += ${tileThreads}u) {
      let d = d0 + i % ${chunk}u;
      let place = 4u * (i / ${chunk}u);
      var four = vec4f();
      for (var j = 0u; j < 4u; j++) {
        if (place + j < ${count} && d < ${headSize}u) { four[j] = ${value(`(${first} + place + j)`, "d")}; }
      }
      ${tile}[(i % ${chunk}u) * ${line}u + place / 4u] = four;
    }`;
}

/** WGSL: `into` (array<vec4f, 4>: of four rows of `a` four of `b`) = a b^T over the whole head. */
export function rowProducts(
  into: string,
  headSize: number,
  a: readonly [string, string, RowValue],
  b: readonly [string, string, RowValue],
): string {
  const { chunk } = headChunks(headSize);
  return `for (var i = 0u; i < 4u; i++) { ${into}[i] = vec4f(); }
  for (var d0 = 0u; d0 < ${headSize}u; d0 += ${chunk}u) {
    ${turned("a_tile", headSize, ...a)}
    ${turned("b_tile", headSize, ...b)}
    workgroupBarrier();
    for (var kk = 0u; kk < ${chunk}u; kk++) {
      let a = a_tile[kk * ${line}u + ty];
      let b = b_tile[kk * ${line}u + tx];
      ${[0, 1, 2, 3].map((i) => `${into}[${i}] = fma(vec4f(a[${i}]), b, ${into}[${i}]);`).join("\n      ")}
    }
    workgroupBarrier();
  }`;
}

/** WGSL: `into` (vec4f) = sums over the head of `value` of the thread's four rows. */
export function rowTotals(into: string, headSize: number, first: string, count: string, value: RowValue): string {
  const { chunk } = headChunks(headSize);
  return `var ${into} = vec4f();
  for (var d0 = 0u; d0 < ${headSize}u; d0 += ${chunk}u) {
    ${turned("a_tile", headSize, first, count, value)}
    workgroupBarrier();
    for (var kk = 0u; kk < ${chunk}u; kk++) { ${into} += a_tile[kk * ${line}u + ty]; }
    workgroupBarrier();
  }`;
}

/** WGSL: puts what a thread has of four rows and four others (array<vec4f, 4>) into p_tile, as [other][four rows]. */
export const keepTile = (from: string): string => `for (var k = 0u; k < 4u; k++) {
    p_tile[(4u * tx + k) * ${line}u + ty] = vec4f(${[0, 1, 2, 3].map((i) => `${from}[${i}][k]`).join(", ")});
  }`;

/** WGSL: of the thread's four rows what p_tile has with other `j`. */
export const keptRows = (j: string): string => `p_tile[${j} * ${line}u + ty]`;

/**
 * WGSL: adds to the thread's share of four rows, `into` (array<vec4f, 4 chunks>), p_tile times the `count` others
 * from `first` on. What was put into p_tile needs no barrier before.
 */
export function addRows(into: string, headSize: number, first: string, count: string, value: RowValue): string {
  const { chunk, chunks } = headChunks(headSize);
  const fours = chunk / 4;
  const one = (c: number) => `for (var i = lid; i < ${tileSide * fours}u; i += ${tileThreads}u) {
    let place = i / ${fours}u;
    let d = ${c * chunk}u + 4u * (i % ${fours}u);
    var four = vec4f();
    for (var j = 0u; j < 4u; j++) {
      if (place < ${count} && d + j < ${headSize}u) { four[j] = ${value(`(${first} + place)`, "(d + j)")}; }
    }
    b_tile[place * ${line}u + i % ${fours}u] = four;
  }
  workgroupBarrier();
  for (var j = 0u; j < ${count}; j++) {
    let p = ${keptRows("j")};
    let b = b_tile[j * ${line}u + tx];
    ${[0, 1, 2, 3].map((i) => `${into}[${4 * c + i}] = fma(vec4f(p[${i}]), b, ${into}[${4 * c + i}]);`).join("\n    ")}
  }
  workgroupBarrier();`;
  return Array.from({ length: chunks }, (_, c) => one(c)).join("\n  ");
}

/** WGSL: hands each value of the thread's share to `store(m, d, value)`, which is inside its `count` rows from r0 on. */
export function storeRows(
  from: string,
  headSize: number,
  count: string,
  store: (m: string, d: string, value: string, i: string) => string,
): string {
  const { chunk, chunks } = headChunks(headSize);
  const one = (c: number, i: number) => `if (4u * ty + ${i}u < ${count}) {
    let m = r0 + 4u * ty + ${i}u;
    for (var j = 0u; j < 4u; j++) {
      let d = ${c * chunk}u + 4u * tx + j;
      if (4u * tx < ${chunk}u && d < ${headSize}u) { ${store("m", "d", `${from}[${4 * c + i}][j]`, `${i}`)} }
    }
  }`;
  return Array.from({ length: 4 * chunks }, (_, n) => one(n >> 2, n & 3)).join("\n  ");
}

/**
 * WGSL: goes through the runs of keys that the tile's rows see, neighbours with the same run at once: `body` for
 * rows [begin, next) and each `block` of the keys from row `start` on, `longest` of them for the row that sees most.
 * `length` (vec4u) are the keys of the thread's four rows, 0 outside.
 */
export function keyRuns(body: string): string {
  return `for (var kind = 0u; kind < 4u; kind += 2u) {
    for (var begin = r0; begin < end;) {
      let start = row_info[2u * begin][kind];
      var longest = row_info[2u * begin][kind + 1u];
      var next = begin + 1u;
      while (next < end) {
        let other = row_info[2u * next];
        if (other[kind] != start) { break; }
        longest = max(longest, other[kind + 1u]);
        next++;
      }
      var length = vec4u();
      for (var i = 0u; i < 4u; i++) {
        let m = r0 + 4u * ty + i;
        if (m >= begin && m < next) { length[i] = row_info[2u * m][kind + 1u]; }
      }
      for (var block = 0u; block < longest; block += ${tileSide}u) {
        let count = min(${tileSide}u, longest - block);
        let first = start + block;
        ${body}
      }
      begin = next;
    }
  }`;
}

/** WGSL: the places of a tile's columns that a thread has. */
export const ownPlaces = "(vec4u(4u * tx) + vec4u(0u, 1u, 2u, 3u))";

/** WGSL: workgroup `tile` of so many rows' tiles: rows [r0, end), `held` of them; thread (tx, ty). */
export const tileRows = `let r0 = tile * ${tileSide}u;
  let end = min(call.rows, r0 + ${tileSide}u);
  let held = end - r0;
  let tx = lid % ${tileSide / 4}u;
  let ty = lid / ${tileSide / 4}u;`;

/** WGSL: tiles that all rows make. */
export const tileCount = `(call.rows + ${tileSide - 1}u) / ${tileSide}u`;
