// Presets that start from the checkpoints of conversations: each knows the form of its task and only
// sometimes what to say. Their steps are small, so that a run takes minutes where it computes on WASM.
import type { PresetEntry } from "../protocol/catalog.ts";
import type { RunConfigInput } from "../protocol/config.ts";

const group = "Conversations";

/** Without a KL penalty nothing is scored by the reference. */
const SHORT_RUN = {
  algorithm: "grpo",
  steps: 40,
  promptsPerStep: 16,
  groupSize: 8,
  learningRate: 5e-4,
  klCoef: 0,
  measureUpdate: false,
  evalEvery: 40,
} as const satisfies RunConfigInput;

export const conversationPresets: readonly PresetEntry[] = [
  {
    id: "calculator",
    title: "Calculator",
    summary: "The policy can call a calculator, but often mistypes what it copies. Only the answer is rewarded.",
    group,
    config: { ...SHORT_RUN, task: "calculator", taskOptions: { operations: 1 } },
  },
  {
    id: "tic-tac-toe",
    title: "Tic-tac-toe",
    summary: "The policy knows how to move and mostly plays to lose. It soon settles on one line of play that beats most opponents.",
    group,
    config: { ...SHORT_RUN, task: "tic-tac-toe", steps: 30, evalEvery: 30 },
  },
];
