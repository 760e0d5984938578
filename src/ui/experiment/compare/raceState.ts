// How far a race is, in words. Pure.
import { counted } from "../../../protocol/quantities.ts";
import { type Racer, type RacerRun, runOf } from "./raceStore.ts";

type OwnState = "running" | "preparing" | "waiting" | "finished" | "failed";

/** What one of the race's own runs is doing. */
function stateOf(run: RacerRun): OwnState {
  const { state } = runOf(run);
  if (state === "failed") return "failed";
  if (run.status === "done") return "finished";
  if (run.status === "waiting") return "waiting";
  return state === "running" || state === "paused" ? "running" : "preparing";
}

const STATES: readonly OwnState[] = ["running", "preparing", "waiting", "finished", "failed"];

/** What stands beside the buttons: how many runs go on, are prepared, wait, are finished, have failed. */
export function raceStateText(racers: readonly Racer[], paused: boolean): string {
  const own = racers.flatMap(({ runs }) => runs).filter(({ isScreen }) => !isScreen);
  const going = own.filter(({ status }) => status !== "done").length;
  const failed = own.filter((run) => runOf(run).state === "failed").length;
  if (going > 0) {
    const states = own.map(stateOf);
    const parts = STATES.flatMap((each) => {
      const of = states.filter((state) => state === each).length;
      return of === 0 ? [] : [`${of} ${paused && each === "running" ? "paused" : each}`];
    });
    return `${counted(own.length, "run")}: ${parts.join(", ")}`;
  }
  if (failed > 0) return `Ended; ${failed} of ${own.length} failed`;
  const branches = racers.filter(({ forkStep }) => forkStep !== null).length;
  if (branches > 0) return `Finished: ${branches === 1 ? "one branch" : `${branches} branches`}`;
  const seeds = own.length / racers.length;
  return `Finished: ${counted(racers.length, "racer")}${seeds > 1 ? `, ${seeds} seeds each` : ""}`;
}
