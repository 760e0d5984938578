// One tool and an answer: the shipped weights that know tools learn to write the call as it must be.
import source from "../../../examples/templates/askCalculator.ts?raw";
import type { Template } from "./template.ts";

export const askCalculator: Template = {
  id: "ask-calculator",
  title: "A calculator to ask",
  summary: "A tool that the model may call, and an answer that is paid for when it is right.",
  lookFor: "How many calls are written wrongly, and whether what the calculator says is copied into the answer.",
  measured: "Measured, three seeds: right answers go from 30 to 36 % to 88 to 98 % in 30 steps.",
  config: {
    task: "ask-calculator",
    algorithm: "grpo",
    checkpoint: "tools",
    maxCompletionTokens: 48,
    promptsPerStep: 8,
    groupSize: 8,
    steps: 30,
    learningRate: 3e-4,
    klCoef: 0,
    evalEvery: 15,
    evalProblems: 16,
    evalSamples: 4,
    customTasks: { "ask-calculator": { title: "A calculator to ask", environment: { source, turns: 4, calls: 3, announceTools: false } } },
  },
};
