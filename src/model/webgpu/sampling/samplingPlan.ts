// Buffers and programs for sampling: what is known of sequences is run into the cache at once, then each
// step decodes one token for every live sequence. Sequences read their prompt's keys and values where
// they lie, so a group holds its prompt once.
import { type Arena, type BufferSource, planOn } from "../../../kernels/webgpu/arena.ts";
import { rowInfoWords, sampledWords } from "../../../kernels/webgpu/kernel.ts";
import type { Operation } from "../../../kernels/webgpu/program.ts";
import { sampleKernel } from "../../../kernels/webgpu/sample.ts";
import type { WeightSlot } from "../../../rl/policy.ts";
import type { Engine } from "../engine.ts";
import { planForward } from "../passes/forward.ts";
import { type ForwardPass, operation, planKernel } from "../passes/operations.ts";
import { matrixPlace } from "../passes/places.ts";
import type { DeviceSizes } from "../plan/deviceSizes.ts";
import { type LayerBuffers, layerBuffers } from "../plan/layerBuffers.ts";
import type { Held, SamplingCapacity } from "./waves.ts";

const measures = ["cacheRows", "rows", "sequences", "draws", "positions"] as const;

/** Whether a capacity has room for what is needed. */
export const hasRoom = (capacity: SamplingCapacity, needed: SamplingCapacity): boolean =>
  measures.every((name) => capacity[name] >= needed[name]);

/** Room for both, so that requests of two kinds do not make plans in turn; no buffer grows with more than one measure. */
export function roomForBoth(one: SamplingCapacity, other: SamplingCapacity): SamplingCapacity {
  const most = measures.map((name) => [name, Math.max(one[name], other[name])] as const);
  return Object.fromEntries(most) as Record<(typeof measures)[number], number>;
}

function firstX(layers: readonly LayerBuffers[]): GPUBuffer {
  const first = layers[0];
  if (!first) throw new Error("internal: a model needs a layer");
  return first.x;
}

/** Draws a token for each row and embeds it: in one dispatch, or in more where the embedding lies in several buffers. */
async function sampleOperations(
  engine: Engine,
  slot: WeightSlot,
  pass: ForwardPass,
  x: GPUBuffer,
  buffers: Record<"logits" | "uniforms" | "row_info" | "sampled", GPUBuffer>,
): Promise<readonly Operation[]> {
  const { plan, shape } = engine;
  const only = plan.embedding.length === 1 ? plan.embedding[0]!.rows : null;
  const kernel = await planKernel(engine, sampleKernel(shape, { ids: plan.sampledIds, form: only?.form }), ({ scored }) => [scored, 1, 1]);
  if (!only) return [operation(kernel, buffers), ...pass.embed(buffers.row_info, x)];
  const { binding: base, at: matrix } = matrixPlace(engine, slot, only);
  return [operation(kernel, { ...buffers, base, x }, { matrix })];
}

/** Plans sampling with a slot's weights for the capacity. */
export const planSampling = (engine: Engine, slot: WeightSlot, capacity: SamplingCapacity) =>
  planOn(engine, (arena) => planBuffers(engine, slot, capacity, arena));

/** All buffers of a plan. */
export function samplingBuffers<B>(
  engine: DeviceSizes & { rope(positions: number): B },
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
  const { rope, logits, inverseRms } = buffers;
  const [wide, narrow] = await Promise.all([
    planForward(engine, slot, { decoding: false, keep: false }),
    planForward(engine, slot, { decoding: true, keep: false }),
  ]);
  const x = firstX(rowLayers);
  const sample = await sampleOperations(engine, slot, narrow, x, { logits, uniforms, row_info: rowInfo, sampled });
  const logitsOf = (from: GPUBuffer, scoreRow: GPUBuffer) => narrow.logits({ x: from, scoreRow, logits, inverseRms });
  const filling = [...wide.embed(prefillInfo, firstX(prefillLayers)), ...wide.layers({ rowInfo: prefillInfo, rope }, prefillLayers)];
  const decoding = narrow.layers({ rowInfo, rope }, rowLayers);
  return {
    capacity,
    arena,
    /** The sequences whose keys and values the cache has; null where it is free. */
    held: null as Held | null,
    /** Tokens into the cache, and no more. */
    fill: await engine.program("fill", arena, filling),
    /** Tokens into the cache, then the first new one of each sequence. */
    prefill: await engine.program("prefill", arena, [...filling, ...logitsOf(firstX(prefillLayers), lastRow), ...sample]),
    /** One token for each row. */
    step: await engine.program("decode", arena, [...decoding, ...logitsOf(x, ownRow), ...sample]),
    /** Embeds the rows' last tokens again after rows were dropped. */
    restart: await engine.program("restart", arena, narrow.embed(rowInfo, x)),
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
