// Which curves of a log are drawn: the charts of a run that have lines in it, what logs have beside these, and the parts of the reward.
import type { RunEvidence } from "../../../rl/diagnosis/diagnosis.ts";
import { type ChartSpec, seriesOf } from "../../kit/charts/chartSpec.ts";
import { chartsFor } from "../../kit/charts/index.ts";
import type { Series } from "../../kit/charts/series/series.ts";

/** A chart and its lines. */
export interface DrawnChart {
  readonly spec: ChartSpec;
  readonly series: readonly Series[];
}

const USUAL = { unit: "", word: null, source: "steps", baseline: null, kinds: ["reinforcement"], include: [], format: "measure" } as const;
const OF_LOGS: readonly ChartSpec[] = [
  {
    ...USUAL,
    id: "log-loss",
    title: "Loss",
    help: "The value of the loss, which does not measure progress.",
    word: "loss",
    metrics: [
      { key: "loss", label: "loss" },
      { key: "loss/policy", label: "policy part" },
    ],
  },
  {
    ...USUAL,
    id: "log-cut",
    title: "Answers cut off",
    help: "Share of answers that the limit of tokens ended.",
    include: [0, 1],
    format: "share",
    metrics: [{ key: "completions/clipped_ratio", label: "cut off" }],
  },
  {
    ...USUAL,
    id: "log-spread",
    title: "Spread of the reward",
    help: "Standard deviation of the rewards of a step.",
    metrics: [{ key: "reward_std", label: "spread" }],
  },
  {
    ...USUAL,
    id: "log-sampler",
    title: "Sampler and trainer",
    help: "Mean size of the difference of their log-probs.",
    unit: "nats",
    metrics: [{ key: "sampling/sampling_logp_difference/mean", label: "difference" }],
  },
];
/** What says little of learning. */
const LEFT_OUT = ["throughput", "memory", "processor-time", "supervised-loss", "evaluation", "judge-time", "judge-known", "judge-tokens"];
/** Parts of a reward that one chart bears. */
const MOST_PARTS = 6;

function partsChart(names: readonly string[]): readonly ChartSpec[] {
  if (names.length < 2) return [];
  const metrics = names.slice(0, MOST_PARTS).map((name) => ({ key: `rewards/${name}/mean`, label: name }));
  return [{ ...USUAL, id: "log-parts", title: "Parts of the reward", help: "The mean of each part, without its weight.", metrics }];
}

/** The charts that have a line in a log. @param parts names of the parts of its reward */
export function logCharts(run: Pick<RunEvidence, "metric">, parts: readonly string[]): readonly DrawnChart[] {
  const [reward, ...others] = chartsFor("reinforcement").filter(({ id }) => !LEFT_OUT.includes(id));
  return [...(reward ? [reward] : []), ...partsChart(parts), ...OF_LOGS, ...others]
    .map((spec) => ({ spec, series: seriesOf(spec, { ...run, evaluations: [] }) }))
    .filter(({ series }) => series.length > 0);
}
