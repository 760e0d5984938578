// The Compare screen: configurations raced from the same seeds, or a run and its branches, curve over curve.
import { useState } from "react";
import { useEngine } from "../store/useRunView.ts";
import { RaceBar } from "./RaceBar.tsx";
import { RaceHead } from "./RaceHead.tsx";
import { useRaceAddress } from "./raceAddressSync.ts";
import { useRace } from "./raceStore.ts";
import { RaceCharts } from "./result/RaceCharts.tsx";
import { RacerRollouts } from "./result/RacerRollouts.tsx";
import { RaceTable } from "./result/RaceTable.tsx";
import { useJudgedRace } from "./result/raceResult.ts";
import { ForkSetup } from "./setup/ForkSetup.tsx";
import { NoRace } from "./setup/NoRace.tsx";
import { RaceSetup } from "./setup/RaceSetup.tsx";
import { setRace, useRaceSetup } from "./setup/raceSetup.ts";
import "./compare.css";
import "./result/raceTable.css";

const KINDS = [
  ["race", "Race"],
  ["fork", "Fork"],
] as const;

export function CompareScreen() {
  const catalog = useEngine((facts) => facts.catalog);
  const kind = useRaceSetup((setup) => setup.kind);
  const hasRacers = useRace((facts) => facts.racers.length > 0);
  useRaceAddress(catalog);
  return (
    <div className="compare">
      <h1 className="visually-hidden">Compare</h1>
      <section className="compare-setup" aria-label="Set-up">
        <fieldset className="choices line">
          <legend className="visually-hidden">What to compare</legend>
          {KINDS.map(([each, title]) => (
            <button
              key={each}
              type="button"
              className="choices-one"
              aria-pressed={each === kind}
              onClick={() => each !== kind && setRace({ kind: each, vary: null, values: null })}
            >
              {title}
            </button>
          ))}
        </fieldset>
        {!catalog && <p className="pane-note aside">The engine is loading …</p>}
        {catalog && kind === "race" && <RaceSetup catalog={catalog} />}
        {catalog && kind === "fork" && <ForkSetup catalog={catalog} />}
      </section>
      <div className="compare-board stack">{hasRacers ? <Board /> : <NoRace />}</div>
    </div>
  );
}

function Board() {
  const racers = useRace((facts) => facts.racers);
  const axis = useRaceSetup((setup) => setup.axis);
  const result = useJudgedRace();
  const [opened, setOpened] = useState<string | null>(null);
  const run = racers.flatMap(({ runs }) => runs).find(({ id }) => id === opened);
  const racer = racers.find(({ runs }) => run && runs.includes(run));
  return (
    <>
      <RaceBar />
      {run && racer ? (
        <RacerRollouts key={run.id} racer={racer} run={run} onClose={() => setOpened(null)} />
      ) : (
        <>
          <RaceHead racers={racers} result={result} />
          <RaceTable racers={racers} result={result} onOpen={setOpened} />
          <RaceCharts racers={racers} axis={axis} measure={result.measure} />
        </>
      )}
    </>
  );
}
