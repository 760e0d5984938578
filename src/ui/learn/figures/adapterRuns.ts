// The runs of lesson 12: the lab's own small model on sums, with all its weights trained or adapters beside them, and what
// is read off them.
import type { RunConfigInput } from "../../../protocol/config.ts";
import { type LabRun, type LabRuns, metricOf } from "../../experiment/lab/labRun.ts";
import type { Values } from "../lesson/parts.ts";

export const STEPS = 32;
export const PROMPTS = 16;
export const GROUP_SIZE = 8;
/** Steps at either end of a curve that are averaged: one step has too few answers. */
export const WINDOW = 6;

/** What is trained, by the rank of its adapters; 0 is all weights. */
export const TRAINED = [
  { name: "all weights", rank: 0 },
  { name: "rank 8", rank: 8 },
  { name: "rank 1", rank: 1 },
] as const;
export const [ALL, RANK_8, RANK_1] = [0, 1, 2];

export const PLACES = ["all seven projections", "queries and values"] as const;
const TARGETS = ["all-linear", "query-value"] as const;

/** The rate that suits all weights, and the one that suits adapters. */
export const RATES = [2e-4, 1e-3] as const;
export const [SMALL, LARGE] = [0, 1];

/** The settings of a run. */
export function settingsOf({ trained, places, rate }: Values) {
  return {
    task: "boxed-arithmetic",
    algorithm: "grpo",
    checkpoint: "base",
    loraRank: TRAINED[trained!]!.rank,
    loraTargets: TARGETS[places!]!,
    learningRate: RATES[rate!]!,
    klCoef: 0,
    measureUpdate: false,
    promptsPerStep: PROMPTS,
    groupSize: GROUP_SIZE,
    steps: STEPS,
  } as const satisfies RunConfigInput;
}

/** All weights at the rate that suits them, which the others are held against. */
export const YARDSTICK: Values = { trained: ALL, places: 0, rate: SMALL };

export type Curve = readonly (readonly [number, number])[];

const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** Each step as the mean of those around it that there are. */
function smooth(curve: Curve): Curve {
  const half = WINDOW / 2;
  return curve.map(([step], i) => [step, mean(curve.slice(Math.max(0, i - half), i + half).map(([, value]) => value))]);
}

/** What one run shows. */
export interface AdapterRun {
  readonly trained: number;
  readonly parameters: number;
  /** Share of right answers, step by step and smoothed. */
  readonly right: Curve;
  readonly smoothed: Curve;
  /** In the first steps and in the last. */
  readonly first: number;
  readonly last: number;
}

function read(run: LabRun | undefined): AdapterRun | null {
  if (!run) return null;
  const right = metricOf(run.records, "success_rate");
  const values = right.map(([, value]) => value);
  const { trained, parameters } = run.model;
  return { trained, parameters, right, smoothed: smooth(right), first: mean(values.slice(0, WINDOW)), last: mean(values.slice(-WINDOW)) };
}

/** The yardstick and the run that the controls choose. */
export function stateOf(values: Values, [all, chosen]: LabRuns) {
  return {
    all: read(all),
    chosen: read(chosen),
    // While another run is under way, the one that is shown keeps its name.
    name: chosen ? runName(chosen.config) : "",
    rate: chosen?.config.learningRate ?? RATES[values.rate!]!,
    /** Answers that a run is told of: right or wrong, one bit each at most. */
    bits: STEPS * PROMPTS * GROUP_SIZE,
  };
}
export type AdapterState = ReturnType<typeof stateOf>;

/** What a run trains, in words. */
function runName({ loraRank, loraTargets }: LabRun["config"]): string {
  const name = TRAINED.find(({ rank }) => rank === loraRank)?.name ?? "";
  return loraRank > 0 && loraTargets === TARGETS[1] ? `${name}, ${PLACES[1]}` : name;
}

/** What of the gain of all weights the chosen run has; NaN before its runs are there. */
export function shareOfGain({ all, chosen }: AdapterState): number {
  if (!all || !chosen) return Number.NaN;
  return (chosen.last - all.first) / (all.last - all.first);
}
