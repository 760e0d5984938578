// How a product with a frozen matrix is cut: what a workgroup makes of the result, and which of it each thread.
import type { Tile } from "../gemm.ts";

/** Threads of a workgroup. */
export const gemmThreads = 128;

/** A tile whose rows are a multiple of 8, columns of 16 and at least 32, and terms of 4. */
export type FrozenTile = Tile;

/** For hundreds of rows: eight rows of four columns a thread. */
export const wideFrozen: FrozenTile = { rows: 64, columns: 64, depth: 16 };
/** For decoding, a row for each live sequence, and for narrow results. */
export const lowFrozen: FrozenTile = { rows: 16, columns: 32, depth: 32 };

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
