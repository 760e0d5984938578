// Names and meaning of every metric of a step, for charts and documentation. The numbers come from the
// functions in metrics/. TRL's names are kept where it has one; "better" says which way is good news,
// null where neither is by itself.

export { completionMetrics } from "./metrics/completionMetrics.ts";
export { lossMetrics } from "./metrics/lossMetrics.ts";
export { type RewardBatch, rewardMetrics } from "./metrics/rewardMetrics.ts";
export { advantageMetrics, samplingMetrics, valueMetrics } from "./metrics/tokenMetrics.ts";

export interface MetricEntry {
  /** Key in a step's metrics; "<part>" stands for a reward's name, "<phase>" for a phase's. */
  readonly key: string;
  readonly title: string;
  readonly unit: "" | "nats" | "tokens" | "tokens/s" | "s" | "share" | "reward";
  readonly help: string;
  readonly better: "up" | "down" | null;
}

type Row = readonly [key: string, title: string, unit: MetricEntry["unit"], better: MetricEntry["better"], help: string];

const ROWS: readonly Row[] = [
  ["reward", "Reward", "reward", "up", "Mean weighted reward of the step's completions."],
  ["reward_std", "Reward deviation", "reward", null, "Standard deviation of rewards over the whole batch."],
  [
    "reward/group_std",
    "Spread within groups",
    "reward",
    null,
    "Mean standard deviation within a group: what group-relative advantages live on.",
  ],
  ["rewards/<part>/mean", "Reward part", "reward", "up", "Mean of one reward part before weighting."],
  ["rewards/<part>/std", "Reward part deviation", "reward", null, "Standard deviation of one reward part over the batch."],
  ["success_rate", "Success", "share", "up", "Share of completions that solve their problem, whatever the reward weights."],
  ["unscorable_ratio", "Unscorable", "share", "down", "Share of completions that no reward could judge."],
  ["frac_reward_zero_std", "Groups without spread", "share", "down", "Share of groups whose rewards are all equal: they teach nothing."],
  ["groups/all_right", "All right", "share", null, "Share of groups in which every completion is right."],
  ["groups/all_wrong", "All wrong", "share", "down", "Share of groups in which every completion is wrong."],
  ["groups/mixed", "Mixed", "share", "up", "Share of groups with right and wrong completions."],
  ["advantages/mean", "Advantage", "", null, "Mean advantage of trained tokens; near 0 with a baseline."],
  ["advantages/std", "Advantage deviation", "", null, "Standard deviation of token advantages."],
  ["advantages/min", "Lowest advantage", "", null, "Smallest token advantage."],
  ["advantages/max", "Highest advantage", "", null, "Largest token advantage."],
  ["loss", "Loss", "", null, "What is minimised. It starts near 0 by construction and need not fall while the policy improves."],
  ["policy_loss", "Loss before entropy", "", null, "The loss without the entropy bonus, KL included."],
  ["loss/policy", "Policy loss", "", null, "The surrogate's part of the loss."],
  ["loss/kl", "KL loss", "", null, "β times the KL to the reference, where it is in the loss."],
  ["loss/entropy", "Entropy loss", "", null, "Minus the entropy bonus."],
  ["loss/value", "Value loss", "", "down", "The critic's weighted squared error."],
  ["kl", "KL to reference", "nats", null, "Mean estimated divergence from the reference per trained token."],
  ["kl_coef", "KL weight", "", null, "β in force; moves under the adaptive controller."],
  ["entropy", "Entropy", "nats", null, "Mean entropy of the policy at trained tokens; near 0 it no longer explores."],
  ["entropy_coef", "Entropy weight", "", null, "Entropy bonus in force; moves under the adaptive controller."],
  ["approx_kl", "KL to sampler", "nats", null, "Mean of old minus new log-prob: how far the update has moved (k1)."],
  ["approx_kl_k3", "KL to sampler (k3)", "nats", null, "The same by the k3 estimator, never negative."],
  ["ratio/mean", "Ratio", "", null, "Mean importance ratio; 1 in the first optimizer step."],
  ["ratio/min", "Lowest ratio", "", null, "Smallest importance ratio."],
  ["ratio/max", "Highest ratio", "", null, "Largest importance ratio."],
  [
    "dropped_ratio",
    "Masked by objective",
    "share",
    null,
    "Share of trained tokens that the top-entropy or off-policy mask leaves without policy gradient.",
  ],
  ["clip_ratio/low_mean", "Clipped low", "share", null, "Share of tokens with A < 0 and a ratio under 1 - ε."],
  ["clip_ratio/low_min", "Clipped low, least", "share", null, "Smallest such share in one completion."],
  ["clip_ratio/high_mean", "Clipped high", "share", null, "Share of tokens with A > 0 and a ratio over 1 + ε."],
  ["clip_ratio/high_max", "Clipped high, most", "share", null, "Largest such share in one completion."],
  ["clip_ratio/region_mean", "Clipped", "share", null, "Share of tokens clipped on either side: they get no policy gradient."],
  [
    "clip_ratio/outer_mean",
    "Held by δ or dual clip",
    "share",
    null,
    "Share of tokens with A < 0 held by the two-sided bound or the dual clip.",
  ],
  ["cispo_clip_ratio", "Capped weights", "share", null, "Share of tokens with A > 0 whose weight CISPO caps."],
  ["vespo/phi_seq_mean", "VESPO weight", "", null, "Mean weight φ of a completion; 1 on policy."],
  ["value/mean", "Value", "reward", null, "Mean prediction of the critic."],
  ["value/return_mean", "Return", "reward", "up", "Mean of what the critic should have predicted."],
  [
    "value/explained_variance",
    "Explained variance",
    "share",
    "up",
    "Share of the returns' variance the critic foresees; 0 is no better than the mean.",
  ],
  ["value/clip_ratio", "Clipped values", "share", null, "Share of tokens where the value clip decides."],
  [
    "sampling/sampling_logp_difference/mean",
    "Sampler gap",
    "nats",
    "down",
    "Mean absolute difference of sampled and training log-probs before the update.",
  ],
  ["sampling/sampling_logp_difference/max", "Largest sampler gap", "nats", "down", "Largest such difference."],
  ["sampling/importance_sampling_ratio/min", "Lowest sampler ratio", "", null, "Smallest exp(train - sampled log-prob)."],
  ["sampling/importance_sampling_ratio/mean", "Sampler ratio", "", null, "Mean of the same."],
  ["sampling/importance_sampling_ratio/max", "Highest sampler ratio", "", null, "Largest of the same."],
  ["completions/mean_length", "Length", "tokens", null, "Mean tokens of a completion."],
  ["completions/min_length", "Shortest", "tokens", null, "Shortest completion."],
  ["completions/max_length", "Longest", "tokens", null, "Longest completion."],
  ["completions/mean_terminated_length", "Length, finished", "tokens", null, "Mean length of completions that ended by themselves."],
  ["completions/min_terminated_length", "Shortest, finished", "tokens", null, "Shortest of those."],
  ["completions/max_terminated_length", "Longest, finished", "tokens", null, "Longest of those."],
  ["completions/clipped_ratio", "Cut off", "share", "down", "Share of completions ended by the length limit."],
  ["grad_norm", "Gradient norm", "", null, "Global norm of the gradient before clipping."],
  [
    "grad_norm/policy",
    "Gradient norm, policy",
    "",
    null,
    "Norm of the surrogate's gradient alone, before the step's first optimizer step.",
  ],
  ["grad_norm/kl", "Gradient norm, KL", "", null, "Norm of the gradient of the KL in the loss alone."],
  ["grad_norm/entropy", "Gradient norm, entropy", "", null, "Norm of the entropy bonus's gradient alone."],
  ["grad_norm/value", "Gradient norm, value", "", null, "Norm of the value loss's gradient alone, where critic and policy share a trunk."],
  ["learning_rate", "Learning rate", "", null, "Step size in force."],
  ["num_tokens", "Tokens seen", "tokens", null, "Tokens of prompts and completions processed since the start."],
  ["sampling/extra_groups", "Refilled groups", "", "down", "Groups sampled beyond the step's own to replace those with equal rewards."],
  ["perf/sample_tokens_per_second", "Sampling speed", "tokens/s", "up", "Completion tokens sampled per second."],
  ["perf/train_tokens_per_second", "Training speed", "tokens/s", "up", "Token rows through forward and backward per second."],
  ["step_time", "Step time", "s", "down", "Wall time of the whole step."],
  ["time/<phase>", "Phase time", "s", "down", "Wall time of one phase of the step."],
];

/** Every metric a step may carry, in the order charts and documentation list them. */
export const metricCatalog: readonly MetricEntry[] = ROWS.map(([key, title, unit, better, help]) => ({ key, title, unit, better, help }));

const PLACEHOLDER = /<\w+>/;

/** The entry of a metric key ("rewards/format/mean" finds "rewards/<part>/mean"); null for an unknown key. */
export function metricEntry(key: string): MetricEntry | null {
  const exact = metricCatalog.find((entry) => entry.key === key);
  if (exact) return exact;
  const matches = (pattern: string) => {
    const [before = "", after = ""] = pattern.split(PLACEHOLDER);
    return key.length > before.length + after.length && key.startsWith(before) && key.endsWith(after);
  };
  return metricCatalog.find((entry) => PLACEHOLDER.test(entry.key) && matches(entry.key)) ?? null;
}
