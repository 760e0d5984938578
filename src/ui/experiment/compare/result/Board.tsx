// What racers show: the sentence, the table and the curves, whether they race here or ran long ago.

import { useState } from "react";
import { RaceBar } from "../RaceBar.tsx";
import { RaceHead } from "../RaceHead.tsx";
import { type Racer, useRace } from "../raceStore.ts";
import { useRaceSetup } from "../setup/raceSetup.ts";
import { RaceCharts } from "./RaceCharts.tsx";
import { RacerRollouts } from "./RacerRollouts.tsx";
import { RaceTable } from "./RaceTable.tsx";
import { useJudgedRace } from "./raceResult.ts";

interface BoardProps {
  readonly racers: readonly Racer[];
  /** Shows a run's rollouts. */
  readonly onOpen: (run: string) => void;
}

export function Board({ racers, onOpen }: BoardProps) {
  const axis = useRaceSetup((setup) => setup.axis);
  const result = useJudgedRace(racers);
  return (
    <>
      <RaceHead racers={racers} result={result} />
      <RaceTable racers={racers} result={result} onOpen={onOpen} />
      <RaceCharts racers={racers} axis={axis} measure={result.measure} />
    </>
  );
}

/** The race that is set up here, with its controls. */
export function RaceBoard() {
  const racers = useRace((facts) => facts.racers);
  const [opened, setOpened] = useState<string | null>(null);
  const run = racers.flatMap(({ runs }) => runs).find(({ id }) => id === opened);
  const racer = racers.find(({ runs }) => run && runs.includes(run));
  return (
    <>
      <RaceBar />
      {run && racer ? (
        <RacerRollouts key={run.id} racer={racer} run={run} onClose={() => setOpened(null)} />
      ) : (
        <Board racers={racers} onOpen={setOpened} />
      )}
    </>
  );
}
