// How far an experiment and its runs are, in words. Pure.
import { counted } from "../../../protocol/quantities.ts";
import { type Combination, type ExperimentRun, factsOf, isOnScreen, runsOf } from "../run/experiments.ts";

type OwnState = "running" | "being prepared" | "paused" | "waiting" | "interrupted" | "finished" | "failed";

export function stateOfRun(run: ExperimentRun): OwnState {
  const { state, step } = factsOf(run);
  if (run.status === "done") return state === "failed" ? "failed" : "finished";
  if (run.status === "waiting") return step > 0 ? "interrupted" : "waiting";
  return state === "running" ? "running" : state === "paused" ? "paused" : "being prepared";
}

const STATES: readonly OwnState[] = ["finished", "running", "being prepared", "paused", "interrupted", "waiting", "failed"];

function countsOf(runs: readonly ExperimentRun[]): readonly string[] {
  const states = runs.map(stateOfRun);
  return STATES.flatMap((each) => {
    const of = states.filter((state) => state === each).length;
    return of === 0 ? [] : [`${of} ${each}`];
  });
}

/** The runs that the experiment trains itself. */
export const ownRuns = (combinations: readonly Combination[]) => runsOf(combinations).filter(({ isElsewhere }) => !isElsewhere);

/**
 * "18 runs: 5 finished, 2 running, 11 waiting"; where all are over, how many there are of what is counted.
 * @param counts what a combination is called, or "run" where runs are counted
 */
export function stateText(combinations: readonly Combination[], counts: string): string {
  const runs = ownRuns(combinations);
  const states = runs.map(stateOfRun);
  const failed = states.filter((state) => state === "failed").length;
  const isAllOver = states.every((state) => state === "finished" || state === "failed");
  if (!isAllOver || (failed > 0 && counts === "run")) return `${counted(runs.length, "run")}: ${countsOf(runs).join(", ")}`;
  if (failed > 0) return `Ended; ${failed} of ${runs.length} failed`;
  if (counts === "run") return `Finished: ${counted(runs.length, "run")}`;
  const branches = combinations.filter(({ forkStep }) => forkStep !== null).length;
  if (branches > 0) return `Finished: ${branches === 1 ? "one branch" : `${branches} branches`}`;
  const seeds = runs.length / combinations.length;
  return `Finished: ${counted(combinations.length, counts)}${seeds > 1 ? `, ${seeds} seeds each` : ""}`;
}

/** Whether all runs of a combination are finished, or how far they are. */
export function combinationState({ runs }: Combination): string {
  if (runs.every((run) => stateOfRun(run) === "finished")) return runs.length === 1 ? "finished" : `all ${runs.length} finished`;
  return countsOf(runs).join(", ");
}

/** One run by itself: "step 12 of 40, running". @param isStopped whether the experiment was ended where it stood */
function runState(run: ExperimentRun, isStopped: boolean): string {
  const { step, config, state, stateReason, preparing } = factsOf(run);
  const own = stateOfRun(run);
  const steps = config && config.steps > 0 ? `step ${step} of ${config.steps}` : `step ${step}`;
  if (isOnScreen(run)) return `${steps}, ${state} on the Train screen`;
  if (own === "failed") return `${step > 0 ? `${steps}, ` : ""}failed: ${stateReason ?? "for an unknown reason"}`;
  if (own === "waiting") return "waits";
  if (own === "being prepared") return preparing?.what ?? "is being prepared";
  // Of a run that was only read, the page knows no more than where its records end.
  if (own === "finished" && stateReason === "kept") return steps;
  return `${steps}, ${own === "interrupted" && isStopped ? "stopped" : own}`;
}

/** The states of all runs of a combination, equal ones told once. */
export function runStates({ runs }: Combination, isStopped: boolean): readonly string[] {
  const seeds = new Map<string, number[]>();
  for (const run of runs) {
    const text = runState(run, isStopped);
    seeds.set(text, [...(seeds.get(text) ?? []), run.seed]);
  }
  if (runs.length === 1) return [...seeds.keys()];
  return [...seeds].map(([text, of]) => (of.length === runs.length ? `${of.length} seeds: ${text}` : `seed ${of.join(", ")}: ${text}`));
}

/** How much of all steps is taken, from 0 to 1. */
export function shareDone(combinations: readonly Combination[]): number {
  const runs = ownRuns(combinations);
  const of = ({ config }: ExperimentRun) => Math.max(1, config.steps);
  const all = runs.reduce((sum, run) => sum + of(run), 0);
  return all === 0 ? 0 : runs.reduce((sum, run) => sum + Math.min(of(run), factsOf(run).step), 0) / all;
}
