// Learning rate over a run: warm-up, then constant, linear or half-cosine decay, as Hugging Face's
// get_{constant,linear,cosine}_schedule_with_warmup compute it (the first step of a warm-up has rate 0).
// Addition: a falling schedule may end at a share of the peak instead of 0.

import type { RunConfig } from "../protocol/config.ts";
import { cos } from "./exactMath.ts";

export type ScheduleConfig = Pick<RunConfig, "learningRate" | "schedule" | "warmupSteps" | "finalLearningRateShare" | "steps">;

/**
 * Learning rate of the step taken after `stepsBefore` finished ones (0, 1, ...). A run without a last
 * step (steps = 0) has nothing to fall towards and stays at the peak; past the last step the final rate holds.
 */
export function learningRateAt(stepsBefore: number, config: ScheduleConfig): number {
  const { learningRate, schedule, warmupSteps, finalLearningRateShare, steps } = config;
  if (stepsBefore < warmupSteps) return (learningRate * stepsBefore) / Math.max(1, warmupSteps);
  if (schedule === "constant" || steps === 0) return learningRate;
  const progress = Math.min(1, (stepsBefore - warmupSteps) / Math.max(1, steps - warmupSteps));
  const share = schedule === "linear" ? 1 - progress : 0.5 * (1 + cos(Math.PI * progress));
  return learningRate * (finalLearningRateShare + (1 - finalLearningRateShare) * share);
}
