// The optimizer's two passes: sum the partitions' gradients and measure them, then move the weights.

import * as map from "../../kernels/assembly/memoryMap.ts";
import { wholePower } from "../../rl/exactMath.ts";
import type { OptimizerStep } from "../backend.ts";
import type { ModelMemory } from "./modelMemory.ts";

const KINDS = { adamw: map.STEP_KIND_ADAMW, sgd: map.STEP_KIND_SGD } as const;

/** Sums all partitions' gradients into the first partition's buffer; returns the global L2 norm. */
export function reduceGradients(memory: ModelMemory): number {
  const { arena, kernels } = memory.engine;
  const gradients = memory.gradients();
  const chunks = kernels.chunkCount(memory.floats);
  arena.begin();
  const squares = arena.take(chunks * 8);
  const words = arena.words(map.STEP, map.STEP_BYTES / 4);
  words[map.STEP_COUNT >> 2] = memory.floats;
  words[map.STEP_GRADIENTS >> 2] = gradients;
  words[map.STEP_GRADIENT_STRIDE >> 2] = memory.gradientStride;
  words[map.STEP_PARTITIONS >> 2] = memory.partitions;
  words[map.STEP_SQUARES >> 2] = squares;
  memory.engine.run("reduce", { count: chunks });
  let sum = 0;
  for (const square of arena.doubles(squares, chunks)) sum += square;
  return Math.sqrt(sum);
}

/** Forgets the accumulated gradient, already reduced. */
export function clearGradients(memory: ModelMemory): void {
  const { arena, kernels } = memory.engine;
  arena.words(map.STEP, map.STEP_BYTES / 4)[map.STEP_KIND >> 2] = map.STEP_KIND_CLEAR;
  memory.engine.run("update", { count: kernels.chunkCount(memory.floats) });
}

/**
 * Moves the policy by the reduced gradient and clears it. `step` counts from 1. The gradient is scaled
 * by min(1, maxGradNorm / (norm + 1e-6)), as torch.nn.utils.clip_grad_norm_ does.
 */
export function updateWeights(memory: ModelMemory, options: OptimizerStep, gradNorm: number, step: number): void {
  const { arena, kernels } = memory.engine;
  const moments = options.kind === "adamw" ? memory.moments() : { first: 0, second: 0 };
  const words = arena.words(map.STEP, map.STEP_BYTES / 4);
  words[map.STEP_WEIGHTS >> 2] = memory.weights("policy");
  words[map.STEP_FIRST >> 2] = moments.first;
  words[map.STEP_SECOND >> 2] = moments.second;
  words[map.STEP_KIND >> 2] = KINDS[options.kind];
  const values = arena.floats(map.STEP, map.STEP_BYTES / 4);
  const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm } = options;
  values[map.STEP_SCALE >> 2] = maxGradNorm > 0 ? Math.min(1, maxGradNorm / (gradNorm + 1e-6)) : 1;
  values[map.STEP_KEEP >> 2] = 1 - learningRate * weightDecay;
  values[map.STEP_BETA1 >> 2] = beta1;
  values[map.STEP_BETA2 >> 2] = beta2;
  values[map.STEP_REST1 >> 2] = 1 - beta1;
  values[map.STEP_REST2 >> 2] = 1 - beta2;
  values[map.STEP_EPS >> 2] = eps;
  values[map.STEP_RATE >> 2] = options.kind === "adamw" ? learningRate / (1 - wholePower(beta1, step)) : learningRate;
  values[map.STEP_ROOT2 >> 2] = 1 / Math.sqrt(1 - wholePower(beta2, step));
  memory.engine.run("update", { count: kernels.chunkCount(memory.floats) });
  memory.weightsChanged("policy");
}
