// prime-rl: the lines its trainer and its orchestrator end a step with, and the names it sends to Weights & Biases.
import type { LogProgram } from "../log.ts";

export const primeRl: LogProgram = {
  id: "prime-rl",
  title: "prime-rl",
  marks: [/^Mismatch KL$/i, /^mismatch_kl\//, /^Grad\. Norm$/i, /^Async Level$/i, /^(?:Max\. )?Off-Policy Level$/i],
  steps: ["step", "_step", "Step"],
  names: [
    { from: "Reward", to: "reward" },
    { from: "reward/mean", to: "reward" },
    { from: "reward/all/mean", to: "reward" },
    { from: "Loss", to: "loss" },
    { from: "loss/mean", to: "loss" },
    { from: "Entropy", to: "entropy" },
    { from: "entropy/mean", to: "entropy" },
    { from: /^Grad(?:\.|ient)? Norm$/i, to: "grad_norm" },
    { from: "optim/grad_norm", to: "grad_norm" },
    { from: "LR", to: "learning_rate" },
    { from: "optim/lr", to: "learning_rate" },
    { from: /^Seq(?:\.|uence) Length$/i, to: "completions/mean_length", says: "prompt and answer together" },
    { from: "seq_len/mean", to: "completions/mean_length", says: "prompt and answer together" },
    { from: "is_truncated/mean", to: "completions/clipped_ratio" },
    { from: /^Truncated$/i, to: "completions/clipped_ratio" },
    { from: "batch/solve_none", to: "groups/all_wrong" },
    { from: "batch/solve_all", to: "groups/all_right" },
    {
      from: "batch/effective_batch_size",
      to: "frac_reward_zero_std",
      turn: (mixed) => 1 - mixed,
      says: "1 less the share of mixed groups",
    },
    { from: /^Mismatch KL$/i, to: "sampling/mismatch_kl", says: "between sampler and trainer, in nats a token" },
    { from: "mismatch_kl/mean", to: "sampling/mismatch_kl", says: "between sampler and trainer, in nats a token" },
  ],
  settings: { groupSize: "rollouts_per_example", maxCompletionTokens: "max_tokens" },
};
