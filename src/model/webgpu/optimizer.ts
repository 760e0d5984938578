// The optimizer step as two dispatches (more only where the flat buffers exceed a binding).

import { type Operation, readStaging, resize } from "../../kernels/webgpu/program.ts";
import { adamwKernel, gradientNormKernel, normGroups, stepFields } from "../../kernels/webgpu/update/adamw.ts";
import type { OptimizerStep } from "../backend.ts";
import type { Engine } from "./engine.ts";

const sizes = { rows: 0, scored: 0 };

/** Plans the norm (which also adds up the gradient's copies) and the step. */
export async function planOptimizer(engine: Engine) {
  const { parameters, arena } = engine;
  const { gradient, first, second, copies, stride } = parameters;
  const chunks = parameters.chunks();
  const partialCount = chunks.length * normGroups;
  const partials = arena.storage("partials", partialCount * 2);
  const uniform = arena.uniform("step", stepFields.length);
  const [norm, step] = await Promise.all([engine.compile(gradientNormKernel()), engine.compile(adamwKernel())]);
  const norms = chunks.map(({ from, to }, i): Operation => {
    const window = parameters.window(gradient, from, to);
    return {
      kernel: norm,
      buffers: { gradient: window.binding, partials },
      offsets: { first: from - window.base, count: to - from, copies, stride, partial: i * normGroups },
      // A short window needs fewer; what the others would write is zero already.
      grid: () => [Math.min(normGroups, Math.ceil((to - from) / 256)), 1, 1],
    };
  });
  const steps = chunks.map(({ from, to }): Operation => {
    // The gradient may have copies, so its window can differ from that of the others; all start at a chunk.
    const within = (buffer: GPUBuffer) => {
      const { binding, base } = parameters.window(buffer, from, to);
      return base === 0 ? { buffer: binding.buffer, offset: from * 4, size: Math.ceil((to - from) / 4) * 16 } : binding;
    };
    return {
      kernel: step,
      buffers: {
        step: uniform,
        partials,
        gradient: within(gradient),
        weights: within(parameters.weights("policy")),
        first: within(first),
        second: within(second),
      },
      offsets: { first: 0, count: to - from, partials: partialCount },
      grid: () => [Math.min(4096, Math.ceil((to - from) / 256)), 1, 1],
    };
  });
  return {
    norm: await engine.program("gradient norm", arena, norms),
    step: await engine.program("optimizer step", arena, steps),
    partials,
    uniform,
    staging: arena.staging("partials staging", partialCount * 2),
    partialCount,
  };
}
/** Programs of the step, planned once. */
export type OptimizerPlan = Awaited<ReturnType<typeof planOptimizer>>;

/**
 * Steps with the accumulated gradient as step number `number` (from 1), clears it, and returns its norm
 * before clipping, or NaN where nothing was changed because it is not finite.
 */
export async function runStep(engine: Engine, plan: OptimizerPlan, options: OptimizerStep, number: number): Promise<number> {
  const values: Record<(typeof stepFields)[number], number> = {
    ...options,
    rest1: 1 - options.beta1,
    rest2: 1 - options.beta2,
    keep: 1 - options.learningRate * options.weightDecay,
    correction1: 1 / (1 - options.beta1 ** number),
    correction2: 1 / (1 - options.beta2 ** number),
    sgd: options.kind === "sgd" ? 1 : 0,
  };
  engine.device.queue.writeBuffer(
    plan.uniform,
    0,
    Float32Array.from(stepFields, (name) => values[name]),
  );
  resize(plan.norm, sizes);
  resize(plan.step, sizes);
  await engine.submit([plan.norm, plan.step], [{ from: plan.partials, to: plan.staging, words: plan.partialCount * 2 }]);
  const partials = new Float32Array(await readStaging(plan.staging, plan.partialCount * 2));
  let squares = 0;
  let broken = 0;
  for (let i = 0; i < partials.length; i += 2) {
    squares += partials[i]!;
    broken += partials[i + 1]!;
  }
  return broken > 0 || !Number.isFinite(squares) ? Number.NaN : Math.sqrt(squares);
}

/** Adds up the gradient's copies, after which the first is the whole gradient. */
export async function collectGradient(engine: Engine, plan: OptimizerPlan): Promise<void> {
  resize(plan.norm, sizes);
  await engine.submit([plan.norm], []);
}
