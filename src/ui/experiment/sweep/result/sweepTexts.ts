// How far a sweep and its runs are, in words. Pure.
import { counted } from "../../../../protocol/quantities.ts";
import { type Racer, type RacerRun, runOf } from "../../compare/raceStore.ts";

type OwnState = "running" | "being prepared" | "paused" | "waiting" | "interrupted" | "finished" | "failed";

export function stateOfRun(run: RacerRun): OwnState {
  const { state, step } = runOf(run);
  if (run.status === "done") return state === "failed" ? "failed" : "finished";
  if (run.status === "waiting") return step > 0 ? "interrupted" : "waiting";
  return state === "running" ? "running" : state === "paused" ? "paused" : "being prepared";
}

const STATES: readonly OwnState[] = ["finished", "running", "being prepared", "paused", "interrupted", "waiting", "failed"];

function countsOf(runs: readonly RacerRun[]): readonly string[] {
  const states = runs.map(stateOfRun);
  return STATES.flatMap((each) => {
    const of = states.filter((state) => state === each).length;
    return of === 0 ? [] : [`${of} ${each}`];
  });
}

/** "18 runs: 5 finished, 2 running, 11 waiting". */
export function sweepState(racers: readonly Racer[]): string {
  const runs = racers.flatMap(({ runs: own }) => own);
  if (runs.every((run) => stateOfRun(run) === "finished")) return `Finished: ${counted(runs.length, "run")}`;
  return `${counted(runs.length, "run")}: ${countsOf(runs).join(", ")}`;
}

/** Whether all runs of a combination are finished, or how far they are. */
export function combinationState({ runs }: Racer): string {
  if (runs.every((run) => stateOfRun(run) === "finished")) return runs.length === 1 ? "finished" : `all ${runs.length} finished`;
  return countsOf(runs).join(", ");
}

/** One run by itself: "seed 2: step 12 of 40, running". */
export function runState(run: RacerRun): string {
  const { step, config, stateReason, preparing } = runOf(run);
  const state = stateOfRun(run);
  const steps = config && config.steps > 0 ? `step ${step} of ${config.steps}` : `step ${step}`;
  if (state === "failed") return `${step > 0 ? `${steps}, ` : ""}failed: ${stateReason ?? "for an unknown reason"}`;
  if (state === "waiting") return "waits";
  if (state === "being prepared") return preparing?.what ?? "is being prepared";
  return state === "finished" ? `${steps}, finished` : `${steps}, ${state}`;
}

/** How much of all steps is taken, from 0 to 1. */
export function shareDone(racers: readonly Racer[]): number {
  const runs = racers.flatMap(({ runs: own }) => own);
  const of = (run: RacerRun) => Math.max(1, run.input.steps ?? 1);
  const all = runs.reduce((sum, run) => sum + of(run), 0);
  return all === 0 ? 0 : runs.reduce((sum, run) => sum + Math.min(of(run), runOf(run).step), 0) / all;
}
