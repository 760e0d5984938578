// What one chart of the registry says about itself, and how its lines are read from a run's records.
import type { RunConfig } from "../../../protocol/config.ts";
import type { BaselineRecord, EvaluationRecord } from "../../../protocol/records.ts";
import { overUpdate } from "../../../rl/metrics/lossMetrics.ts";
import type { TermId } from "../words/glossary.ts";
import type { Format } from "./format.ts";
import type { LevelLine, Series } from "./series/series.ts";

type RunKind = RunConfig["kind"];

export interface ChartMetric {
  /** Key of a step's metrics, or of an evaluation. */
  readonly key: string;
  readonly label: string;
}

export interface ChartSpec {
  readonly id: string;
  readonly title: string;
  readonly unit: string;
  readonly help: string;
  /** The word that it is about, which its title explains after it; null for what only the machine tells. */
  readonly word: TermId | null;
  readonly source: "steps" | "evaluations";
  readonly metrics: readonly ChartMetric[];
  /** Which measured baseline is drawn; null for none. */
  readonly baseline: "meanReward" | "accuracy" | null;
  /** Run kinds in which the chart means something. */
  readonly kinds: readonly RunKind[];
  /** Means something only where a critic is trained. */
  readonly needsCritic?: true;
  /** Is there only once a step has one of its values: not every environment reports them. */
  readonly ifReported?: true;
  /** Bounds the axis always includes, for shares and amounts. */
  readonly include: readonly number[];
  /** The axis goes no lower; a line that does leaves the chart at the bottom. */
  readonly floor?: number;
  readonly format: Format;
  /** Its values are set, not measured with noise: never smoothed. */
  readonly exact?: true;
}

/** A chart as it is shown of these runs: where their updates take several optimizer steps, its title says what a value is of them. */
export function specOf(spec: ChartSpec, configs: readonly RunConfig[]): ChartSpec {
  const [said, ...others] = new Set(configs.map((config) => overUpdate(spec.metrics[0]!.key, config)));
  if (!said && others.length === 0) return spec;
  const what = others.length === 0 ? said : "of all optimizer steps of an update";
  return {
    ...spec,
    unit: [spec.unit, what].filter(Boolean).join(", "),
    help: `${spec.help} In an update of several optimizer steps, the policy moves between them.`,
  };
}

/** What charts read of one run. */
export interface ChartFacts {
  /** All points of a metric of the steps; empty for a metric that never came. */
  readonly metric: (key: string) => { readonly steps: ArrayLike<number>; readonly values: ArrayLike<number> };
  readonly evaluations: readonly EvaluationRecord[];
  readonly baselines: readonly BaselineRecord[];
}

const BASELINE_NAMES: Readonly<Record<BaselineRecord["kind"], string>> = { random: "random policy", start: "start" };

/** The lines of a chart; a metric that no step has is no line. */
export function seriesOf(spec: ChartSpec, facts: Omit<ChartFacts, "baselines">): readonly Series[] {
  if (spec.source === "evaluations") return spec.metrics.flatMap((metric) => evaluationSeries(metric, facts.evaluations));
  return spec.metrics.flatMap(({ key, label }) => {
    const { steps, values } = facts.metric(key);
    return steps.length === 0 ? [] : [{ id: key, label, xs: steps, ys: values, ...(spec.exact ? { exact: true } : {}) }];
  });
}

/** The measures of an evaluation that have an interval, by the key that a chart has for them. */
const EVALUATED: Readonly<Record<string, "sampled" | "greedy">> = { sampledAccuracy: "sampled", greedyAccuracy: "greedy" };

function evaluationSeries({ key, label }: ChartMetric, evaluations: readonly EvaluationRecord[]): readonly Series[] {
  if (evaluations.length === 0) return [];
  const sorted = [...evaluations].sort((a, b) => a.step - b.step);
  const xs = sorted.map(({ step }) => step);
  if (key === "passAtK") return passSeries(xs, sorted);
  const read = EVALUATED[key];
  if (!read) throw new Error(`internal: no evaluation has a curve ${key}`);
  return [
    {
      id: key,
      label,
      measured: true,
      xs,
      ys: sorted.map((record) => record[`${read}Accuracy`]),
      lows: sorted.map((record) => record[`${read}Interval`][0]),
      highs: sorted.map((record) => record[`${read}Interval`][1]),
    },
  ];
}

/** One line per k > 1: pass@1 is the sampled accuracy already. */
function passSeries(xs: readonly number[], evaluations: readonly EvaluationRecord[]): readonly Series[] {
  const ks = [...new Set(evaluations.flatMap(({ passAtK }) => Object.keys(passAtK).map(Number)))].filter((k) => k > 1);
  return ks
    .sort((a, b) => a - b)
    .map((k) => ({
      id: `pass@${k}`,
      label: `pass@${k}`,
      measured: true,
      xs,
      ys: evaluations.map(({ passAtK }) => passAtK[k] ?? Number.NaN),
    }));
}

/** The named dashed levels of a chart. */
export function levelsOf({ baseline }: ChartSpec, baselines: readonly BaselineRecord[]): readonly LevelLine[] {
  if (!baseline) return [];
  return baselines
    .map((record) => ({ id: record.kind, label: BASELINE_NAMES[record.kind], value: record[baseline] ?? Number.NaN }))
    .filter(({ value }) => Number.isFinite(value));
}
