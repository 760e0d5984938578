// How a product with a frozen matrix is cut: what a workgroup makes of the result, and which of it each thread.

/** Threads of a workgroup. */
export const gemmThreads = 128;

export interface FrozenTile {
  /** Rows and columns of the result per workgroup: multiples of 8 and 16, and 32 columns or more. */
  readonly rows: number;
  readonly columns: number;
  /** Terms per round, a multiple of 4. */
  readonly depth: number;
}

/** For hundreds of rows: eight rows of four columns a thread. */
export const wideFrozen: FrozenTile = { rows: 64, columns: 64, depth: 16 };
/** For decoding, a row for each live sequence, and for narrow results. */
export const lowFrozen: FrozenTile = { rows: 16, columns: 32, depth: 32 };

/** Workgroups in x, y. */
export function frozenGrid(tile: FrozenTile, rows: number, columns: number): readonly [number, number] {
  return [Math.ceil(columns / tile.columns), Math.ceil(rows / tile.rows)];
}

/** Threads beside each other, that share rows, and those below, that share columns; and how many rows each has. */
export function threadRows({ rows, columns }: FrozenTile): {
  readonly across: number;
  readonly down: number;
  readonly count: number;
} {
  const across = columns / 4;
  const down = gemmThreads / across;
  return { across, down, count: rows / down };
}

/** Whether a thread's rows are neighbours in fours, which it then reads at once. */
export const inFours = (tile: FrozenTile): boolean => threadRows(tile).count % 4 === 0;

/** WGSL: row of the tile that is row `i` of thread (tx, ty). */
export function threadRow(tile: FrozenTile, i: string): string {
  const { down } = threadRows(tile);
  return inFours(tile) ? `(${4 * down}u * (${i} / 4u) + 4u * ty + ${i} % 4u)` : `(ty + ${down}u * ${i})`;
}

/** Elements of the left tile from one term to the next; odd, so that neighbours lie on different banks. */
export const leftLine = (tile: FrozenTile): number => (inFours(tile) ? tile.rows / 4 : tile.rows) + 1;
