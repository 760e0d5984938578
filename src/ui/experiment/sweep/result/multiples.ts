// The small charts of a sweep: one for each combination, all along the same axes, a thin line for each seed and their mean. Pure.
import { meanOf } from "../../../../rl/advantage/statistics.ts";
import { bandOf, type Curve, endOf, trailingMeans, valueAt } from "../../../../rl/race/curve.ts";
import type { Measure } from "../../../../rl/race/race.ts";
import { REWARD_STEPS } from "../../../../rl/race/recordedRace.ts";
import { pointsPath } from "../../../kit/charts/plot/plotPath.ts";
import { type Racer, type RacerRun, runOf } from "../../compare/raceStore.ts";

/** What the charts draw. */
export type Drawn = "reward" | "greedy" | "sampled";

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

/** What the charts begin with: what the runs are compared by. */
export const drawnFirst = (measure: Measure): Drawn => measure;

function curveOf(run: RacerRun, drawn: Drawn): Curve {
  if (drawn === "reward") {
    const { steps, values } = run.view.metrics.series("reward");
    return trailingMeans({ xs: Array.from(steps), ys: Array.from(values) }, REWARD_STEPS);
  }
  const sorted = [...runOf(run).evaluations].sort((a, b) => a.step - b.step);
  return { xs: sorted.map(({ step }) => step), ys: sorted.map((record) => record[`${drawn}Accuracy`]) };
}

/** Ends of the axis of shares: the first that all values stay under. */
const SHARES = [0.1, 0.25, 0.5, 1] as const;

export function multiplesOf(racers: readonly Racer[], drawn: Drawn): Multiples {
  const charts = racers.map(({ id, runs }): Multiple => {
    const seeds = runs.map((run) => curveOf(run, drawn)).filter(({ xs }) => xs.length > 0);
    return { id, seeds, mean: seeds.length > 1 ? bandOf(seeds) : (seeds[0] ?? { xs: [], ys: [] }) };
  });
  const ends = charts.flatMap(({ seeds }) => seeds.map((curve) => endOf(curve) ?? 0));
  const planned = racers.map(({ config }) => config?.steps ?? 0);
  const values = charts.flatMap(({ seeds }) => seeds.flatMap(({ ys }) => ys)).filter(Number.isFinite);
  const isShare = drawn !== "reward";
  const highest = values.reduce((a, b) => Math.max(a, b), 0);
  const lowest = values.reduce((a, b) => Math.min(a, b), 0);
  const ys: readonly [number, number] = isShare ? [0, SHARES.find((share) => highest <= share) ?? 1] : [lowest, highest];
  return { charts, xs: [0, Math.max(1, ...planned, ...ends)], ys: ys[0] === ys[1] ? [ys[0], ys[0] + 1] : ys };
}

/** The mean of the seeds that have come as far as a step. */
export function meanAt({ seeds }: Multiple, step: number): { readonly value: number; readonly seeds: number } | null {
  const values = seeds.flatMap((curve) => valueAt(curve, step) ?? []);
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
