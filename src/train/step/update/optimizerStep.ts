// The optimizer's settings for one step, read from the configuration.
import type { OptimizerStep } from "../../../model/backend.ts";
import type { RunConfig } from "../../../protocol/config.ts";

export function optimizerStep(config: RunConfig, learningRate: number): OptimizerStep {
  return {
    kind: config.optimizer,
    learningRate,
    beta1: config.beta1,
    beta2: config.beta2,
    eps: config.adamEps,
    weightDecay: config.weightDecay,
    maxGradNorm: config.maxGradNorm,
  };
}
