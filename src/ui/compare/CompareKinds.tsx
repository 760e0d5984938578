// What can be compared: three kinds on the Compare screen, and sweeps, which have a screen of their own.
import { goTo, parseRoute } from "../route.ts";
import { type RaceSetup, setRace } from "./setup/raceSetup.ts";

const KINDS = [
  ["race", "Race"],
  ["fork", "Fork"],
  ["runs", "Kept runs"],
  ["sweep", "Sweep"],
] as const;

export function CompareKinds({ current }: { readonly current: RaceSetup["kind"] | "sweep" }) {
  const choose = (kind: (typeof KINDS)[number][0]) => {
    if (kind === "sweep") return goTo("sweep");
    if (kind !== current) setRace({ kind, vary: null, values: null });
    if (parseRoute(window.location.hash).screen !== "compare") goTo("compare");
  };
  return (
    <fieldset className="choices line">
      <legend className="visually-hidden">What to compare</legend>
      {KINDS.map(([each, title]) => (
        <button key={each} type="button" className="choices-one" aria-pressed={each === current} onClick={() => choose(each)}>
          {title}
        </button>
      ))}
    </fieldset>
  );
}
