// What a tiled matrix multiply is told: its operands, the adapters beside its matrix, and what becomes of its results.
import type { KernelBuffer } from "../kernel.ts";
import type { Operand } from "./operands.ts";
import type { Tile } from "./tile.ts";

/** An adapter beside columns [first, last) of the outputs; its rank lies at [at, at + rank) of the added terms. */
export interface AdapterPart {
  readonly first: number;
  readonly last: number;
  readonly at: number;
  readonly rank: number;
}

/** Rank of all parts together. */
export const ranks = (parts: readonly AdapterPart[]): number => parts.reduce((sum, { rank }) => sum + rank, 0);

export interface GemmSpec {
  readonly label: string;
  readonly tile: Tile;
  /** WGSL, uniform over a workgroup: rows and columns of the result, and terms of each. */
  readonly rows: string;
  readonly columns: string;
  readonly depth: string;
  readonly left: Operand;
  readonly right: Operand;
  /** Adapters of a matrix [outputs, inputs] as further terms. `scale`: s where B is read, on the way to outputs; 1 where A is. */
  readonly added?: { readonly parts: readonly AdapterPart[]; readonly inputs: number; readonly scale: string };
  readonly buffers: readonly KernelBuffer[];
  readonly offsets: readonly string[];
  /** Columns 2 p and 2 p + 1 of the tiles are these two of the matrix. WGSL in `p` and `half`. */
  readonly pairColumn?: string;
  /** WGSL statements around the loop over columns' tiles, where a workgroup takes several: `first_tile`, `last_tile` are set before. */
  readonly tiles?: { readonly from: string; readonly after: string };
  /** `fn store4(m: u32, n: u32, value: vec4f)`: columns n to n + 3 of the tile's order, some of which may lie behind the last. */
  readonly store: string;
  readonly declarations?: string;
}

/** The adapters of a product; none where it has none. */
export const partsOf = ({ added }: GemmSpec): readonly AdapterPart[] => added?.parts ?? [];
