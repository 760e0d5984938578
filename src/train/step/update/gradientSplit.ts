// How much of the gradient each part of the objective is responsible for: separate backward passes with
// one part at a time, before the update and without touching it. The parts' gradients add up to the
// whole's; their norms need not, since parts may pull against each other.

import type { AnyModel } from "../../../model/model.ts";
import type { RunConfig } from "../../../protocol/config.ts";
import type { AdvantageResult } from "../../../rl/advantage/types.ts";
import { usesCritic } from "../../../rl/baselines/index.ts";
import { exactKlCoef } from "../../../rl/kl/index.ts";
import type { ObjectiveInput } from "../../../rl/objective/types.ts";
import { tokenObjective } from "../../../rl/objective.ts";
import type { SampledStep } from "../sampledStep.ts";
import { wholeBatch } from "./minibatch.ts";
import { fixedTokens, objectiveInput, tokenGradients } from "./objectiveInput.ts";

/** Parts of the objective that reach the policy's weights; a critic with its own trunk has its own gradient. */
export const GRADIENT_PARTS = ["policy", "kl", "entropy", "value"] as const;
type GradientPart = (typeof GRADIENT_PARTS)[number];

/** Settings and input under which only one part of the objective is left. */
function isolated(
  part: GradientPart,
  config: RunConfig,
  input: ObjectiveInput,
): { readonly config: RunConfig; readonly input: ObjectiveInput } {
  return {
    config: { ...config, klCoef: part === "kl" ? config.klCoef : 0, entropyCoef: part === "entropy" ? config.entropyCoef : 0 },
    input: {
      ...input,
      // Every surrogate is proportional to the advantage: without it the policy's part is gone.
      advantages_K: part === "policy" ? input.advantages_K : new Float64Array(input.mask_K.length),
      ...(part === "value" ? {} : { values_K: null, oldValues_K: null, returns_K: null }),
    },
  };
}

/** Parts that the configuration turns on. */
export function activeParts(config: RunConfig, hasSharedCritic: boolean): readonly GradientPart[] {
  const on: Readonly<Record<GradientPart, boolean>> = {
    policy: true,
    kl: config.klCoef > 0 && config.klPlacement === "loss",
    entropy: config.entropyCoef !== 0,
    value: hasSharedCritic,
  };
  return GRADIENT_PARTS.filter((part) => on[part]);
}

/** Flat gradient of one part, or of the whole objective, over all tokens of a step with its advantages at once. */
export async function partGradient(
  model: AnyModel,
  step: SampledStep,
  advantages: AdvantageResult,
  config: RunConfig,
  part: GradientPart | "all",
): Promise<Float32Array | Float64Array> {
  const minibatch = wholeBatch(step.batch);
  const fixed = fixedTokens(minibatch, step, advantages, config);
  const gradient = await model.gradient({
    batch: step.batch,
    objective: (scores, range) => {
      const whole = objectiveInput(minibatch, fixed, scores, range);
      const chosen = part === "all" ? { config, input: whole } : isolated(part, config, whole);
      return tokenGradients(tokenObjective(chosen.input, chosen.config));
    },
    exactKlCoef: part === "kl" || part === "all" ? exactKlCoef(config) : 0,
    microBatchTokens: config.microBatchTokens,
  });
  if (!gradient) throw new Error("internal: a model without a gradient is not asked for parts of it");
  return gradient.values;
}

/** Gradient norm of every active part before the step's first optimizer step, as metrics. */
export async function gradientSplit(
  model: AnyModel,
  step: SampledStep,
  advantages: AdvantageResult,
  config: RunConfig,
): Promise<Record<string, number>> {
  const norms: Record<string, number> = {};
  const hasSharedCritic = usesCritic(config) && config.criticTrunk === "shared";
  for (const part of activeParts(config, hasSharedCritic)) {
    let squares = 0;
    for (const value of await partGradient(model, step, advantages, config, part)) squares += value * value;
    norms[`grad_norm/${part}`] = Math.sqrt(squares);
  }
  return norms;
}
