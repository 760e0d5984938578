// How the shipped checkpoints are made, one for each family of tasks: first from right answers alone,
// then from a mixture in which mistakes are likelier than the right answer. The policy can do a task but
// often does not; reinforcement learning has that gap to close.
import type { RunConfigInput } from "../protocol/config.ts";

/** A task of a family's mixture. */
export interface PretrainedTask {
  readonly task: string;
  readonly taskOptions?: NonNullable<RunConfigInput["taskOptions"]>;
  /** Its part of the problems, in proportion to the other tasks'. */
  readonly share: number;
  /** Share of wrong worked conversations where the configuration's noise is 1. */
  readonly noise: number;
}

interface PretrainRecipe {
  readonly config: RunConfigInput & { readonly steps: number; readonly task: string };
  /** The tasks of the mixture; the configuration's own task alone where there is none. */
  readonly tasks?: readonly PretrainedTask[];
}

/** What the checkpoints have in common. */
export const SMALL = {
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
  learningRate: 3e-3,
  schedule: "cosine",
  warmupSteps: 100,
  finalLearningRateShare: 0.05,
  weightDecay: 0.01,
  beta2: 0.98,
  seed: 1,
} as const satisfies RunConfigInput;

/**
 * These go on from the one that can do sums. What has names to copy begins with random weights: attention that has
 * settled on sums does not learn it.
 */
const CONVERSATIONS = {
  ...SMALL,
  startFrom: "checkpoint",
  checkpoint: "base",
  demonstrationsPerStep: 32,
} as const satisfies RunConfigInput;

/**
 * Mistakes from a step on, in four parts: all at once they undo what was learnt, since the optimizer's variance is that
 * of a policy that is nearly done.
 */
function risingNoise(afterStep: number, every: number): RunConfigInput["changes"] {
  return [0.25, 0.5, 0.75, 1].map((demonstrationNoise, part) => ({
    afterStep: afterStep + part * every,
    settings: { demonstrationNoise },
  }));
}

export const pretrainRecipes: Readonly<Record<string, PretrainRecipe>> = {
  base: {
    config: {
      ...SMALL,
      task: "boxed-arithmetic",
      steps: 7500,
      changes: [{ afterStep: 5700, settings: { demonstrationNoise: 0.74 } }],
    },
  },
  tools: {
    config: {
      ...CONVERSATIONS,
      task: "calculator",
      steps: 3500,
      changes: [{ afterStep: 2800, settings: { demonstrationNoise: 1 } }],
    },
    tasks: [
      { task: "calculator", share: 2, noise: 0.75 },
      { task: "router", taskOptions: { skill: 0.7 }, share: 2, noise: 0.6 },
      { task: "question-answering", share: 1, noise: 0.75 },
    ],
  },
  search: {
    config: {
      ...SMALL,
      task: "search",
      demonstrationsPerStep: 32,
      steps: 3500,
      changes: [{ afterStep: 2800, settings: { demonstrationNoise: 1 } }],
    },
    // With less searching and more reading it had not learnt to search after 15 million tokens.
    tasks: [
      { task: "search", share: 3, noise: 0.4 },
      { task: "router", taskOptions: { skill: 0.7 }, share: 1, noise: 0.6 },
      { task: "question-answering", share: 2, noise: 0.7 },
      { task: "repeat-names", share: 0.5, noise: 0.5 },
    ],
  },
  reading: {
    config: {
      ...SMALL,
      task: "question-answering",
      // Narrower ones copy some name of the text; which one, they had not learnt after as many tokens.
      hiddenSize: 128,
      intermediateSize: 352,
      learningRate: 2e-3,
      demonstrationsPerStep: 48,
      steps: 6000,
      changes: risingNoise(4000, 300),
    },
    // Few facts are learnt to be told apart before many are.
    tasks: [
      { task: "question-answering", share: 2.5, noise: 0.3 },
      { task: "question-answering", taskOptions: { facts: 3 }, share: 1, noise: 0.3 },
      { task: "question-answering", taskOptions: { facts: 2 }, share: 1.5, noise: 0.4 },
      { task: "repeat-names", share: 1, noise: 0.3 },
    ],
  },
  puzzles: {
    config: {
      ...SMALL,
      task: "sort-numbers",
      demonstrationsPerStep: 48,
      steps: 3500,
      changes: [{ afterStep: 2900, settings: { demonstrationNoise: 1 } }],
    },
    tasks: [
      { task: "reverse-word", share: 1, noise: 0.75 },
      { task: "sort-numbers", share: 1, noise: 0.75 },
      { task: "count-letters", share: 1, noise: 0.75 },
      { task: "gcd", share: 1, noise: 0.75 },
      { task: "grid-world", share: 1.5, noise: 0.75 },
      { task: "guess-word", share: 1.5, noise: 0.75 },
    ],
  },
  numbers: {
    config: {
      ...CONVERSATIONS,
      checkpoint: "tools",
      task: "countdown",
      demonstrationsPerStep: 48,
      steps: 4500,
      changes: risingNoise(3300, 200),
    },
    tasks: [
      { task: "countdown", share: 2, noise: 0.18 },
      { task: "countdown", taskOptions: { numbers: 2, largest: 25 }, share: 1, noise: 0.7 },
      { task: "guess-number", share: 1, noise: 0.7 },
    ],
  },
  words: {
    config: {
      ...SMALL,
      task: "guess-word",
      // Which words are still possible takes depth: four layers win no more often than by chance.
      hiddenSize: 128,
      layers: 6,
      intermediateSize: 352,
      learningRate: 1.5e-3,
      demonstrationsPerStep: 64,
      steps: 6000,
      changes: risingNoise(4400, 300),
    },
    tasks: [
      { task: "guess-word", share: 3, noise: 0.75 },
      { task: "guess-word", taskOptions: { words: 4 }, share: 1.5, noise: 0.75 },
      { task: "reverse-word", share: 0.5, noise: 0.6 },
    ],
  },
  games: {
    config: {
      ...CONVERSATIONS,
      checkpoint: "tools",
      task: "countdown",
      steps: 2400,
      changes: [{ afterStep: 1900, settings: { demonstrationNoise: 1 } }],
    },
    tasks: [
      { task: "guess-number", share: 1, noise: 0.85 },
      { task: "countdown", taskOptions: { numbers: 2, largest: 25 }, share: 2, noise: 0.75 },
      { task: "tic-tac-toe", share: 1.5, noise: 0.75 },
    ],
  },
  agents: {
    config: {
      ...CONVERSATIONS,
      task: "checked-arithmetic",
      demonstrationsPerStep: 40,
      demonstrationNoise: 0.16,
      steps: 2000,
      changes: [{ afterStep: 1600, settings: { demonstrationNoise: 0.6 } }],
    },
  },
};
