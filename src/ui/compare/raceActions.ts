// What the Compare screen's buttons do.
import { engine, openTrainerWorker } from "../client.ts";
import type { PlannedRacer } from "./racePlan.ts";
import { RacePool } from "./racePool.ts";
import { NO_RACE, newRacer, raceVersion, runOf, useRace } from "./raceStore.ts";

export const racePool = new RacePool(openTrainerWorker, navigator.hardwareConcurrency || 2, engine.view);

/** Ends whatever races and starts these, from step 0 at full speed. */
export function startRace(planned: readonly PlannedRacer[]): void {
  clearRace();
  useRace.setState({ racers: planned.map((plan) => newRacer(plan)), paused: false });
  racePool.launch();
}

/** Adds a branch to the run on screen; other branches of the same run stay beside it. */
export function startFork(branch: PlannedRacer): void {
  const { runId, config } = engine.view.facts.getState();
  if (!runId || !config) return;
  const { racers } = useRace.getState();
  const goesOn = racers.some((racer) => racer.isScreen && runOf(racer).runId === runId);
  if (!goesOn) {
    clearRace();
    const trunk: PlannedRacer = { id: "A", label: "the run", short: "the run", input: config, config, problems: [], forkStep: null };
    useRace.setState({ racers: [newRacer(trunk, true)], paused: false });
  }
  useRace.setState(({ racers: now }) => ({ racers: [...now, newRacer(branch)] }));
  racePool.launch();
}

/** Back to an empty screen. */
export function clearRace(): void {
  racePool.close();
  useRace.setState(NO_RACE);
  raceVersion.bump();
}
