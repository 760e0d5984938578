// What the Compare screen's buttons do.
import type { Catalog } from "../../protocol/catalog.ts";
import { engine, openTrainerWorker } from "../client.ts";
import { useDraft } from "../store/draft/draftStore.ts";
import { RacePool } from "./racePool.ts";
import { NO_RACE, newRacer, raceVersion, runOf, useRace } from "./raceStore.ts";
import type { PlannedRacer, RacePlan } from "./setup/racePlan.ts";
import { baseOf, setRace, useRaceSetup } from "./setup/raceSetup.ts";

export const racePool = new RacePool(openTrainerWorker, navigator.hardwareConcurrency || 2, engine.view);

/** Ends whatever races and starts these, from step 0 at full speed. From now on the address says what races. */
export function startRace({ racers, key, values }: RacePlan): void {
  clearRace();
  const { base } = useRaceSetup.getState();
  setRace({ base: base ?? useDraft.getState().draft, vary: key, values });
  useRace.setState({ racers: racers.map((plan) => newRacer(plan)), paused: false });
  racePool.launch();
}

/**
 * Adds a branch to the run on screen; other branches of the same run stay beside it. A branch of a run that
 * is not on screen, as an address may name one, has that run raced beside it.
 */
export function startFork(catalog: Catalog, trunk: PlannedRacer, branch: PlannedRacer, isScreen: boolean): void {
  const { runId } = engine.view.facts.getState();
  const goesOn = isScreen && useRace.getState().racers.some(({ runs }) => runs.some((run) => run.isScreen && runOf(run).runId === runId));
  if (!goesOn) {
    clearRace();
    useRace.setState({ racers: [newRacer(trunk, isScreen)], paused: false });
  }
  useRace.setState(({ racers }) => ({ racers: [...racers, newRacer(branch)] }));
  // Changes on the way have no form in an address: such a run is branched only while it is on screen.
  if (trunk.config?.changes.length === 0) setRace({ base: baseOf(catalog, trunk.config), forkStep: branch.forkStep });
  racePool.launch();
}

/** Back to an empty screen. */
export function clearRace(): void {
  racePool.close();
  useRace.setState(NO_RACE);
  raceVersion.bump();
}
