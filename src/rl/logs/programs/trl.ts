// TRL's GRPOTrainer and what stands on it (Unsloth, open-r1, ms-swift). This lab's own metrics have the same names, so that its
// files are read by this table too. Releases before 0.17 called some of them otherwise.
import type { LogProgram } from "../log.ts";

export const trl: LogProgram = {
  id: "trl",
  title: "TRL (and Unsloth, open-r1, ms-swift, this lab)",
  marks: [
    /^(?:train\/)?reward_std$/,
    /^(?:train\/)?frac_reward_zero_std$/,
    /^(?:train\/)?completions\//,
    /^(?:train\/)?completion_length$/,
  ],
  steps: ["step", "Step", "global_step", "train/global_step", "_step", "trainer/global_step", "global_step/max_steps"],
  names: [
    { from: /^train\/(?!global_step)(.+)$/, to: "$1", says: "Weights & Biases and TensorBoard put train/ before it." },
    { from: "Training Loss", to: "loss" },
    { from: "completion_length", to: "completions/mean_length", says: "the older name" },
    { from: "mean_length", to: "completions/mean_length" },
    { from: "mean_terminated_length", to: "completions/mean_terminated_length" },
    { from: "clipped_ratio", to: "completions/clipped_ratio" },
    { from: "reward_mean", to: "reward" },
    { from: "clip_ratio", to: "clip_ratio/region_mean", says: "the older name: the share of clipped tokens" },
    { from: /^rewards\/([^/]+)$/, to: "rewards/$1/mean", says: "the older name: its mean" },
    { from: /^rewards\/.+\/(?:mean|std)$/, to: "$&" },
    {
      from: /^(?:loss|policy_loss|reward|reward_std|frac_reward_zero_std|kl|entropy|grad_norm|learning_rate|success_rate|unscorable_ratio|kl_coef|entropy_coef)$/,
      to: "$&",
    },
    {
      from: /^(?:completions|clip_ratio|sampling|advantages|groups|update|ratio|reward(?!\/mean$)|loss|value|eval)\/.+$/,
      to: "$&",
    },
    { from: /^eval_(.+)$/, to: "eval/$1", says: "of held-out prompts" },
  ],
};
