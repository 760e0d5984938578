// Several turns with a hint after each: the smallest environment of its kind.
import source from "../../../examples/templates/guessByHints.ts?raw";
import type { Template } from "./template.ts";

export const guessByHints: Template = {
  id: "guess-by-hints",
  title: "Guess by hints",
  summary: "Three turns of guessing a number from 1 to 9, each answered with higher or lower.",
  lookFor: "Where first guesses lie, and whether later ones follow the hint.",
  measured: "Measured, three seeds: games that are won go from 16 to 24 % to 27 to 32 % in 40 steps.",
  config: {
    task: "guess-by-hints",
    algorithm: "grpo",
    checkpoint: "games",
    maxCompletionTokens: 16,
    promptsPerStep: 8,
    groupSize: 8,
    steps: 40,
    learningRate: 3e-4,
    klCoef: 0,
    evalEvery: 20,
    evalProblems: 24,
    evalSamples: 4,
    customTasks: { "guess-by-hints": { title: "Guess by hints", environment: { source, turns: 3, calls: 0 } } },
  },
};
