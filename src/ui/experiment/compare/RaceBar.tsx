// The controls of a race: how far it is, and what can be done with all of it. The run on the Train screen has
// its own controls there; that it takes processor time from the race is said here.
import { Pause, Play, Square } from "lucide-react";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useRun } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { clearRace, racePool } from "./raceActions.ts";
import { raceStateText } from "./raceState.ts";
import { raceVersion, useRace } from "./raceStore.ts";

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
      <p className="aside">
        A race lasts as long as this page is open; a <a href="#/sweep">sweep</a> is kept.
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
