// The fast backend: the project's own WebAssembly kernels (src/kernels/assembly) on one memory, split
// over threads. A batch is cut into a fixed number of partitions, each with its own gradient buffer
// summed in a fixed order, so results have the same bits for any number of threads.

import { Engine } from "../../kernels/wasm/engine.ts";
import type { KernelBuild, KernelHost, MeasuredBuild } from "../../kernels/wasm/kernelModule.ts";
import type { OpenRequest, WeightSlot } from "../../rl/policy.ts";
import type { OptimizerState, OptimizerStep, PackedBatch, TransformerBackend } from "../backend.ts";
import type { FrozenBase } from "../lora/frozenBase.ts";
import { OpenCount, openSequences, type Sampler } from "../openSequences.ts";
import { samplerInWaves } from "../samplerWaves.ts";
import type { TransformerConfig } from "../transformerConfig.ts";
import { accumulateBatch, SCORE_ROWS, scoreBatch } from "./forwardBackward.ts";
import { DEFAULT_PARTITIONS, ModelMemory } from "./modelMemory.ts";
import { clearGradients, reduceGradients, updateWeights } from "./optimizer.ts";
import { wasmSampler, waveSizes } from "./sampler.ts";

export interface WasmBackendOptions {
  /** Threads to use, the calling one included; one where memory cannot be shared. */
  readonly threads: number;
  /** Keeps fewer of them where a short trial finds no gain in all. Changes no bit. */
  readonly asTheyGain?: boolean;
  /** Which build; by default the fastest that runs here. */
  readonly build?: KernelBuild;
  /** Into how many parts a batch is cut; the bits of a run depend on it, not on the threads. */
  readonly partitions?: number;
  /** Height of the matrix product's tile; by default a short trial chooses the faster one. Changes no bit. */
  readonly tile?: 6 | 4;
  /** Weights that stand still, beside which adapters are trained; without it all weights are. */
  readonly frozen?: FrozenBase | undefined;
}

/** What only this backend can tell. */
export interface WasmBackend extends TransformerBackend {
  readonly build: MeasuredBuild;
  /** Rows of the chosen tile. */
  readonly tileRows: number;
  /** Bytes in use by weights, optimizer and the last request. */
  memoryBytes(): number;
}

/** A model that the kernels cannot hold, or that cannot be read, leaves no threads behind. */
async function takeMemory(
  engine: Engine,
  config: TransformerConfig,
  { partitions = DEFAULT_PARTITIONS, frozen }: WasmBackendOptions,
): Promise<ModelMemory> {
  try {
    const memory = new ModelMemory(engine, config, partitions, frozen);
    await memory.fill();
    return memory;
  } catch (error) {
    engine.dispose();
    throw error;
  }
}

function samplerOf(memory: ModelMemory, request: OpenRequest): Sampler {
  return samplerInWaves(
    request,
    (room) => waveSizes(memory, request, room),
    (part) => wasmSampler(memory, part),
  );
}

/** Starts the kernels. The methods block the calling thread while they work, so it must be a worker or Node. */
export async function createWasmBackend(config: TransformerConfig, host: KernelHost, options: WasmBackendOptions): Promise<WasmBackend> {
  const { threads, asTheyGain, build, tile } = options;
  const engine = await Engine.start(host, { threads, asTheyGain, build, tile });
  const memory = await takeMemory(engine, config, options);
  const open = new OpenCount();
  return {
    id: "wasm",
    threads: engine.threads,
    config,
    layout: memory.layout,
    build: engine.build,
    tileRows: engine.tileRows,
    memoryBytes: () => engine.arena.used,
    ...weightMethods(memory, open),
    maxPositions: config.maxPositions,
    open: (request) => openSequences(request, config.vocabularySize, samplerOf(memory, request), open),
    score: async (batch: PackedBatch, slot: WeightSlot) => scoreBatch(memory, batch, slot, SCORE_ROWS),
    accumulate: async (batch, objective, microBatchTokens) => accumulateBatch(memory, batch, objective, microBatchTokens),
    ...optimizerMethods(memory, open),
    dispose: () => engine.dispose(),
  };
}

function weightMethods(
  memory: ModelMemory,
  open: OpenCount,
): Pick<TransformerBackend, "setWeights" | "getWeights" | "wholeWeights" | "dropWeights" | "getGradient" | "clearGradient"> {
  const read = (at: number) => memory.engine.arena.floats(at, memory.floats).slice();
  return {
    setWeights: async (slot, weights_N) => {
      if (slot === "policy") open.keepWeights();
      memory.setWeights(slot, weights_N);
    },
    getWeights: async (slot) => read(memory.weights(slot)),
    wholeWeights: async () => memory.wholeWeights(),
    dropWeights: async (slot) => memory.dropWeights(slot),
    getGradient: async () => {
      reduceGradients(memory);
      return read(memory.gradients());
    },
    clearGradient: async () => {
      reduceGradients(memory);
      clearGradients(memory);
    },
  };
}

function optimizerMethods(memory: ModelMemory, open: OpenCount): Pick<TransformerBackend, "step" | "getOptimizer" | "setOptimizer"> {
  const moment = (at: number) => memory.engine.arena.floats(at, memory.floats);
  let steps = 0;
  return {
    step: async (options: OptimizerStep) => {
      open.keepWeights();
      if (options.kind === "adamw") memory.moments();
      const gradNorm = reduceGradients(memory);
      if (!Number.isFinite(gradNorm)) {
        clearGradients(memory);
        return { gradNorm: Number.NaN };
      }
      steps++;
      updateWeights(memory, options, gradNorm, steps);
      return { gradNorm };
    },
    getOptimizer: async (): Promise<OptimizerState> => {
      const { first, second } = memory.moments();
      return { step: steps, first_N: moment(first).slice(), second_N: moment(second).slice() };
    },
    setOptimizer: async (state: OptimizerState) => {
      const { first, second } = memory.moments();
      moment(first).set(state.first_N);
      moment(second).set(state.second_N);
      steps = state.step;
    },
  };
}
