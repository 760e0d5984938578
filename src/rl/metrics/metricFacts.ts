// What is known of a run's metrics, a line each: where a value can lie, and whether it belongs to the curves that are looked at
// first. What a save is doubted by and what a short file keeps follow from it; a chart has a metric's label and unit. What
// rewards, environments and tasks call theirs says nothing about its range, so only metrics of the lab's own have one.
import { type AnySurrogate, surrogates } from "../surrogates/index.ts";

export interface MetricFacts {
  readonly key: string;
  /** A share lies from 0 to 1, a spread is at least 0. */
  readonly range?: "share" | "spread";
  /** The metrics that are the least and the most of the same numbers as this mean; null where there is none. */
  readonly between?: readonly [least: string | null, most: string | null];
  /** Curves are drawn of it first. */
  readonly isMain?: true;
}

const main = { isMain: true } as const;
const share = { range: "share" } as const;
const spread = { range: "spread" } as const;
const extremes = (of: string) => ({ key: `${of}/mean`, between: [`${of}/min`, `${of}/max`] }) as const;
const lengths = (of: string) => ({ key: `completions/mean_${of}`, between: [`completions/min_${of}`, `completions/max_${of}`] }) as const;

export const metricFacts: readonly MetricFacts[] = [
  { key: "reward", ...main },
  { key: "success_rate", ...share, ...main },
  { key: "unscorable_ratio", ...share },
  { key: "frac_reward_zero_std", ...share, ...main },
  { key: "groups/all_right", ...share },
  { key: "groups/all_wrong", ...share },
  { key: "groups/mixed", ...share },
  { key: "completions/clipped_ratio", ...share, ...main },
  { key: "dropped_ratio", ...share },
  { key: "value/clip_ratio", ...share },
  ...surrogates.flatMap(({ shares = [] }: AnySurrogate) => shares.map((key) => ({ key, ...share }))),
  { key: "reward_std", ...spread },
  { key: "reward/group_std", ...spread },
  { key: "advantages/std", ...spread },
  extremes("ratio"),
  extremes("advantages"),
  extremes("sampling/importance_sampling_ratio"),
  extremes("sampling/sampling_logp_difference"),
  { ...lengths("length"), ...main },
  lengths("terminated_length"),
  { key: "clip_ratio/low_mean", between: ["clip_ratio/low_min", null] },
  { key: "clip_ratio/high_mean", between: [null, "clip_ratio/high_max"] },
  { key: "clip_ratio/region_mean", ...main },
  ...["kl", "entropy", "loss", "grad_norm", "learning_rate", "step_time"].map((key) => ({ key, ...main })),
  ...["env/turns", "env/tool_error_rate", "env/won"].map((key) => ({ key, ...main })),
];

const mainKeys: ReadonlySet<string> = new Set(metricFacts.flatMap(({ key, isMain }) => (isMain ? [key] : [])));

/** Whether curves are drawn of a metric first: the means of a reward's parts are among them. */
export const isMainMetric = (key: string): boolean => mainKeys.has(key) || /^rewards\/.*\/mean$/.test(key);
