// Facts about the racers: what each was planned as, how far its worker is, and the view of its run, which
// is fed as the run on screen is.
import { create } from "zustand";
import type { RunFacts } from "../store/runFacts.ts";
import { createRunView, type RunView } from "../store/runView.ts";
import { VersionCounter } from "../store/versioned.ts";
import type { PlannedRacer } from "./racePlan.ts";

/** waiting: for a free core; running: its worker is up; done: the worker is gone, the view stays. */
export type RacerStatus = "waiting" | "running" | "done";

export interface Racer extends PlannedRacer {
  readonly status: RacerStatus;
  readonly view: RunView;
  /** Follows the run on the Train screen instead of having a worker. */
  readonly isScreen: boolean;
}

export interface RaceFacts {
  readonly racers: readonly Racer[];
  readonly paused: boolean;
}

export const NO_RACE: RaceFacts = { racers: [], paused: false };

export const useRace = create<RaceFacts>()(() => NO_RACE);

/** Counts changes of any racer's view, at most four a second: the racers are drawn together. */
export const raceVersion = new VersionCounter();

/** A racer that has not begun. */
export function newRacer(plan: PlannedRacer, isScreen = false): Racer {
  const view = createRunView();
  view.facts.setState({ config: plan.config });
  return { ...plan, status: "waiting", view, isScreen };
}

/** What is known of a racer's run. */
export function runOf({ view }: Racer): RunFacts {
  return view.facts.getState();
}

export function setStatus(id: string, status: RacerStatus): void {
  useRace.setState(({ racers }) => ({ racers: racers.map((racer) => (racer.id === id ? { ...racer, status } : racer)) }));
}
