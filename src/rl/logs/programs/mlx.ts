// mlx-lm's GRPO: lines of an iteration, whose names have spaces, a mean and a spread for each part of the reward.
import type { LogProgram } from "../log.ts";

export const mlx: LogProgram = {
  id: "mlx",
  title: "mlx-lm",
  marks: [/^Grouped rewards (?:mean|std)$/, /^Total rewards mean$/],
  steps: ["Iter", "step"],
  names: [
    { from: "Train loss", to: "loss" },
    { from: "Total rewards mean", to: "reward" },
    { from: "Grouped rewards std", to: "reward_std" },
    { from: "KL", to: "kl" },
    { from: "Learning Rate", to: "learning_rate" },
    { from: /^(?!Total|Grouped|Val )(\w+) (mean|std)$/, to: "rewards/$1/$2" },
    { from: /^Val (.+)$/, to: "eval/$1", says: "of held-out prompts" },
  ],
  settings: { groupSize: "--group-size", klCoef: "--beta", maxCompletionTokens: "--max-completion-length" },
};
