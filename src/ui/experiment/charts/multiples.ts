// Small charts: one for each combination, all along the same axes, a thin line for each seed and their mean. Pure.
import { meanOf } from "../../../rl/advantage/statistics.ts";
import type { Axis } from "../../../rl/race/axis.ts";
import { bandOf, type Curve, endOf, trailingMeans, valueAt } from "../../../rl/race/curve.ts";
import { type Measure, REWARD_STEPS } from "../../../rl/race/measures.ts";
import type { ChartSpec } from "../../kit/charts/chartSpec.ts";
import { pointsPath } from "../../kit/charts/plot/plotPath.ts";
import type { Combination } from "../run/experiments.ts";
import { runLines } from "./curves.ts";

/** What the charts draw: the first metric of a chart, the reward as its judge reads it. */
export interface Drawn {
  readonly id: string;
  readonly title: string;
  readonly spec: ChartSpec;
  /** What runs are compared by, where no chart draws that. */
  readonly measure?: Measure;
}

const EVALUATIONS = [
  { id: "sampled", title: "Right, sampled answers" },
  { id: "greedy", title: "Right, likeliest answers" },
] as const;

/**
 * All that can be drawn: held-out answers where there are any, what runs are compared by, the reward, and the first
 * metric of every other chart.
 */
export function drawables(specs: readonly ChartSpec[], isEvaluated: boolean, measure: Measure): readonly Drawn[] {
  const evaluated = EVALUATIONS.flatMap(({ id, title }) =>
    specs
      .filter((spec) => isEvaluated && spec.id === "evaluation")
      .map((spec) => ({ id, title, spec: { ...spec, metrics: spec.metrics.filter(({ key }) => key === `${id}Accuracy`) } })),
  );
  const title = (spec: ChartSpec) => (spec.id === "reward" ? `Reward, mean of ${REWARD_STEPS} steps` : spec.title);
  const others = specs.filter(({ id }) => id !== "evaluation").map((spec) => ({ id: spec.id, title: title(spec), spec }));
  const drawn = [...evaluated, ...others];
  return drawn.some(({ id }) => id === measure.id) ? drawn : [measured(measure), ...drawn];
}

/** A chart of what runs are compared by. */
function measured(measure: Measure): Drawn {
  const { id, title, explains: help, isShare, isEvaluated } = measure;
  const spec: ChartSpec = {
    id,
    title,
    help,
    unit: "",
    word: null,
    baseline: null,
    kinds: ["reinforcement"],
    metrics: [{ key: id, label: title }],
    ...(isShare ? { include: [0, 1], format: "share" } : { include: [], format: "measure" }),
    source: isEvaluated ? "evaluations" : "steps",
  };
  return { id, title, spec, measure };
}

export interface Multiple {
  readonly id: string;
  readonly seeds: readonly Curve[];
  readonly mean: Curve;
}

export interface Multiples {
  readonly charts: readonly Multiple[];
  /** Common bounds of all charts. */
  readonly xs: readonly [low: number, high: number];
  readonly ys: readonly [low: number, high: number];
}

function curvesOf(combination: Combination, { spec, measure }: Drawn, axis: Axis): readonly Curve[] {
  const curves = runLines(spec, combination, axis, measure).map(({ xs, ys }) => ({ xs: Array.from(xs), ys: Array.from(ys) }));
  return spec.id === "reward" && !measure ? curves.map((curve) => trailingMeans(curve, REWARD_STEPS)) : curves;
}

/** Ends of the axis of shares: the first that all values stay under. */
const SHARES = [0.1, 0.25, 0.5, 1] as const;

export function multiplesOf(combinations: readonly Combination[], drawn: Drawn, axis: Axis): Multiples {
  const charts = combinations.map((combination): Multiple => {
    const seeds = curvesOf(combination, drawn, axis).filter(({ xs }) => xs.length > 0);
    return { id: combination.id, seeds, mean: seeds.length > 1 ? bandOf(seeds) : (seeds[0] ?? { xs: [], ys: [] }) };
  });
  const ends = charts.flatMap(({ seeds }) => seeds.map((curve) => endOf(curve) ?? 0));
  const planned = axis === "steps" ? combinations.map(({ config }) => config.steps) : [];
  const values = charts.flatMap(({ seeds }) => seeds.flatMap(({ ys }) => ys)).filter(Number.isFinite);
  const highest = values.reduce((a, b) => Math.max(a, b), 0);
  const lowest = values.reduce((a, b) => Math.min(a, b), 0);
  const isShare = drawn.spec.format === "share";
  const ys: readonly [number, number] = isShare ? [0, SHARES.find((share) => highest <= share) ?? 1] : [lowest, highest];
  return { charts, xs: [0, Math.max(1, ...planned, ...ends)], ys: ys[0] === ys[1] ? [ys[0], ys[0] + 1] : ys };
}

/** The mean of the seeds that have come as far as a place. */
export function meanAt({ seeds }: Multiple, place: number): { readonly value: number; readonly seeds: number } | null {
  const values = seeds.flatMap((curve) => valueAt(curve, place) ?? []);
  return values.length === 0 ? null : { value: meanOf(values), seeds: values.length };
}

/** More points than a small chart has pixels are thinned evenly, the last kept. */
const MOST_POINTS = 160;

/** A curve as the path of a picture so wide and high. */
export function pathOf({ xs, ys }: Curve, bounds: Pick<Multiples, "xs" | "ys">, width: number, height: number): string {
  const every = Math.max(1, Math.ceil(xs.length / MOST_POINTS));
  const x = (value: number) => ((value - bounds.xs[0]) / (bounds.xs[1] - bounds.xs[0])) * width;
  const y = (value: number) => height - ((value - bounds.ys[0]) / (bounds.ys[1] - bounds.ys[0])) * height;
  return pointsPath(xs.flatMap((place, i) => (i % every === 0 || i === xs.length - 1 ? [[x(place), y(ys[i]!)] as const] : [])));
}
