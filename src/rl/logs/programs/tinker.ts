// The Tinker cookbook's metrics.jsonl: names of all environments, or of one tag.
import type { LogProgram } from "../log.ts";

export const tinker: LogProgram = {
  id: "tinker",
  title: "Tinker cookbook",
  marks: [/^env\/[^/]+\/reward\/total$/, /^optim\/kl_sample_train/, /^progress\/batch$/],
  steps: ["step", "progress/batch", "_step", "Step"],
  names: [
    { from: "env/all/reward/total", to: "reward" },
    {
      from: "env/all/by_group/frac_mixed",
      to: "frac_reward_zero_std",
      turn: (mixed) => 1 - mixed,
      says: "1 less the share of mixed groups",
    },
    { from: "env/all/by_group/frac_all_good", to: "groups/all_right", says: "all earn the same, 0.5 or more" },
    { from: "env/all/by_group/frac_all_bad", to: "groups/all_wrong", says: "all earn the same, less than 0.5" },
    { from: "env/all/correct", to: "success_rate" },
    { from: "env/all/ac_tokens_per_turn", to: "completions/mean_length", says: "of one turn" },
    { from: "optim/entropy", to: "entropy", says: "estimated from the sampler's log-probs" },
    { from: "kl_policy_base", to: "kl", says: "to the base model" },
    { from: "optim/lr", to: "learning_rate" },
    { from: "optim/unclipped_grad_l2:mean", to: "grad_norm" },
    { from: "optim/kl_sample_train_v1", to: "sampling/log_ratio/mean", says: "the signed mean; a difference of signs cancels in it" },
    { from: "optim/kl_sample_train_v2", to: "sampling/half_squared_log_ratio", says: "half the mean square" },
    { from: /^env\/all\/(?!by_group|reward)(.+)$/, to: "rewards/$1/mean", says: "what the environment measures" },
    { from: /^test\/env\/all\/(.+)$/, to: "eval/$1", says: "of held-out problems" },
  ],
  settings: { groupSize: "group_size", promptsPerStep: "groups_per_batch", klCoef: "kl_penalty_coef", maxCompletionTokens: "max_tokens" },
};
