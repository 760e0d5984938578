// What passes over a model are made of: operations on buffers, the same ones to train, to fill the cache from prompts and
// to decode.
import { attentionKernel } from "../../../kernels/webgpu/attention/attention.ts";
import { attentionGrid, tiledAttentionKernel } from "../../../kernels/webgpu/attention/tiledAttention.ts";
import type { Kernel } from "../../../kernels/webgpu/kernel.ts";
import { gemmGrid, lowTile, type Tile, wideTile } from "../../../kernels/webgpu/product/tile.ts";
import { type Grid, type Operation, rowGrid, type Sizes } from "../../../kernels/webgpu/program.ts";
import type { Engine } from "../engine.ts";
import type { LayerBuffers } from "../plan/layerBuffers.ts";

/** What the head reads and writes at chosen rows. */
interface LogitBuffers {
  readonly x: GPUBuffer;
  readonly scoreRow: GPUBuffer;
  readonly logits: GPUBuffer;
  readonly inverseRms: GPUBuffer;
}

/** What a forward pass is for. */
export interface PassKind {
  /** Each row is a sequence that decodes. */
  readonly decoding: boolean;
  /** A gradient will follow. */
  readonly keep: boolean;
}

/** A forward pass over one set of weights. */
export interface ForwardPass {
  /** x = embedding of the rows' tokens. */
  embed(rowInfo: GPUBuffer, x: GPUBuffer): readonly Operation[];
  layers(given: { readonly rowInfo: GPUBuffer; readonly rope: GPUBuffer }, buffers: readonly LayerBuffers[]): readonly Operation[];
  /** Logits of rows scoreRow of x. */
  logits(buffers: LogitBuffers): readonly Operation[];
}

/** A compiled kernel and the grid it is always dispatched with. */
export type PlannedKernel = Pick<Operation, "kernel" | "grid">;

export async function planKernel(engine: Engine, kernel: Kernel, grid: PlannedKernel["grid"]): Promise<PlannedKernel> {
  return { kernel: await engine.compile(kernel), grid };
}

/** One use of a planned kernel; buffers that a model has no need of may be left out. */
export function operation(
  { kernel, grid }: PlannedKernel,
  buffers: Readonly<Record<string, GPUBuffer | GPUBufferBinding | null | undefined>>,
  offsets: Operation["offsets"] = {},
): Operation {
  const given: Record<string, GPUBuffer | GPUBufferBinding> = {};
  for (const [name, buffer] of Object.entries(buffers)) if (buffer) given[name] = buffer;
  return { kernel, grid, buffers: given, offsets };
}

/** Grid of a product with a row for each row of the batch, or for each scored token. */
export const productGrid =
  (tile: Tile, columns: number, over: keyof Sizes = "rows", parts = 1) =>
  (sizes: Sizes): Grid => [...gemmGrid(tile, sizes[over], columns), parts];

export const overRows = ({ rows }: Sizes): Grid => rowGrid(rows);
export const overScored = ({ scored }: Sizes): Grid => rowGrid(scored);

/** Rows of the batch that each part of a matrix's gradient should have at least. */
const rowsPerPart = 128;
/** Workgroups that keep a large GPU busy. */
const enoughGroups = 512;

/** Tile and grid of the gradient of a matrix, in parts suited to its size. */
export function weightGradientGrid({ parameters: { copies } }: Engine, outputs: number, inputs: number, over: keyof Sizes = "rows") {
  const [wideX, wideY] = gemmGrid(wideTile, outputs, inputs);
  const tile = wideX * wideY * copies >= 64 ? wideTile : lowTile;
  const [x, y] = gemmGrid(tile, outputs, inputs);
  const parts = (rows: number) => Math.max(1, Math.min(copies, Math.ceil(enoughGroups / (x * y)), Math.ceil(rows / rowsPerPart)));
  const grid: Operation["grid"] = (sizes) => [x, y, parts(sizes[over])];
  return { tile, grid };
}

/** Attention in tiles of rows; where each row is a sequence that decodes they share no keys, and each has a workgroup of its own. */
export function planAttention(engine: Engine, decoding: boolean): Promise<PlannedKernel> {
  const { shape } = engine;
  if (decoding) return planKernel(engine, attentionKernel(shape), ({ rows }) => rowGrid(rows, shape.heads));
  return planKernel(engine, tiledAttentionKernel(shape), ({ rows }) => attentionGrid(rows, shape.heads));
}

/** Waits for all values of a record, which are made side by side. */
export async function inParallel<T>(promises: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const names = Object.keys(promises) as (keyof T)[];
  const values = await Promise.all(names.map((name) => promises[name]));
  return Object.fromEntries(names.map((name, i) => [name, values[i]])) as T;
}
