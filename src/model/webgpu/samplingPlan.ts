// Buffers and programs for sampling: what is known of sequences is run into the cache at once, then each
// step decodes one token for every live sequence. Sequences read their prompt's keys and values where
// they lie, so a group holds its prompt once.
import { Arena, type BufferSource, planIn } from "../../kernels/webgpu/arena.ts";
import { decodeTile } from "../../kernels/webgpu/gemm.ts";
import { rowInfoWords, sampledWords } from "../../kernels/webgpu/kernel.ts";
import type { Operation } from "../../kernels/webgpu/program.ts";
import { sampleKernel } from "../../kernels/webgpu/sample.ts";
import type { WeightSlot } from "../../rl/policy.ts";
import type { Engine } from "./engine.ts";
import {
  embeddingWindow,
  embedOperation,
  type ForwardKernels,
  forwardKernels,
  type LayerBuffers,
  layerBuffers,
  layerOperations,
  logitsOperation,
  tileFor,
} from "./forward.ts";
import type { Held, SamplingCapacity } from "./waves.ts";

const measures = ["cacheRows", "rows", "sequences", "draws", "positions"] as const;

/** Whether a capacity has room for what is needed. */
export const hasRoom = (capacity: SamplingCapacity, needed: SamplingCapacity): boolean =>
  measures.every((name) => capacity[name] >= needed[name]);

/** Room for both, so that requests of two kinds do not make plans in turn; no buffer grows with more than one measure. */
export function widened(one: SamplingCapacity, other: SamplingCapacity): SamplingCapacity {
  const most = (name: (typeof measures)[number]) => Math.max(one[name], other[name]);
  return {
    cacheRows: most("cacheRows"),
    rows: most("rows"),
    sequences: most("sequences"),
    draws: most("draws"),
    positions: most("positions"),
  };
}

interface Shared {
  readonly engine: Engine;
  readonly slot: WeightSlot;
  readonly rope: GPUBuffer;
  readonly logits: GPUBuffer;
  readonly inverseRms: GPUBuffer;
}

function layersOf(
  { engine, slot, rope }: Shared,
  kernels: ForwardKernels,
  rowInfo: GPUBuffer,
  layers: readonly LayerBuffers[],
): Operation[] {
  return layers.flatMap((l, i) => layerOperations(engine, kernels, slot, i, rowInfo, rope, l));
}

function firstX(layers: readonly LayerBuffers[]): GPUBuffer {
  const first = layers[0];
  if (!first) throw new Error("internal: a model needs a layer");
  return first.x;
}

async function sampleOperation({ engine, slot, logits }: Shared, buffers: Record<string, GPUBuffer>): Promise<Operation> {
  const { binding, at } = embeddingWindow(engine, engine.parameters.weights(slot));
  return {
    kernel: await engine.compile(sampleKernel(engine.shape)),
    buffers: { weights: binding, logits, ...buffers },
    offsets: { embedding: at },
    grid: ({ scored }) => [scored, 1, 1],
  };
}

/** Plans sampling with a slot's weights for the capacity. */
export function planSampling(engine: Engine, slot: WeightSlot, capacity: SamplingCapacity) {
  return planIn(new Arena(engine.device, engine.bindingBytes), (arena) => planBuffers(engine, slot, capacity, arena));
}

/** All buffers of a plan. */
export function samplingBuffers<B>(
  engine: Pick<Engine, "shape" | "config"> & { rope(positions: number): B },
  arena: BufferSource<B>,
  { cacheRows, rows, sequences, draws, positions }: SamplingCapacity,
) {
  const { KV, V } = engine.shape;
  const kvs = Array.from({ length: engine.config.layers }, (_, i) => arena.storage(`kv ${i}`, cacheRows * 2 * KV));
  // Passes that keep nothing but keys and values.
  const scratch = (prefix: string, count: number) =>
    layerBuffers(engine, (name, words) => arena.storage(`${prefix} ${name}`, words), count, false, kvs);
  return {
    prefillLayers: scratch("prefill", rows),
    rowLayers: scratch("row", sequences),
    prefillInfo: arena.storage("prefill info", rows * rowInfoWords),
    rowInfo: arena.storage("row info", sequences * rowInfoWords),
    lastRow: arena.storage("last row", sequences),
    ownRow: arena.storage("own row", sequences),
    uniforms: arena.storage("uniforms", draws),
    sampled: arena.storage("sampled", draws * sampledWords),
    rope: engine.rope(positions),
    logits: arena.storage("logits", sequences * V),
    inverseRms: arena.storage("final inverse rms", sequences),
    rowStaging: arena.staging("row staging", sequences * rowInfoWords),
    sampledStaging: arena.staging("sampled staging", draws * sampledWords),
  };
}

async function planBuffers(engine: Engine, slot: WeightSlot, capacity: SamplingCapacity, arena: Arena) {
  const buffers = samplingBuffers(engine, arena, capacity);
  const { prefillLayers, rowLayers, prefillInfo, rowInfo, lastRow, ownRow, uniforms, sampled } = buffers;
  const places = Uint32Array.from({ length: capacity.sequences }, (_, r) => r);
  engine.device.queue.writeBuffer(ownRow, 0, places);
  const shared: Shared = { engine, slot, rope: buffers.rope, logits: buffers.logits, inverseRms: buffers.inverseRms };
  const [wide, narrow] = await Promise.all([forwardKernels(engine, tileFor, false), forwardKernels(engine, () => decodeTile, false)]);
  const x = firstX(rowLayers);
  const sample = await sampleOperation(shared, { uniforms, row_info: rowInfo, sampled, x });
  const logitsOf = (from: GPUBuffer, scoreRow: GPUBuffer) =>
    logitsOperation(engine, narrow, slot, { x: from, scoreRow, logits: shared.logits, inverseRms: shared.inverseRms });
  const filling = [
    embedOperation(engine, wide, slot, prefillInfo, firstX(prefillLayers)),
    ...layersOf(shared, wide, prefillInfo, prefillLayers),
  ];
  return {
    capacity,
    arena,
    /** Whose keys and values the cache has; null where nobody's. */
    held: null as Held | null,
    /** Tokens into the cache, and no more. */
    fill: await engine.program("fill", arena, filling),
    /** Tokens into the cache, then the first new one of each sequence. */
    prefill: await engine.program("prefill", arena, [...filling, logitsOf(firstX(prefillLayers), lastRow), sample]),
    /** One token for each row. */
    step: await engine.program("decode", arena, [...layersOf(shared, narrow, rowInfo, rowLayers), logitsOf(x, ownRow), sample]),
    /** Embeds the rows' last tokens again after rows were dropped. */
    restart: await engine.program("restart", arena, [embedOperation(engine, narrow, slot, rowInfo, x)]),
    prefillInfo,
    rowInfo,
    lastRow,
    uniforms,
    sampled,
    rowStaging: buffers.rowStaging,
    sampledStaging: buffers.sampledStaging,
  };
}
export type SamplingPlan = Awaited<ReturnType<typeof planBuffers>>;
