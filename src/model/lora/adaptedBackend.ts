// A transformer whose adapters are trained while its base stands still, over any backend that computes whole weights:
// that one holds the merged weights, so sampling, scoring and the way back are its own, to the bit; weights, gradient
// and moments that are given out are the adapters' alone. The step is AdamW as PyTorch has it, in plain numbers.

import type { WeightSlot } from "../../rl/policy.ts";
import type { OptimizerState, OptimizerStep, TransformerBackend } from "../backend.ts";
import { sizeOf } from "../tensors.ts";
import { type AdaptedLayout, adapterGradient, mergeAdapters } from "./adapters.ts";

/** A step of `values` and the moments beside them, as new arrays; `state.step` counts the steps before this one. */
function stepped(values: Float32Array, gradient: Float32Array, norm: number, options: OptimizerStep, state: OptimizerState) {
  const { learningRate, beta1, beta2, eps, weightDecay, maxGradNorm } = options;
  const clip = maxGradNorm > 0 ? Math.min(1, maxGradNorm / (norm + 1e-6)) : 1;
  const step = state.step + 1;
  const rate = learningRate / (1 - beta1 ** step);
  const correction = 1 - beta2 ** step;
  const next = values.slice();
  const first_N = state.first_N.slice();
  const second_N = state.second_N.slice();
  for (let i = 0; i < values.length; i++) {
    const g = gradient[i]! * clip;
    const kept = values[i]! * (1 - learningRate * weightDecay);
    if (options.kind === "sgd") {
      next[i] = kept - learningRate * g;
      continue;
    }
    first_N[i] = beta1 * first_N[i]! + (1 - beta1) * g;
    second_N[i] = beta2 * second_N[i]! + (1 - beta2) * g * g;
    next[i] = kept - (rate * first_N[i]!) / (Math.sqrt(second_N[i]! / correction) + eps);
  }
  return { next, state: { step, first_N, second_N } };
}

/** Takes over `whole`, which is disposed of with it. @param base_N the frozen weights, in the order of parameterLayout. */
export function adaptedBackend(whole: TransformerBackend, adapted: AdaptedLayout, base_N: Float32Array): TransformerBackend {
  const { layout } = adapted;
  const size = sizeOf(layout);
  const slots = new Map<WeightSlot, Float32Array>();
  let optimizer: OptimizerState = { step: 0, first_N: new Float32Array(size), second_N: new Float32Array(size) };

  function valuesOf(slot: WeightSlot): Float32Array {
    const values = slots.get(slot);
    if (!values) throw new Error(`internal: the ${slot} adapters are not set`);
    return values;
  }

  async function setWeights(slot: WeightSlot, values: Float32Array): Promise<void> {
    if (values.length !== size) throw new Error(`weights must have ${size} values, got ${values.length}`);
    await whole.setWeights(slot, mergeAdapters(adapted, base_N, values));
    slots.set(slot, values.slice());
  }

  const gradientOf = async () => adapterGradient(adapted, await whole.getGradient(), valuesOf("policy"));

  async function step(options: OptimizerStep): Promise<{ readonly gradNorm: number }> {
    const gradient = await gradientOf();
    const gradNorm = Math.sqrt(gradient.reduce((sum, value) => sum + value * value, 0));
    if (Number.isFinite(gradNorm)) {
      const { next, state } = stepped(valuesOf("policy"), gradient, gradNorm, options, optimizer);
      await setWeights("policy", next);
      optimizer = state;
    }
    await whole.clearGradient();
    return { gradNorm: Number.isFinite(gradNorm) ? gradNorm : Number.NaN };
  }

  return {
    id: whole.id,
    threads: whole.threads,
    ...(whole.build && { build: whole.build }),
    config: whole.config,
    layout,
    maxPositions: whole.maxPositions,
    open: (request) => whole.open(request),
    setWeights,
    getWeights: async (slot) => valuesOf(slot).slice(),
    wholeWeights: () => whole.wholeWeights(),
    dropWeights: async (slot) => {
      slots.delete(slot);
      await whole.dropWeights(slot);
    },
    getOptimizer: async () => ({ step: optimizer.step, first_N: optimizer.first_N.slice(), second_N: optimizer.second_N.slice() }),
    setOptimizer: async ({ step, first_N, second_N }) => {
      optimizer = { step, first_N: first_N.slice(), second_N: second_N.slice() };
    },
    getGradient: gradientOf,
    clearGradient: () => whole.clearGradient(),
    score: (batch, slot) => whole.score(batch, slot),
    accumulate: (batch, objective, microBatchTokens) => whole.accumulate(batch, objective, microBatchTokens),
    step,
    dispose: () => whole.dispose(),
  };
}
