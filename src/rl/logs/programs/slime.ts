// slime, and what stands on it: dictionaries of the trainer's step, of a rollout and of its speed.
import type { LogProgram } from "../log.ts";

export const slime: LogProgram = {
  id: "slime",
  title: "slime",
  marks: [
    /^train\/train_rollout_logprob_abs_diff$/,
    /^train\/pg_clipfrac$/,
    /^rollout\/(?:raw_reward|truncated_ratio|zero_std)/,
    /^train\/lr-pg_/,
  ],
  steps: ["train/step", "rollout/step", "step", "_step", "Step"],
  names: [
    { from: "rollout/raw_reward", to: "reward" },
    { from: "rollout/rewards", to: "advantages/mean", says: "rewards, the mean of their group taken off" },
    { from: "train/loss", to: "loss" },
    { from: "train/pg_loss", to: "loss/policy", says: "without the KL and entropy terms" },
    { from: "train/kl_loss", to: "kl", says: "the estimate that the loss holds, in nats a token" },
    { from: "train/entropy_loss", to: "entropy", says: "the entropy itself, not its part of the loss" },
    { from: "train/ppo_kl", to: "approx_kl", says: "between the sampling policy and the updated one" },
    { from: "train/pg_clipfrac", to: "clip_ratio/region_mean" },
    { from: "train/grad_norm", to: "grad_norm" },
    { from: /^train\/lr-pg_\d+$/, to: "learning_rate" },
    { from: "train/train_rollout_logprob_abs_diff", to: "sampling/sampling_logp_difference/mean" },
    { from: "rollout/response_len/mean", to: "completions/mean_length" },
    { from: "rollout/response_lengths", to: "completions/mean_length" },
    { from: "rollout/response_len/max", to: "completions/max_length" },
    { from: "rollout/response_len/min", to: "completions/min_length" },
    { from: "rollout/truncated_ratio", to: "completions/clipped_ratio" },
    { from: "rollout/truncated", to: "completions/clipped_ratio" },
  ],
  settings: {
    groupSize: "--n-samples-per-prompt",
    promptsPerStep: "--rollout-batch-size",
    klCoef: "--kl-loss-coef",
    maxCompletionTokens: "--rollout-max-response-len",
  },
};
