// Runs one WGSL kernel on arrays as the engine would, for tests of single kernels.
import { afterAll, beforeAll, expect } from "vitest";
import { Arena } from "../../../src/kernels/webgpu/arena.ts";
import { openDevice } from "../../../src/kernels/webgpu/device.ts";
import type { Kernel } from "../../../src/kernels/webgpu/kernel.ts";
import type { Matrix } from "../../../src/kernels/webgpu/product/projections.ts";
import { trainedForm } from "../../../src/kernels/webgpu/product/storedForm.ts";
import { type Grid, readStaging, resize } from "../../../src/kernels/webgpu/program.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { type CallValues, createEngine, type Engine } from "../../../src/model/webgpu/engine.ts";
import { Random } from "../../../src/rl/random.ts";
import { difference } from "../../support/tokenBatches.ts";

/** Sizes that fill no tile, no workgroup and no round of any kernel exactly, and exceed one of each; eps large enough to be seen. */
export const oddSizes: TransformerConfig = {
  vocabularySize: 75,
  hiddenSize: 37,
  layers: 1,
  heads: 4,
  kvHeads: 2,
  headSize: 10,
  intermediateSize: 41,
  ropeTheta: 10_000,
  rmsNormEps: 0.01,
  tiedEmbeddings: true,
  qkvBias: false,
  headNorm: false,
  maxPositions: 64,
  valueHead: false,
};

const random = new Random(3);

/** Standard normal numbers, others at each call. */
export const normals = (count: number) => Float32Array.from({ length: count }, () => random.normal());

/** Whole numbers below `bound`, others at each call. */
export const wholes = (count: number, bound: number) => Uint32Array.from({ length: count }, () => random.below(bound));

/** Float32 sums against float64 ones. */
export function expectNear(actual: ArrayLike<number> | undefined, expected: ArrayLike<number>): void {
  const { largest, scale } = difference(actual ?? [], expected);
  expect(largest).toBeLessThan(1e-5 * scale);
}

/** A trained matrix without adapters whose first value is this one of a buffer. */
export const trainedMatrix = (outputs: number, inputs: number, at: number): Matrix => ({
  ...{ form: trainedForm(at, inputs), outputs, inputs, parts: [], scale: "1f" },
});

/** An engine that lives as long as a describe block. */
export function useEngine(gpu: GPU | null): () => Engine {
  let engine: Engine | undefined;
  beforeAll(async () => {
    engine = createEngine(await openDevice(gpu), oddSizes, {});
  });
  afterAll(() => {
    engine?.destroy();
    engine?.device.destroy();
  });
  return () => {
    if (!engine) throw new Error("the engine could not be created");
    return engine;
  };
}

export interface CallRun {
  /** Contents of each buffer; a number is that many zero words. */
  readonly buffers: Readonly<Record<string, Float32Array<ArrayBuffer> | Uint32Array<ArrayBuffer> | number | undefined>>;
  readonly offsets?: Readonly<Record<string, number>>;
  readonly call: CallValues;
  readonly grid: Grid;
}

/** Every buffer the kernel may write, after it ran. */
export async function runCall(engine: Engine, kernel: Kernel, run: CallRun): Promise<Record<string, Float32Array<ArrayBuffer>>> {
  const arena = new Arena(engine.device, engine.bindingBytes);
  const accesses = new Map(kernel.buffers.map(({ name, access }) => [name, access]));
  const buffers: Record<string, GPUBuffer> = {};
  const copies: { name: string; from: GPUBuffer; to: GPUBuffer; words: number }[] = [];
  for (const [name, content] of Object.entries(run.buffers)) {
    if (content === undefined) throw new Error(`buffer ${name} has no content`);
    const words = typeof content === "number" ? content : content.length;
    const buffer = accesses.get(name) === "uniform" ? arena.uniform(name, words) : arena.storage(name, words);
    if (typeof content !== "number") engine.device.queue.writeBuffer(buffer, 0, content);
    if (accesses.get(name) === "write") copies.push({ name, from: buffer, to: arena.staging(`read ${name}`, words), words });
    buffers[name] = buffer;
  }
  const operation = { kernel: await engine.compile(kernel), buffers, offsets: run.offsets ?? {}, grid: () => run.grid };
  const program = await engine.program(kernel.label, arena, [operation]);
  engine.writeCall(run.call);
  resize(program, run.call);
  await engine.submit([program], copies);
  const results: Record<string, Float32Array<ArrayBuffer>> = {};
  for (const { name, to, words } of copies) results[name] = new Float32Array(await readStaging(to, words));
  arena.destroy();
  return results;
}
