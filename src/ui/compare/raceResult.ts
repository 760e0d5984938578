// From the racers' records to what their race shows: each run's held-out accuracy, or without evaluations its
// reward, along the axis of comparison.
import type { RunConfig } from "../../protocol/config.ts";
import { type Axis, placesOf } from "../../rl/race/axis.ts";
import { type Curve, trailingMeans } from "../../rl/race/curve.ts";
import { judgeRace } from "../../rl/race/judgeRace.ts";
import type { Measure, RaceResult, RacerCurves } from "../../rl/race/race.ts";
import { sharesOf } from "../../rl/verdict/history.ts";
import { shareOf } from "../../rl/verdict/tests.ts";
import { configOf, isRaceOver, type Racer, type RacerRun, runOf } from "./raceStore.ts";

/** Steps over which a reward is averaged. */
export const REWARD_STEPS = 10;
/** Targets that are chosen from where nobody asked for one, the highest that somebody has reached. */
const TARGETS = [0.95, 0.9, 0.75, 0.5, 0.25] as const;

export interface JudgedRace extends RaceResult {
  readonly measure: Measure;
  readonly target: number;
  /** Settings that make the racers' rewards different things, so that they are not compared. */
  readonly rewardsDiffer: boolean;
}

/** Where a run's steps lie on the axis. */
export function placesOfRun(axis: Axis, run: RacerRun): (step: number) => number {
  const config = configOf(run);
  return config ? placesOf(axis, config, run.view.metrics.series("num_tokens")) : () => Number.NaN;
}

export function judgedRace(racers: readonly Racer[], axis: Axis, asked: number | null): JudgedRace {
  const measure = measureOf(racers);
  const all = racers.map((racer) => curvesOf(racer, axis, measure));
  const target = asked ?? chosenTarget(all);
  const rewardsDiffer = measure === "reward" && haveOtherRewards(racers);
  // Rewards that are counted differently have no difference; nothing is measured that could be compared.
  const compared = rewardsDiffer ? all.map((racer) => ({ ...racer, curves: [] })) : all;
  const result = judgeRace({ racers: compared, axis, measure, target, isOver: isRaceOver(racers) });
  return { ...result, measure, target, rewardsDiffer };
}

/** Held-out problems where any run was evaluated: greedily, or where a task has only one problem by its samples. */
function measureOf(racers: readonly Racer[]): Measure {
  const configs = racers.flatMap(({ config }) => config ?? []);
  const evaluations = racers.flatMap(({ runs }) => runs.flatMap((run) => runOf(run).evaluations));
  if (evaluations.length === 0 && configs.some(({ evalEvery }) => evalEvery === 0)) return "reward";
  return evaluations.some(({ problems }) => problems === 1) ? "sampled" : "greedy";
}

function curvesOf({ id, label, runs }: Racer, axis: Axis, measure: Measure): RacerCurves {
  const shares = runs.map((run) => sharesOf(runOf(run).evaluations));
  const curves = runs.map((run, i): Curve => {
    const place = placesOfRun(axis, run);
    if (measure === "reward") return placed(rewardCurve(run), place);
    return placed({ xs: shares[i]!.map(({ step }) => step), ys: shares[i]!.map(shareOf) }, place);
  });
  return { id, label, curves, trials: measure === "reward" ? null : (shares.flat().at(-1)?.of ?? 0) };
}

function rewardCurve({ view }: RacerRun): Curve {
  const { steps, values } = view.metrics.series("reward");
  return trailingMeans({ xs: Array.from(steps), ys: Array.from(values) }, REWARD_STEPS);
}

/** A curve over steps as one over places; points whose place is not known yet are left out. */
export function placed({ xs, ys }: Curve, place: (step: number) => number): Curve {
  const places = xs.map(place);
  const kept = (_: number, i: number) => Number.isFinite(places[i]);
  return { xs: places.filter(kept), ys: ys.filter(kept) };
}

function chosenTarget(all: readonly RacerCurves[]): number {
  const best = Math.max(0, ...all.flatMap(({ curves }) => curves.flatMap(({ ys }) => ys)));
  return TARGETS.find((target) => target <= best) ?? TARGETS.at(-1)!;
}

/** Whether racers are paid by different rules: soft overlong punishment, weights, rules or gates. */
function haveOtherRewards(racers: readonly Racer[]): boolean {
  const paid = (config: RunConfig) =>
    JSON.stringify([config.taskOptions, config.rewardWeights, config.rewardRules, config.rewardGates, config.overlongBuffer]);
  return new Set(racers.flatMap(({ config }) => (config ? [paid(config)] : []))).size > 1;
}
