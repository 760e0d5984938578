// The forward pass as plans see it, whether all weights are trained or adapters beside a frozen base: operations on
// buffers, the same ones to train, to fill the cache from prompts and to decode.
import { attentionKernel } from "../../kernels/webgpu/attention/attention.ts";
import { attentionGrid, tiledAttentionKernel } from "../../kernels/webgpu/attention/tiledAttention.ts";
import type { Kernel } from "../../kernels/webgpu/kernel.ts";
import { type Operation, rowGrid } from "../../kernels/webgpu/program.ts";
import type { WeightSlot } from "../../rl/policy.ts";
import type { Engine } from "./engine.ts";
import type { LayerBuffers } from "./layerBuffers.ts";

/** What the head reads and writes at chosen rows. `normed` only beside a frozen base. */
export interface LogitBuffers {
  readonly x: GPUBuffer;
  readonly scoreRow: GPUBuffer;
  readonly normed: GPUBuffer;
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

export interface ForwardPass {
  /** x = embedding of the rows' tokens. */
  embed(slot: WeightSlot, rowInfo: GPUBuffer, x: GPUBuffer): readonly Operation[];
  layers(
    slot: WeightSlot,
    given: { readonly rowInfo: GPUBuffer; readonly rope: GPUBuffer },
    buffers: readonly LayerBuffers[],
  ): readonly Operation[];
  /** Logits of rows scoreRow of x. */
  logits(slot: WeightSlot, buffers: LogitBuffers): readonly Operation[];
}

/** A compiled kernel and the grid it is always dispatched with. */
export type PlannedKernel = Pick<Operation, "kernel" | "grid">;

export async function planKernel(engine: Engine, kernel: Kernel, grid: PlannedKernel["grid"]): Promise<PlannedKernel> {
  return { kernel: await engine.compile(kernel), grid };
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
