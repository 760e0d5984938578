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
  evalEvery: 10,
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
    id: "search",
    title: "Search",
    summary:
      "Where was the founder of a company born? Two searches lead there. The policy can search and copy, and often follows the wrong name.",
    group,
    config: { ...SHORT_RUN, task: "search" },
  },
  {
    id: "router",
    title: "Router",
    summary: "The policy cannot answer by itself: it has to ask the expert who knows, whatever that costs.",
    group,
    config: { ...SHORT_RUN, task: "router" },
  },
  {
    id: "router-with-cost",
    title: "Router that pays",
    summary:
      "The same, but each question costs some of the reward. The policy learns to ask cheap specialists in the place of the dear expert who knows most.",
    group,
    config: { ...SHORT_RUN, task: "router", taskOptions: { costCoefficient: 0.5 } },
  },
  {
    id: "solver-and-checker",
    title: "Solver and checker",
    summary:
      "One agent does a sum. The other works it out as well, and accepts or refuses it; a refused sum is done again. The checker is not trained, so that it goes on refusing.",
    group,
    config: {
      ...SHORT_RUN,
      task: "checked-arithmetic",
      taskOptions: { frozenStart: "checker" },
      steps: 80,
      evalEvery: 20,
      evalProblems: 256,
    },
  },
  {
    id: "countdown",
    title: "Countdown",
    summary: "Reach a number with two given ones. The policy knows how to write a move and mostly picks the wrong one.",
    group,
    config: { ...SHORT_RUN, task: "countdown", taskOptions: { numbers: 2, largest: 25 }, steps: 120 },
  },
  {
    id: "tic-tac-toe",
    title: "Tic-tac-toe",
    summary: "The policy knows how to move and mostly plays to lose. It soon settles on one way to play that beats most opponents.",
    group,
    config: { ...SHORT_RUN, task: "tic-tac-toe", steps: 30 },
  },
  {
    id: "guess-number",
    title: "Guess a number",
    summary: "Higher or lower? The policy knows how to halve what is left and mostly guesses at random.",
    group,
    config: { ...SHORT_RUN, task: "guess-number", steps: 80 },
  },
  {
    id: "question-answering",
    title: "Question answering",
    summary:
      "Four facts about made-up names and a question about one. The policy copies a name of the text, often another one than was asked for.",
    group,
    config: { ...SHORT_RUN, task: "question-answering", steps: 80 },
  },
];
