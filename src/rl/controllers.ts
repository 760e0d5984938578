// Coefficients that move over a run: the learning rate by a schedule, KL weight and entropy bonus towards a
// target. Pure rules: the trainer keeps the state.
import type { RunConfig } from "../protocol/config.ts";
import { cos } from "./exactMath.ts";

/**
 * Next KL weight (Ziegler et al. 2019, arXiv 1909.08593, section 2.2; verl's AdaptiveKLController):
 * coef · (1 + clip(kl/target - 1, ±0.2) · completions/horizon). With target 0 the weight stays.
 * @param klNats measured divergence of the last batch. @param completions how many it held.
 */
export function adaptKlCoef(coef: number, klNats: number, completions: number, config: Pick<RunConfig, "klTarget" | "klHorizon">): number {
  if (config.klTarget === 0) return coef;
  const error = Math.max(-0.2, Math.min(0.2, klNats / config.klTarget - 1));
  return coef * (1 + (error * completions) / config.klHorizon);
}

/** State of the adaptive entropy bonus: the coefficient, and whether the next batch is given it. */
export interface EntropyControl {
  readonly coef: number;
  readonly isApplied: boolean;
}

/**
 * Next entropy bonus (TRL's use_adaptive_entropy; Skywork-OR1, arXiv 2505.22312): at or below the target
 * the coefficient rises by one step and is applied, above it falls by one step, never below 0, and is
 * not applied. With target 0 nothing changes and the bonus always applies.
 * @param entropyNats mean token entropy of the last optimizer batch.
 */
export function adaptEntropyCoef(
  coef: number,
  entropyNats: number,
  config: Pick<RunConfig, "entropyTarget" | "entropyDelta" | "entropyCoefMax">,
): EntropyControl {
  if (config.entropyTarget === 0) return { coef, isApplied: true };
  if (entropyNats <= config.entropyTarget) return { coef: Math.min(coef + config.entropyDelta, config.entropyCoefMax), isApplied: true };
  return { coef: Math.max(coef - config.entropyDelta, 0), isApplied: false };
}

type ScheduleConfig = Pick<RunConfig, "learningRate" | "schedule" | "warmupSteps" | "finalLearningRateShare" | "steps">;

/**
 * Warm-up, then constant, linear or half-cosine decay, as Hugging Face's get_{constant,linear,cosine}_schedule_with_warmup
 * compute it (the first step of a warm-up has rate 0). Addition: a falling schedule may end at a share of the peak.
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
