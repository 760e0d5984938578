// The runs of lesson 12: the lab's own small model on sums, with all its weights trained or adapters beside them, and what
// is read off them.
import type { RunConfigInput } from "../../../protocol/config.ts";
import { meanOf } from "../../../rl/advantage/statistics.ts";
import { type LabRun, type LabRuns, metricOf } from "../../experiment/lab/labRun.ts";
import { formatNumber } from "../../kit/charts/format.ts";
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

type Curve = readonly (readonly [number, number])[];

/** Each step as the mean of those around it that there are. */
function smooth(curve: Curve): Curve {
  const half = WINDOW / 2;
  return curve.map(([step], i) => [step, meanOf(curve.slice(Math.max(0, i - half), i + half).map(([, value]) => value))]);
}

/** What one run shows; no number before it is there. */
function read(run: LabRun | undefined) {
  const right = metricOf(run?.records ?? [], "success_rate");
  const values = right.map(([, value]) => value);
  return {
    trained: run?.model.trained ?? Number.NaN,
    parameters: run?.model.parameters ?? Number.NaN,
    /** Share of right answers, step by step, smoothed, in the first steps and in the last. */
    right: values,
    smoothed: smooth(right),
    first: meanOf(values.slice(0, WINDOW)),
    last: meanOf(values.slice(-WINDOW)),
  };
}

const BITS_A_NUMBER = 32;

/** The yardstick and the run that the controls choose. */
export function stateOf(values: Values, runs: LabRuns) {
  const [all, chosen] = [read(runs[0]), read(runs[1])];
  // Answers that a run is told of: right or wrong, one bit each at most.
  const bits = STEPS * PROMPTS * GROUP_SIZE;
  const room = chosen.trained * BITS_A_NUMBER;
  return {
    rows: Array.from({ length: STEPS }, (_, i) => ({
      step: String(i + 1),
      all: all.right[i] ?? Number.NaN,
      chosen: chosen.right[i] ?? Number.NaN,
    })),
    all,
    chosen,
    // While another run is under way, the one that is shown keeps its name and its rate.
    name: runs[1] ? runName(runs[1].config) : "",
    rateText: String(runs[1]?.config.learningRate ?? RATES[values.rate!]),
    part: chosen.trained / all.trained,
    bits,
    room,
    times: Math.round(room / bits),
    moved: runs[1] ? formatNumber(chosen.trained) : "some",
    of: runs[0] ? formatNumber(all.parameters) : "all",
  };
}

/** What a run trains, in words. */
function runName({ loraRank, loraTargets }: LabRun["config"]): string {
  const name = TRAINED.find(({ rank }) => rank === loraRank)?.name ?? "";
  return loraRank > 0 && loraTargets === TARGETS[1] ? `${name}, ${PLACES[1]}` : name;
}

/** What of the gain of all weights the chosen run has; NaN before its runs are there. */
export function shareOfGain({ all, chosen }: Pick<ReturnType<typeof stateOf>, "all" | "chosen">): number {
  return (chosen.last - all.first) / (all.last - all.first);
}
