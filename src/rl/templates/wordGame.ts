// Rhymes in turns: a word game of three rounds, in which what was said before counts.
import source from "../../../examples/templates/wordGame.ts?raw";
import type { Template } from "./template.ts";

export const wordGame: Template = {
  id: "word-game",
  title: "Rhyming in turns",
  summary: "A word game of three turns: each name must rhyme with the one before, and none may come twice.",
  lookFor:
    "First the name is said again and the game is over: for some eight steps nothing is earned. Then one rhyme is found. With some seeds it stays at one, with others a second and a third follow.",
  measured: "Measured, three seeds: the reward goes from nearly 0 to 0.29, 0.64 and 0.73 in 40 steps; one rhyme of three earns 0.33.",
  config: {
    task: "word-game",
    algorithm: "grpo",
    checkpoint: "reading",
    maxCompletionTokens: 12,
    promptsPerStep: 8,
    groupSize: 16,
    steps: 40,
    learningRate: 1e-3,
    klCoef: 0,
    evalEvery: 20,
    evalProblems: 16,
    evalSamples: 4,
    customTasks: { "word-game": { title: "Rhyming in turns", environment: { source, turns: 3, calls: 0 } } },
  },
};
