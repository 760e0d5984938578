// What the Compare screen's buttons do.
import type { Catalog } from "../../../protocol/catalog.ts";
import { codeIn } from "../../../protocol/config/customRewards.ts";
import type { RunConfigKey } from "../../../protocol/config.ts";
import { engine } from "../../engine/client.ts";
import { openTrainerWorker } from "../../engine/openWorkers.ts";
import { untilRead } from "../../engine/readCode.ts";
import { goTo } from "../../engine/route.ts";
import { useDraft } from "../../engine/store/draft/draftStore.ts";
import { RacePool } from "./racePool.ts";
import { NO_RACE, newRacer, type RaceFacts, raceVersion, runOf, useRace } from "./raceStore.ts";
import { type PlannedRacer, type RacePlan, remedyBranch, trunkRacer } from "./setup/racePlan.ts";
import { baseOf, type Setting, setRace, useRaceSetup } from "./setup/raceSetup.ts";

export const racePool = new RacePool(openTrainerWorker, navigator.hardwareConcurrency || 2, engine.view);

/** A race is kept nowhere, so the browser asks before the page goes away with what it has found. */
const askFirst = (event: BeforeUnloadEvent) => event.preventDefault();

function launch(): void {
  window.addEventListener("beforeunload", askFirst);
  racePool.launch();
}

/** Ends whatever races and starts these, from step 0 at full speed. From now on the address says what races. */
export function startRace(plan: RacePlan): void {
  const configs = plan.racers.flatMap(({ config }) => config ?? []);
  if (configs.every((config) => codeIn(config).length === 0)) race(plan);
  else
    untilRead(...configs).then(
      () => race(plan),
      () => {},
    );
}

function race({ racers, key, values }: RacePlan): void {
  clearRace();
  const { base } = useRaceSetup.getState();
  setRace({ base: base ?? useDraft.getState().draft, vary: key, values });
  useRace.setState({ racers: racers.map((plan) => newRacer(plan)), paused: false });
  launch();
}

/** Whether what races are branches of the run on screen, which others can join. */
export function branchesOnScreen({ racers }: Pick<RaceFacts, "racers"> = useRace.getState()): boolean {
  const { runId } = engine.view.facts.getState();
  return racers.some(({ runs }) => runs.some((run) => run.isScreen && runOf(run).runId === runId));
}

/**
 * Adds a branch to the run on screen; other branches of the same run stay beside it. A branch of a run that
 * is not on screen, as an address may name one, has that run raced beside it.
 */
export function startFork(catalog: Catalog, trunk: PlannedRacer, branch: PlannedRacer, isScreen: boolean): void {
  if (!isScreen || !branchesOnScreen()) {
    clearRace();
    useRace.setState({ racers: [newRacer(trunk, isScreen)], paused: false });
  }
  useRace.setState(({ racers }) => ({ racers: [...racers, newRacer(branch)] }));
  // Changes on the way have no form in an address: such a run is branched only while it is on screen.
  if (trunk.config?.changes.length === 0) setRace({ base: baseOf(catalog, trunk.config), forkStep: branch.forkStep });
  launch();
}

/**
 * Tries what a diagnosis names first: a branch of the run on screen that has the remedy from its first step on, since what a run
 * has lost is not there any more where it is found missing. Goes to where both are compared; answers why not, or null.
 */
export function tryRemedy(catalog: Catalog, setting: readonly [RunConfigKey, Setting]): string | null {
  const { config } = engine.view.facts.getState();
  if (!config) return "There is no run any more.";
  const place = branchesOnScreen() ? useRace.getState().racers.length : 1;
  const branch = remedyBranch(catalog, config, setting, place);
  if (typeof branch === "string") return branch;
  setRace({ kind: "fork", vary: setting[0], values: [setting[1]], forkStep: 0 });
  startFork(catalog, trunkRacer(config), branch, true);
  goTo("compare");
  return null;
}

/** Back to an empty screen. */
export function clearRace(): void {
  racePool.close();
  window.removeEventListener("beforeunload", askFirst);
  useRace.setState(NO_RACE);
  raceVersion.bump();
}
