// The charts of a run, in the order they are shown: a registry. Adding one is adding an entry.
import { type AnySurrogate, surrogates } from "../../../rl/surrogates/index.ts";
import type { ChartSpec } from "./chartSpec.ts";

/** What holds for a chart that says nothing else. */
const USUAL = { unit: "", word: null, source: "steps", baseline: null, kinds: ["reinforcement"], include: [], format: "measure" } as const;
const BOTH = ["reinforcement", "supervised"] as const;
/** A share on an axis that shows all that is possible. */
const FROM_0_TO_1 = { include: [0, 1], format: "share" } as const;

const ENTRIES: readonly (Omit<ChartSpec, keyof typeof USUAL> & Partial<ChartSpec>)[] = [
  {
    id: "reward",
    title: "Reward",
    help: "Mean reward of the completions sampled in each step, against the untrained and the starting policy.",
    word: "reward",
    metrics: [{ key: "reward", label: "reward" }],
    baseline: "meanReward",
  },
  {
    id: "supervised-loss",
    title: "Loss",
    unit: "nats per token",
    help: "Mean negative log-likelihood of the worked examples, per trained token.",
    word: "loss",
    metrics: [{ key: "loss", label: "loss" }],
    kinds: ["supervised"],
  },
  {
    id: "evaluation",
    title: "Evaluation accuracy",
    help: "Held-out problems answered right, by sampling and greedily, with 95 % intervals; pass@k is the chance that one of k samples is right.",
    word: "evaluation",
    source: "evaluations",
    metrics: [
      { key: "sampledAccuracy", label: "sampled" },
      { key: "greedyAccuracy", label: "greedy" },
      { key: "passAtK", label: "pass@k" },
    ],
    baseline: "accuracy",
    kinds: BOTH,
    ...FROM_0_TO_1,
  },
  {
    id: "kl",
    title: "KL to reference",
    unit: "nats",
    help: "How far the policy has moved away from the frozen reference, per token.",
    word: "kl",
    metrics: [{ key: "kl", label: "KL" }],
  },
  {
    id: "entropy",
    title: "Entropy",
    unit: "nats",
    help: "How uncertain the policy is, per sampled token. A fall to 0 means it has stopped exploring.",
    word: "entropy",
    metrics: [{ key: "entropy", label: "entropy" }],
  },
  {
    id: "clip-fraction",
    title: "Clip fraction",
    help: "Share of tokens whose push was clipped. It is always 0 when each batch is used once.",
    word: "clip",
    metrics: surrogates.flatMap(({ heldShare }: AnySurrogate) => heldShare ?? []),
    format: "share",
  },
  {
    id: "gradient-norm",
    title: "Gradient norm",
    help: "Global norm of the gradient before clipping; where its parts are measured separately, they are measured before the update.",
    word: "gradient-norm",
    metrics: [
      { key: "grad_norm", label: "norm" },
      { key: "grad_norm/policy", label: "policy" },
      { key: "grad_norm/kl", label: "KL" },
      { key: "grad_norm/entropy", label: "entropy" },
      { key: "grad_norm/value", label: "value" },
    ],
    kinds: BOTH,
  },
  {
    id: "zero-spread",
    title: "Groups without spread",
    help: "Share of groups whose rewards are all equal: their advantages are 0 and they teach nothing.",
    word: "tied-group",
    metrics: [{ key: "frac_reward_zero_std", label: "zero spread" }],
    ...FROM_0_TO_1,
  },
  {
    id: "mismatch",
    title: "Sampler and trainer",
    unit: "nats per token",
    help: "KL of the program that sampled to the one that trained, by the estimators k3 and k1. With equal weights it is what they compute differently.",
    word: "trainer-gap",
    metrics: [
      { key: "sampling/mismatch_kl", label: "k3" },
      { key: "sampling/mismatch_k1", label: "k1" },
      { key: "sampling/log_ratio/mean", label: "log-ratio" },
    ],
    ifReported: true,
  },
  {
    id: "explained-variance",
    title: "Explained variance",
    help: "Share of the returns' variance that the critic predicts: 1 is all of it, 0 is no better than guessing the mean, below 0 is worse.",
    word: "explained-variance",
    metrics: [{ key: "value/explained_variance", label: "explained" }],
    needsCritic: true,
    include: [0, 1],
    // Where returns are nearly equal, as at the end of a solved task, it falls to minus hundreds.
    floor: -1,
  },
  {
    id: "value-loss",
    title: "Value loss",
    help: "Squared error of the critic's values against the returns, measured in training.",
    word: "critic",
    metrics: [{ key: "loss/value", label: "value loss" }],
    needsCritic: true,
  },
  {
    id: "completion-length",
    title: "Completion length",
    unit: "tokens",
    help: "Mean number of sampled tokens in a completion.",
    word: "completion",
    metrics: [{ key: "completions/mean_length", label: "length" }],
    format: "number",
  },
  {
    id: "turns",
    title: "Turns and calls",
    help: "Mean number of turns the policy took in a conversation, and of calls it made of tools and experts.",
    word: "turn",
    metrics: [
      { key: "env/turns", label: "turns" },
      { key: "env/calls", label: "tool calls" },
      { key: "env/route_count", label: "expert calls" },
    ],
    format: "number",
    ifReported: true,
  },
  {
    id: "tool-errors",
    title: "Tool errors",
    help: "Share of tool calls that could not be read or carried out, in the conversations with calls.",
    word: "tool",
    metrics: [{ key: "env/tool_error_rate", label: "errors" }],
    ifReported: true,
    ...FROM_0_TO_1,
  },
  {
    id: "cost",
    title: "Cost",
    help: "Mean price of the questions that a conversation asked experts.",
    word: "expert",
    metrics: [{ key: "env/cost", label: "cost" }],
    format: "number",
    ifReported: true,
  },
  {
    id: "agents",
    title: "Reward of each agent",
    help: "Mean reward of the solver's last answer and of the checker's verdicts, and how often the first answer was already right.",
    word: "agent",
    metrics: [
      { key: "env/solver_reward", label: "solver" },
      { key: "env/checker_reward", label: "checker" },
      { key: "env/first_accuracy", label: "first answer" },
    ],
    ifReported: true,
    ...FROM_0_TO_1,
  },
  {
    id: "won",
    title: "Games won",
    help: "Mean score at the end of a game: 1 for a win, less for any other end.",
    word: "environment",
    metrics: [{ key: "env/won", label: "won" }],
    ifReported: true,
    ...FROM_0_TO_1,
  },
  {
    id: "judge-time",
    title: "Time of the judges",
    unit: "s",
    help: "Seconds of each step that all judges together took to read its conversations.",
    word: "judge",
    metrics: [{ key: "judge/seconds", label: "judging" }],
    format: "number",
    ifReported: true,
  },
  {
    id: "judge-known",
    title: "Verdicts known already",
    help: "Share of the judges' questions that had been asked before in the same words. Their verdicts are kept and used again.",
    word: "judge",
    metrics: [{ key: "judge/cached", label: "known" }],
    ifReported: true,
    ...FROM_0_TO_1,
  },
  {
    id: "judge-tokens",
    title: "Tokens read by judges",
    unit: "tokens",
    help: "Tokens that the judges computed in a step for questions that were new.",
    word: "judge",
    metrics: [{ key: "judge/tokens", label: "tokens" }],
    format: "number",
    ifReported: true,
  },
  {
    id: "learning-rate",
    title: "Learning rate",
    help: "Step size of the optimizer after warm-up and schedule.",
    word: "learning-rate",
    metrics: [{ key: "learning_rate", label: "learning rate" }],
    kinds: BOTH,
    exact: true,
    format: "number",
  },
  {
    id: "throughput",
    title: "Throughput",
    unit: "tokens/s",
    help: "Tokens sampled per second of sampling, and tokens trained on per second of the update.",
    word: "token",
    metrics: [
      { key: "perf/sample_tokens_per_second", label: "sampling" },
      { key: "perf/train_tokens_per_second", label: "training" },
    ],
    format: "number",
    kinds: BOTH,
  },
  {
    id: "memory",
    title: "Memory",
    unit: "bytes",
    help: "Memory of the training process at the end of each step. A page cannot measure this for itself.",
    metrics: [{ key: "resources/memory_bytes", label: "memory" }],
    format: "number",
    kinds: BOTH,
    ifReported: true,
  },
  {
    id: "processor-time",
    title: "Processor time",
    unit: "s",
    help: "Processor time used by the end of each step, in seconds, summed over all cores.",
    metrics: [{ key: "resources/cpu_seconds", label: "processor time" }],
    format: "number",
    kinds: BOTH,
    ifReported: true,
  },
];

export const CHARTS: readonly ChartSpec[] = ENTRIES.map((entry) => ({ ...USUAL, ...entry }));

/** What a metric is called where it stands alone: as its line in the charts, else by its own words. */
export function metricLabel(key: string): string {
  const metric = CHARTS.flatMap(({ metrics }) => metrics).find((each) => each.key === key);
  return metric?.label ?? key.replace(/^.*\//, "").replaceAll("_", " ");
}

/** The charts that mean something for a kind of run, with or without a critic. */
export function chartsFor(kind: ChartSpec["kinds"][number], hasCritic = false): readonly ChartSpec[] {
  return CHARTS.filter(({ kinds, needsCritic }) => kinds.includes(kind) && (hasCritic || !needsCritic));
}
