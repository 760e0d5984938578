// From what runs have recorded to what their race shows: each run's held-out accuracy, or without evaluations
// its reward, along the axis of comparison. The page's races and the command line's comparisons are judged here.

import { isSame, keysWith } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { shareOf } from "../verdict/estimate.ts";
import { type RunHistory, sharesOf } from "../verdict/history.ts";
import { SOLVED_SHARE } from "../verdict.ts";
import { type Axis, placesOf } from "./axis.ts";
import { type Curve, trailingMeans } from "./curve.ts";
import { judgeRace } from "./judgeRace.ts";
import type { Measure, RaceResult, RacerCurves } from "./race.ts";

/** Steps over which a reward is averaged. */
export const REWARD_STEPS = 10;
/** Targets that are chosen from where nobody asked for one, the highest that somebody has reached. */
const TARGETS = [SOLVED_SHARE, 0.9, 0.75, 0.5, 0.25] as const;

/** A run as far as a race looks at it; without a configuration where it has not begun. */
export type RaceRun = Pick<RunHistory, "metric" | "evaluations"> & { readonly config: RunConfig | null };

export interface RecordedRacer {
  /** A letter. */
  readonly id: string;
  readonly label: string;
  /** Its configuration, the seed aside; null where it has none yet. */
  readonly config: RunConfig | null;
  /** One for each seed. */
  readonly runs: readonly RaceRun[];
}

export interface JudgedRace extends RaceResult {
  readonly measure: Measure;
  readonly target: number;
  /** Settings that make the racers' rewards different things, so that they are not compared. */
  readonly rewardsDiffer: boolean;
}

/** @param asked the target, or null to choose one. */
export function judgeRecorded(
  racers: readonly RecordedRacer[],
  axis: Axis,
  asked: number | null,
  isOver: boolean,
  called: "race" | "sweep" = "race",
): JudgedRace {
  const measure = measureOf(racers);
  const all = racers.map((racer) => curvesOf(racer, axis, measure));
  const target = asked ?? chosenTarget(all);
  const rewardsDiffer = measure === "reward" && haveOtherRewards(racers);
  // Rewards that are counted differently have no difference; nothing is measured that could be compared.
  const compared = rewardsDiffer ? all.map((racer) => ({ ...racer, curves: [] })) : all;
  const now = Math.min(...racers.flatMap(({ runs }) => runs.map((run) => placeOf(run, axis))));
  return { ...judgeRace({ racers: compared, axis, measure, target, isOver, now, called }), measure, target, rewardsDiffer };
}

/** Held-out problems where any run was evaluated: greedily, or where a task has only one problem by its samples. */
function measureOf(racers: readonly RecordedRacer[]): Measure {
  const configs = racers.flatMap(({ config }) => config ?? []);
  const evaluations = racers.flatMap(({ runs }) => runs.flatMap((run) => run.evaluations));
  // The start is measured whether or not evaluations follow.
  if (evaluations.every(({ step }) => step === 0) && configs.some(({ evalEvery }) => evalEvery === 0)) return "reward";
  return evaluations.some(({ problems }) => problems === 1) ? "sampled" : "greedy";
}

/** Where a run's steps lie on the axis. */
export function placesOfRun(axis: Axis, { config, metric }: Pick<RaceRun, "config" | "metric">): (step: number) => number {
  return config ? placesOf(axis, config, metric("num_tokens")) : () => Number.NaN;
}

/** Where a run has come to by its last step that paid; -Infinity before the first. */
function placeOf(run: RaceRun, axis: Axis): number {
  const { steps } = run.metric("reward");
  const place = steps.length > 0 ? placesOfRun(axis, run)(steps[steps.length - 1]!) : Number.NaN;
  return Number.isNaN(place) ? Number.NEGATIVE_INFINITY : place;
}

function curvesOf({ id, label, runs }: RecordedRacer, axis: Axis, measure: Measure): RacerCurves {
  const shares = runs.map((run) => sharesOf(run.evaluations));
  const curves = runs.map((run, i): Curve => {
    const place = placesOfRun(axis, run);
    if (measure === "reward") return placed(rewardCurve(run), place);
    return placed({ xs: shares[i]!.map(({ step }) => step), ys: shares[i]!.map(shareOf) }, place);
  });
  if (measure === "reward") return { id, label, curves, trials: null, grain: Math.max(...runs.map(rewardGrain)) };
  return { id, label, curves, trials: shares.flat().at(-1)?.of ?? 0, grain: 0 };
}

/** What one answer of REWARD_STEPS steps adds to their mean, where it earns 1. */
function rewardGrain({ config }: RaceRun): number {
  return config ? 1 / (REWARD_STEPS * config.promptsPerStep * config.groupSize) : 0;
}

function rewardCurve({ metric }: RaceRun): Curve {
  const { steps, values } = metric("reward");
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

/** What decides how much an answer earns: its task, the rules and what is made of them, and how long it may be. */
const PAYING = keysWith("inReward");

/** Whether racers are paid by different rules. */
function haveOtherRewards(racers: readonly RecordedRacer[]): boolean {
  const [first, ...others] = racers.flatMap(({ config }) => config ?? []);
  return others.some((other) => PAYING.some((key) => !isSame(first?.[key], other[key])));
}
