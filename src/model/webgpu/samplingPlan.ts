// Buffers and programs for sampling: prompts are run once into the cache, then each step decodes one
// token for every live sequence. Completions read their prompt's keys and values where they lie, so a
// group of sequences holds its prompt once.
import { Arena, planIn } from "../../kernels/webgpu/arena.ts";
import { decodeTile } from "../../kernels/webgpu/gemm.ts";
import type { Operation, Program } from "../../kernels/webgpu/program.ts";
import { rowInfoWords } from "../../kernels/webgpu/rowInfo.ts";
import { sampleKernel } from "../../kernels/webgpu/sample.ts";
import type { Engine } from "./engine.ts";
import {
  embeddingWindow,
  embedOperation,
  type ForwardKernels,
  forwardKernels,
  type LayerBuffers,
  layerOperations,
  logitsOperation,
  tileFor,
} from "./forward.ts";

export interface SamplingCapacity {
  readonly promptRows: number;
  readonly sequences: number;
  /** Sequences times new tokens. */
  readonly tokens: number;
  readonly positions: number;
}

export interface SamplingPlan {
  readonly capacity: SamplingCapacity;
  readonly arena: Arena;
  /** Prompts to cache, first token of each sequence. */
  readonly prefill: Program;
  /** One token for each row. */
  readonly step: Program;
  /** Embeds the rows' last tokens again after rows were dropped. */
  readonly restart: Program;
  readonly promptInfo: GPUBuffer;
  readonly rowInfo: GPUBuffer;
  readonly lastRow: GPUBuffer;
  readonly uniforms: GPUBuffer;
  readonly sampled: GPUBuffer;
  readonly rowStaging: GPUBuffer;
  readonly sampledStaging: GPUBuffer;
}

/** Scratch of a forward pass that keeps nothing but keys and values. */
function scratch(engine: Engine, arena: Arena, prefix: string, rows: number, kvs: readonly GPUBuffer[]): LayerBuffers[] {
  const { D, F, Q, heads } = engine.shape;
  const own = (name: string, words: number) => arena.storage(`${prefix} ${name}`, rows * words);
  return kvs.map((kv) => ({
    x: own("x", D),
    q: own("q", Q),
    kv,
    o: own("o", Q),
    stats: own("stats", 2 * heads),
    attended: own("attended", D),
    inverseRms1: own("inverse rms", 1),
    inverseRms2: own("inverse rms", 1),
    act: own("act", F),
    gates: null,
    next: own("x", D),
  }));
}

/** Largest tokens (cache slots of completions) and rows per wave that this device can bind. */
export function mostCacheSlots(engine: Engine): number {
  return Math.floor(engine.bindingBytes / 4 / Math.max(2 * engine.shape.KV, 2));
}

const measures = ["promptRows", "sequences", "tokens", "positions"] as const;

/** Whether a capacity has room for what is needed. */
export const holds = (capacity: SamplingCapacity, needed: SamplingCapacity): boolean =>
  measures.every((name) => capacity[name] >= needed[name]);

/**
 * The capacity of a plan to come after one that was too small: room for both, so that requests of two
 * kinds do not make plans in turn, or for `needed` alone where both together exceed a binding.
 */
export function widened(engine: Engine, had: SamplingCapacity | undefined, needed: SamplingCapacity): SamplingCapacity {
  if (!had) return needed;
  const most = (name: (typeof measures)[number]) => Math.max(had[name], needed[name]);
  const [promptRows, sequences, tokens, positions] = [most("promptRows"), most("sequences"), most("tokens"), most("positions")];
  // Prompts and completions lie in one cache: the most of each may come from different requests.
  return promptRows + tokens > mostCacheSlots(engine) ? needed : { promptRows, sequences, tokens, positions };
}

interface Shared {
  readonly engine: Engine;
  readonly rope: GPUBuffer;
  readonly logits: GPUBuffer;
  readonly inverseRms: GPUBuffer;
}

function layersOf({ engine, rope }: Shared, kernels: ForwardKernels, rowInfo: GPUBuffer, layers: readonly LayerBuffers[]): Operation[] {
  return layers.flatMap((l, i) => layerOperations(engine, kernels, "policy", i, rowInfo, rope, l));
}

function firstX(layers: readonly LayerBuffers[]): GPUBuffer {
  const first = layers[0];
  if (!first) throw new Error("internal: a model needs a layer");
  return first.x;
}

async function sampleOperation({ engine, logits }: Shared, buffers: Record<string, GPUBuffer>): Promise<Operation> {
  const { binding, embedding } = embeddingWindow(engine, "policy");
  return {
    kernel: await engine.compile(sampleKernel(engine.shape)),
    buffers: { weights: binding, logits, ...buffers },
    offsets: { embedding },
    grid: ({ scored }) => [scored, 1, 1],
  };
}

/** Plans sampling for the capacity. */
export function planSampling(engine: Engine, capacity: SamplingCapacity): Promise<SamplingPlan> {
  return planIn(new Arena(engine.device, engine.bindingBytes), (arena) => planBuffers(engine, capacity, arena));
}

async function planBuffers(engine: Engine, capacity: SamplingCapacity, arena: Arena): Promise<SamplingPlan> {
  const { promptRows, sequences, tokens, positions } = capacity;
  const { KV, V } = engine.shape;
  const kvs = Array.from({ length: engine.config.layers }, (_, i) => arena.storage(`kv ${i}`, (promptRows + tokens) * 2 * KV));
  const promptLayers = scratch(engine, arena, "prompt", promptRows, kvs);
  const rowLayers = scratch(engine, arena, "row", sequences, kvs);
  const promptInfo = arena.storage("prompt info", promptRows * rowInfoWords);
  const rowInfo = arena.storage("row info", sequences * rowInfoWords);
  const lastRow = arena.storage("last row", sequences);
  const ownRow = arena.storage("own row", sequences);
  engine.device.queue.writeBuffer(
    ownRow,
    0,
    Uint32Array.from({ length: sequences }, (_, r) => r),
  );
  const uniforms = arena.storage("uniforms", tokens);
  const sampled = arena.storage("sampled", tokens * 2);
  const shared: Shared = {
    engine,
    rope: engine.rope(positions),
    logits: arena.storage("logits", sequences * V),
    inverseRms: arena.storage("final inverse rms", sequences),
  };
  const [wide, narrow] = await Promise.all([forwardKernels(engine, tileFor, false), forwardKernels(engine, () => decodeTile, false)]);
  const x = firstX(rowLayers);
  const sample = await sampleOperation(shared, { uniforms, row_info: rowInfo, sampled, x });
  const logitsOf = (from: GPUBuffer, scoreRow: GPUBuffer) =>
    logitsOperation(engine, narrow, "policy", { x: from, scoreRow, logits: shared.logits, inverseRms: shared.inverseRms });
  return {
    capacity,
    arena,
    prefill: await engine.program("prefill", arena, [
      embedOperation(engine, wide, "policy", promptInfo, firstX(promptLayers)),
      ...layersOf(shared, wide, promptInfo, promptLayers),
      logitsOf(firstX(promptLayers), lastRow),
      sample,
    ]),
    step: await engine.program("decode", arena, [...layersOf(shared, narrow, rowInfo, rowLayers), logitsOf(x, ownRow), sample]),
    restart: await engine.program("restart", arena, [embedOperation(engine, narrow, "policy", rowInfo, x)]),
    promptInfo,
    rowInfo,
    lastRow,
    uniforms,
    sampled,
    rowStaging: arena.staging("row staging", sequences * rowInfoWords),
    sampledStaging: arena.staging("sampled staging", tokens * 2),
  };
}
