// The Compare screen: configurations raced from one seed, or a run and its branches, curve over curve.
import { Pause, Play, Square } from "lucide-react";
import { useState } from "react";
import { Button } from "../controls/Button.tsx";
import { parseRoute, useHash } from "../route.ts";
import { useEngine } from "../store/useRunView.ts";
import { ForkSetup } from "./ForkSetup.tsx";
import { RaceCharts } from "./RaceCharts.tsx";
import { RaceSetup } from "./RaceSetup.tsx";
import { RaceTable } from "./RaceTable.tsx";
import { clearRace, racePool } from "./raceActions.ts";
import { runOf, useRace } from "./raceStore.ts";
import "./compare.css";

const KINDS = [
  ["race", "Race"],
  ["fork", "Fork"],
] as const;
type Kind = (typeof KINDS)[number][0];

/** The step a link asks to fork at; null without one. */
export function askedFork(query: URLSearchParams): number | null {
  const text = query.get("fork");
  const step = text === null || text.trim() === "" ? Number.NaN : Number(text);
  return Number.isInteger(step) && step >= 0 ? step : null;
}

export function CompareScreen() {
  const catalog = useEngine((facts) => facts.catalog);
  const racers = useRace((facts) => facts.racers);
  const asked = askedFork(parseRoute(useHash()).query);
  const [chosen, setKind] = useState<Kind | null>(null);
  const kind = chosen ?? (asked === null ? "race" : "fork");
  return (
    <div className="compare">
      <h1 className="visually-hidden">Compare</h1>
      <section className="compare-setup" aria-label="Set-up">
        <fieldset className="compare-kinds">
          <legend className="visually-hidden">What to compare</legend>
          {KINDS.map(([each, title]) => (
            <button key={each} type="button" className="compare-kind" aria-pressed={each === kind} onClick={() => setKind(each)}>
              {title}
            </button>
          ))}
        </fieldset>
        {!catalog && <p className="pane-note aside">The engine is loading …</p>}
        {catalog && kind === "race" && <RaceSetup catalog={catalog} />}
        {catalog && kind === "fork" && <ForkSetup catalog={catalog} asked={asked} />}
      </section>
      <div className="compare-board">
        {racers.length === 0 ? (
          <Nothing />
        ) : (
          <>
            <Controls />
            <RaceTable racers={racers} />
            <RaceCharts racers={racers} />
          </>
        )}
      </div>
    </div>
  );
}

function Controls() {
  const racers = useRace((facts) => facts.racers);
  const paused = useRace((facts) => facts.paused);
  const own = racers.filter(({ isScreen }) => !isScreen);
  const going = own.filter(({ status }) => status !== "done").length;
  const failed = own.filter((racer) => runOf(racer).state === "failed").length;
  const said =
    going > 0
      ? `${going} of ${own.length} ${paused ? "paused" : "under way"}`
      : failed > 0
        ? `Ended; ${failed} of ${own.length} failed`
        : `Finished: ${own.length === 1 ? "one branch" : `${own.length} racers`}`;
  return (
    <div className="race-controls line">
      <p role="status" aria-live="polite">
        {said}
      </p>
      {going > 0 && (
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
      {going === 0 && (
        <Button kind="quiet" onPress={clearRace}>
          Clear
        </Button>
      )}
    </div>
  );
}

function Nothing() {
  return (
    <section className="compare-empty">
      <h2>Does it matter?</h2>
      <p>
        One run proves little: curves differ by chance. A race runs two to four configurations from one seed, each in a worker of its own,
        and lays their curves over each other; a fork takes a run you have, changes one setting at one step, and shows both futures.
      </p>
      <p>Here will be a table of what differs and what each reached, with intervals and a verdict, and the curves below it.</p>
    </section>
  );
}
