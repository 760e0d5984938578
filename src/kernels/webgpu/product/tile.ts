// How a product is cut: what a workgroup makes of the result, and which of it each thread.

/** Rows and columns of the result per workgroup and terms per round: multiples of 8, of 16 (32 at least) and of 4. */
export interface Tile {
  readonly rows: number;
  readonly columns: number;
  readonly depth: number;
}

/** Threads of a workgroup. */
export const gemmThreads = 128;

/** For hundreds of rows: eight rows of four columns a thread. */
export const wideTile: Tile = { rows: 64, columns: 64, depth: 16 };
/** For decoding, a row for each live sequence, and for narrow results. */
export const lowTile: Tile = { rows: 16, columns: 32, depth: 32 };

/** A tile that fills the device: wide where the result has columns enough for it. */
export const tileFor = (columns: number): Tile => (columns >= 256 ? wideTile : lowTile);

/** Workgroups in x, y for a result of rows x columns. */
export function gemmGrid(tile: Tile, rows: number, columns: number): readonly [number, number] {
  return [Math.ceil(columns / tile.columns), Math.ceil(rows / tile.rows)];
}

/** Threads beside each other, that share rows, and those below, that share columns; and how many rows each has. */
export function threadRows({ rows, columns }: Tile): {
  readonly across: number;
  readonly down: number;
  readonly count: number;
} {
  const across = columns / 4;
  const down = gemmThreads / across;
  return { across, down, count: rows / down };
}

/** Whether a thread's rows are neighbours in fours, which it then reads at once. */
export const inFours = (tile: Tile): boolean => threadRows(tile).count % 4 === 0;

/** WGSL: row of the tile that is row `i` of thread (tx, ty). */
export function threadRow(tile: Tile, i: string): string {
  const { down } = threadRows(tile);
  return inFours(tile) ? `(${4 * down}u * (${i} / 4u) + 4u * ty + ${i} % 4u)` : `(ty + ${down}u * ${i})`;
}

/** Elements of the left tile from one term to the next; odd, so that neighbours lie on different banks. */
export const leftLine = (tile: Tile): number => (inFours(tile) ? tile.rows / 4 : tile.rows) + 1;
