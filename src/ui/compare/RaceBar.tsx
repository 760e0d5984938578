// The controls of a race: how far it is, and what can be done with all of it. The run on the Train screen has
// its own controls there; that it takes processor time from the race is said here.
import { Pause, Play, Square } from "lucide-react";
import { Button } from "../controls/Button.tsx";
import { useRun } from "../store/useRunView.ts";
import { useVersion } from "../store/versioned.ts";
import { clearRace, racePool } from "./raceActions.ts";
import { type Racer, raceVersion, runOf, useRace } from "./raceStore.ts";

function count(number: number, what: string): string {
  return `${number} ${what}${number === 1 ? "" : "s"}`;
}

/** What stands beside the buttons: how many runs go on, wait, have failed. */
export function raceStateText(racers: readonly Racer[], paused: boolean): string {
  const own = racers.flatMap(({ runs }) => runs).filter(({ isScreen }) => !isScreen);
  const going = own.filter(({ status }) => status !== "done").length;
  const failed = own.filter((run) => runOf(run).state === "failed").length;
  if (going > 0) return `${going} of ${own.length} ${paused ? "paused" : "under way"}`;
  if (failed > 0) return `Ended; ${failed} of ${own.length} failed`;
  const branches = racers.filter(({ forkStep }) => forkStep !== null).length;
  if (branches > 0) return `Finished: ${branches === 1 ? "one branch" : `${branches} branches`}`;
  const seeds = own.length / racers.length;
  return `Finished: ${count(racers.length, "racer")}${seeds > 1 ? `, ${seeds} seeds each` : ""}`;
}

export function RaceBar() {
  const racers = useRace((facts) => facts.racers);
  const paused = useRace((facts) => facts.paused);
  const trainGoesOn = useRun((facts) => facts.state === "running");
  useVersion(raceVersion);
  const going = racers.some(({ runs }) => runs.some(({ isScreen, status }) => !isScreen && status !== "done"));
  return (
    <div className="race-controls line">
      <p role="status" aria-live="polite">
        {raceStateText(racers, paused)}
      </p>
      {trainGoesOn && (
        <p className="aside">
          The run on the <a href="#/train">Train screen</a> goes on too and takes processor time.
        </p>
      )}
      {going && (
        <>
          <Button onPress={() => (paused ? racePool.resume() : racePool.pause())}>
            {paused ? <Play size={14} aria-hidden="true" /> : <Pause size={14} aria-hidden="true" />}
            {paused ? "Go on, all" : "Pause all"}
          </Button>
          <Button onPress={() => racePool.stop()}>
            <Square size={14} aria-hidden="true" /> Stop all
          </Button>
        </>
      )}
      {!going && (
        <Button kind="quiet" onPress={clearRace}>
          Clear
        </Button>
      )}
    </div>
  );
}
