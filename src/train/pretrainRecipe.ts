// How the shipped checkpoint is made: first from right answers alone, then from a mixture in which a
// habitual mistake is likelier than the right answer. The policy can do the arithmetic but often does
// not; reinforcement learning has that gap to close.
import type { RunConfigInput } from "../protocol/config.ts";

export const pretrainRecipe = {
  task: "boxed-arithmetic",
  kind: "supervised",
  model: "transformer",
  startFrom: "random",
  backend: "wasm",
  hiddenSize: 96,
  layers: 4,
  heads: 4,
  kvHeads: 4,
  intermediateSize: 272,
  demonstrationsPerStep: 96,
  demonstrationNoise: 0,
  steps: 7500,
  learningRate: 3e-3,
  schedule: "cosine",
  warmupSteps: 100,
  finalLearningRateShare: 0.05,
  weightDecay: 0.01,
  beta2: 0.98,
  changes: [{ afterStep: 5700, settings: { demonstrationNoise: 0.74 } }],
  seed: 1,
} as const satisfies RunConfigInput;
