// The Compare screen: configurations raced from the same seeds, or a run and its branches, curve over curve.
import { useEngine } from "../../engine/store/useRunView.ts";
import { CompareKinds } from "./CompareKinds.tsx";
import { KeptBoard, KeptSetup } from "./kept/KeptRuns.tsx";
import { useRaceAddress } from "./raceAddressSync.ts";
import { useRace } from "./raceStore.ts";
import { RaceBoard } from "./result/Board.tsx";
import { ForkSetup } from "./setup/ForkSetup.tsx";
import { NoRace } from "./setup/NoRace.tsx";
import { RaceSetup } from "./setup/RaceSetup.tsx";
import { useRaceSetup } from "./setup/raceSetup.ts";
import "./compare.css";
import "./result/raceTable.css";

export function CompareScreen() {
  const catalog = useEngine((facts) => facts.catalog);
  const kind = useRaceSetup((setup) => setup.kind);
  const hasRacers = useRace((facts) => facts.racers.length > 0);
  useRaceAddress(catalog);
  return (
    <div className="compare">
      <h1 className="visually-hidden">Compare</h1>
      <section className="compare-setup" aria-label="Set-up">
        <CompareKinds current={kind} />
        {!catalog && <p className="pane-note aside">The engine is loading …</p>}
        {catalog && kind === "race" && <RaceSetup catalog={catalog} />}
        {catalog && kind === "fork" && <ForkSetup catalog={catalog} />}
        {kind === "runs" && <KeptSetup />}
      </section>
      <div className="compare-board stack">{kind === "runs" ? <KeptBoard /> : hasRacers ? <RaceBoard /> : <NoRace />}</div>
    </div>
  );
}
