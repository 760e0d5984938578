// Facts about the racers: what each was planned as, and its runs, one for each seed, each with a view that
// is fed as the run on screen is.
import { create } from "zustand";
import type { RunConfig, RunConfigInput } from "../../../protocol/config.ts";
import { VersionCounter } from "../../engine/store/metricSeries.ts";
import type { RunFacts } from "../../engine/store/runFacts.ts";
import { createRunView, type RunView } from "../../engine/store/runView.ts";
import type { PlannedRacer } from "./setup/racePlan.ts";

/** waiting: for a free core; running: its worker is up; done: the worker is gone, the view stays. */
export type RunStatus = "waiting" | "running" | "done";

/** One run of a racer, from one seed. */
export interface RacerRun {
  /** "A1" for the first of racer A. */
  readonly id: string;
  readonly seed: number;
  readonly input: RunConfigInput;
  readonly status: RunStatus;
  readonly view: RunView;
  /** Follows the run on the Train screen instead of having a worker. */
  readonly isScreen: boolean;
}

export interface Racer extends PlannedRacer {
  readonly runs: readonly RacerRun[];
}

export interface RaceFacts {
  readonly racers: readonly Racer[];
  readonly paused: boolean;
}

export const NO_RACE: RaceFacts = { racers: [], paused: false };

export const useRace = create<RaceFacts>()(() => NO_RACE);

/** Counts changes of any run's view, at most four a second: the racers are drawn together. */
export const raceVersion = new VersionCounter();

/** A racer that has not begun. */
export function newRacer(plan: PlannedRacer, isScreen = false): Racer {
  const runs = plan.seeds.map((seed, i): RacerRun => {
    const view = createRunView();
    view.facts.setState({ config: plan.config && { ...plan.config, seed } });
    return { id: `${plan.id}${i + 1}`, seed, input: { ...plan.input, seed }, status: "waiting", view, isScreen };
  });
  return { ...plan, runs };
}

/** What is known of a run. */
export function runOf({ view }: RacerRun): RunFacts {
  return view.facts.getState();
}

/** A run's configuration: the engine's once it has told it, before that the plan's. */
export function configOf(run: RacerRun): RunConfig | null {
  return runOf(run).config;
}

/** Runs in the order in which they begin: all racers with the first seed, then all with the next. */
export function runsInTurn(racers: readonly Racer[]): readonly RacerRun[] {
  const most = Math.max(0, ...racers.map(({ runs }) => runs.length));
  return Array.from({ length: most }, (_, seed) => racers.flatMap(({ runs }) => runs[seed] ?? [])).flat();
}

/** Whether none of the race's own runs is still to end. */
export function isRaceOver(racers: readonly Racer[]): boolean {
  return racers.every(({ runs }) => runs.every(({ status, isScreen }) => isScreen || status === "done"));
}

export function setStatus(id: string, status: RunStatus): void {
  useRace.setState(({ racers }) => ({
    racers: racers.map((racer) => ({ ...racer, runs: racer.runs.map((run) => (run.id === id ? { ...run, status } : run)) })),
  }));
}
