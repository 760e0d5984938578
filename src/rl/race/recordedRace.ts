// From what runs have recorded to what their race shows: each run's measure along the axis of comparison. The page's
// experiments and the command line's comparisons are judged here.

import { isSame, keysWith } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { roundedSetting } from "../../protocol/quantities.ts";
import { SOLVED_SHARE } from "../verdict.ts";
import { type Axis, placesOf, type Reading } from "./axis.ts";
import type { Curve } from "./curve.ts";
import { judgeRace } from "./judgeRace.ts";
import { type ComparedRun, type Measure, measureNamed, measuresFor, REWARD_STEPS } from "./measures.ts";
import type { MeasuredCombination, RaceResult } from "./race.ts";

/** Shares that are proposed as targets where nobody asked for one. */
const TARGETS = [SOLVED_SHARE, 0.9, 0.75, 0.5, 0.25] as const;
/** How far between the start and the best a target lies that is no share. */
const TARGET_PLACE = 0.75;

export interface RecordedCombination {
  /** A letter. */
  readonly id: string;
  readonly label: string;
  /** Its configuration, the seed aside; null where it has none yet. */
  readonly config: RunConfig | null;
  /** One for each seed. */
  readonly runs: readonly ComparedRun[];
}

export interface JudgedRace extends RaceResult {
  readonly measure: Measure;
  /** All that these runs can be compared by. */
  readonly measures: readonly Measure[];
  /** Null where the start has met all that could be proposed. */
  readonly target: number | null;
  /** Whether the intervals are of one difference for each seed. */
  readonly isPaired: boolean;
  /** Whether they could be. */
  readonly canPair: boolean;
  /** Settings that make the runs' rewards different things, so that they are not compared. */
  readonly rewardsDiffer: boolean;
}

export function judgeRecorded(
  combinations: readonly RecordedCombination[],
  reading: Reading,
  isOver: boolean,
  called = "race",
): JudgedRace {
  const { axis } = reading;
  const runs = combinations.flatMap((combination) => combination.runs);
  const measures = measuresFor(runs);
  const rewards = runs.flatMap((run) => run.rewards ?? []);
  const measure = (reading.measure === null ? null : measureNamed(reading.measure, rewards)) ?? measures[0] ?? measureNamed("reward")!;
  const all = combinations.map((combination) => measuredOf(combination, axis, measure));
  const target = reading.target ?? proposedTarget(all, measure);
  const canPair = haveSameSeeds(combinations);
  const isPaired = reading.isPaired && canPair;
  const rewardsDiffer = measure.id === "reward" && haveOtherRewards(combinations);
  // Rewards that are counted differently have no difference; nothing is measured that could be compared.
  const compared = rewardsDiffer ? all.map((each) => ({ ...each, curves: [] })) : all;
  const now = Math.min(...runs.map((run) => placeOf(run, axis)));
  const race = judgeRace({ combinations: compared, axis, measure, target, isPaired, isOver, now, called });
  return { ...race, measure, measures, target, isPaired, canPair, rewardsDiffer };
}

/** Whether all combinations were trained from the same seeds, several of them. */
function haveSameSeeds(combinations: readonly RecordedCombination[]): boolean {
  const [first = "", ...others] = combinations.map(({ runs }) => runs.map(({ config }) => config?.seed ?? "").join());
  return first.includes(",") && others.every((seeds) => seeds === first);
}

/** Where a run's steps lie on the axis. */
export function placesOfRun(axis: Axis, { config, metric }: Pick<ComparedRun, "config" | "metric">): (step: number) => number {
  return config ? placesOf(axis, config, metric("num_tokens")) : () => Number.NaN;
}

/** Where a run has come to by its last step that paid; -Infinity before the first. */
function placeOf(run: ComparedRun, axis: Axis): number {
  const { steps } = run.metric("reward");
  const place = steps.length > 0 ? placesOfRun(axis, run)(steps[steps.length - 1]!) : Number.NaN;
  return Number.isNaN(place) ? Number.NEGATIVE_INFINITY : place;
}

function measuredOf({ id, label, runs }: RecordedCombination, axis: Axis, measure: Measure): MeasuredCombination {
  const measured = runs.map((run) => measure.measure(run));
  const curves = runs.map((run, i) => placed(measured[i]!.curve, placesOfRun(axis, run)));
  const { trials = null, asked = null } = measured.findLast(({ curve }) => curve.xs.length > 0) ?? measured.at(-1) ?? {};
  return { id, label, curves, trials, asked, grain: measure.isShare ? 0 : Math.max(...runs.map(stepGrain)) };
}

/** What one answer of REWARD_STEPS steps adds to their mean, where it earns 1. */
function stepGrain({ config }: ComparedRun): number {
  return config ? 1 / (REWARD_STEPS * config.promptsPerStep * config.groupSize) : 0;
}

/** A curve over steps as one over places; points whose place is not known yet are left out. */
export function placed({ xs, ys }: Curve, place: (step: number) => number): Curve {
  const places = xs.map(place);
  const kept = (_: number, i: number) => Number.isFinite(places[i]);
  return { xs: places.filter(kept), ys: ys.filter(kept) };
}

/** A target that some run has reached and no run began with: a round share, or a value most of the way from the start to the best. */
function proposedTarget(all: readonly MeasuredCombination[], { isShare }: Measure): number | null {
  const curves = all.flatMap((each) => each.curves).filter(({ ys }) => ys.length > 0);
  const start = Math.max(...curves.map(({ ys }) => ys[0]!));
  const best = Math.max(...curves.flatMap(({ ys }) => ys));
  const open = TARGETS.filter((target) => !(target <= start));
  if (isShare) return open.find((target) => target <= best) ?? open.at(-1) ?? null;
  return best > start ? roundedSetting(start + TARGET_PLACE * (best - start)) : null;
}

/** What decides how much an answer earns: its task, the rules and what is made of them, and how long it may be. */
const PAYING = keysWith("inReward");

/** Whether combinations are paid by different rules. */
function haveOtherRewards(combinations: readonly RecordedCombination[]): boolean {
  const [first, ...others] = combinations.flatMap(({ config }) => config ?? []);
  return others.some((other) => PAYING.some((key) => !isSame(first?.[key], other[key])));
}
