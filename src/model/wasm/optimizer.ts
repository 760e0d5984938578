// The optimizer's two passes: sum the partitions' gradients and measure them, then move the weights.

import type { Engine } from "../../kernels/wasm/engine.ts";
import { STEP_ADDRESS } from "../../kernels/wasm/header.ts";
import type { OptimizerStep } from "../backend.ts";
import type { ModelMemory } from "./modelMemory.ts";

/** Byte offsets of the words of ../../kernels/assembly/optimizer.ts. */
const WORDS = {
  count: 0,
  weights: 4,
  gradients: 8,
  gradientStride: 12,
  partitions: 16,
  first: 20,
  second: 24,
  squares: 28,
  kind: 32,
  scale: 36,
  keep: 40,
  beta1: 44,
  beta2: 48,
  eps: 52,
  rate: 56,
  root2: 60,
  rest1: 64,
  rest2: 68,
} as const;

const KINDS = { clear: 0, adamw: 1, sgd: 2 } as const;

/** Sums all partitions' gradients into the first partition's buffer; returns the global L2 norm. */
export function reduceGradients(engine: Engine, memory: ModelMemory): number {
  const { arena, kernels } = engine;
  const gradients = memory.gradients();
  const chunks = kernels.chunkCount(memory.floats);
  arena.begin();
  const squares = arena.take(chunks * 8);
  const words = arena.words(STEP_ADDRESS, 18);
  words[WORDS.count >> 2] = memory.floats;
  words[WORDS.gradients >> 2] = gradients;
  words[WORDS.gradientStride >> 2] = memory.gradientStride;
  words[WORDS.partitions >> 2] = memory.partitions;
  words[WORDS.squares >> 2] = squares;
  engine.run("reduce", { count: chunks });
  let sum = 0;
  for (const square of arena.doubles(squares, chunks)) sum += square;
  return Math.sqrt(sum);
}

/** Forgets the accumulated gradient, already reduced. */
export function clearGradients(engine: Engine, memory: ModelMemory): void {
  engine.arena.words(STEP_ADDRESS, 18)[WORDS.kind >> 2] = KINDS.clear;
  engine.run("update", { count: engine.kernels.chunkCount(memory.floats) });
}

/**
 * Moves the policy by the reduced gradient and clears it. `step` counts from 1. The gradient is scaled
 * by min(1, maxGradNorm / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_ does.
 */
export function updateWeights(engine: Engine, memory: ModelMemory, options: OptimizerStep, gradNorm: number, step: number): void {
  const { arena, kernels } = engine;
  const moments = options.kind === "adamw" ? memory.moments() : { first: 0, second: 0 };
  const words = arena.words(STEP_ADDRESS, 18);
  words[WORDS.weights >> 2] = memory.weights("policy");
  words[WORDS.first >> 2] = moments.first;
  words[WORDS.second >> 2] = moments.second;
  words[WORDS.kind >> 2] = KINDS[options.kind];
  const values = arena.floats(STEP_ADDRESS, 18);
  const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm } = options;
  values[WORDS.scale >> 2] = maxGradNorm > 0 ? Math.min(1, maxGradNorm / (gradNorm + 1e-6)) : 1;
  values[WORDS.keep >> 2] = 1 - learningRate * weightDecay;
  values[WORDS.beta1 >> 2] = beta1;
  values[WORDS.beta2 >> 2] = beta2;
  values[WORDS.rest1 >> 2] = 1 - beta1;
  values[WORDS.rest2 >> 2] = 1 - beta2;
  values[WORDS.eps >> 2] = eps;
  values[WORDS.rate >> 2] = options.kind === "adamw" ? learningRate / (1 - beta1 ** step) : learningRate;
  values[WORDS.root2 >> 2] = 1 / Math.sqrt(1 - beta2 ** step);
  engine.run("update", { count: kernels.chunkCount(memory.floats) });
  memory.weightsChanged("policy");
}
