// TRL's PPO and RLOO trainers, and open-instruct, which began as them. Their KL is a sum over an answer, so it is not taken for one of a
// token.
import type { LogProgram } from "../log.ts";

export const trlPpo: LogProgram = {
  id: "trl-ppo",
  title: "TRL's PPO and RLOO, open-instruct",
  marks: [/^objective\/(?:scores|rlhf_reward|kl|verifiable_correct_rate)$/, /^policy\/approxkl_avg$/, /^val\/num_eos_tokens$/],
  steps: ["step", "training_step", "global_step", "episode", "_step", "Step"],
  names: [
    { from: "objective/scores", to: "reward", says: "before any KL is taken off" },
    { from: "objective/rlhf_reward", to: "reward", says: "with the KL taken off" },
    { from: "objective/verifiable_correct_rate", to: "success_rate" },
    { from: "objective/kl", to: "kl/answer", says: "a sum over the answer, not a mean of its tokens" },
    { from: "objective/kl_avg", to: "kl/answer", says: "a sum over the answer, not a mean of its tokens" },
    { from: "objective/entropy", to: "entropy/answer", says: "a sum over the answer, not a mean of its tokens" },
    { from: "policy/entropy_avg", to: "entropy" },
    { from: "policy/approxkl_avg", to: "approx_kl", says: "between the sampling policy and the updated one" },
    { from: "policy/clipfrac_avg", to: "clip_ratio/region_mean" },
    { from: "loss/policy_avg", to: "loss/policy", says: "without the KL term" },
    { from: "val/sequence_lengths", to: "completions/mean_length" },
    { from: "lr", to: "learning_rate" },
  ],
};
