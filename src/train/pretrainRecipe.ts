// How the shipped checkpoint is made. The share of wrong answers is what leaves room to learn: the
// habitual slip is likelier than the right answer, which the policy nevertheless knows.
import type { RunConfigInput } from "../protocol/config.ts";

export const pretrainRecipe = {
  task: "boxed-arithmetic",
  kind: "supervised",
  model: "transformer",
  startFrom: "random",
  backend: "wasm",
  hiddenSize: 128,
  layers: 4,
  heads: 4,
  kvHeads: 4,
  intermediateSize: 344,
  batchSequences: 128,
  demonstrationNoise: 0.65,
  steps: 6000,
  learningRate: 2e-3,
  schedule: "cosine",
  warmupSteps: 100,
  finalLearningRateShare: 0.05,
  weightDecay: 0.01,
  seed: 1,
} as const satisfies RunConfigInput;
