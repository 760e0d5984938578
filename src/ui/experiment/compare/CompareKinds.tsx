// What can be compared: three kinds on the Compare screen, and sweeps, which have a screen of their own.
import { goTo, parseRoute } from "../../engine/route.ts";
import { type RaceSetup, setRace } from "./setup/raceSetup.ts";

const KINDS = [
  { id: "race", title: "Race", explains: "Two to four configurations against each other" },
  { id: "fork", title: "Fork", explains: "A run against a branch of itself" },
  { id: "runs", title: "Kept runs", explains: "Up to six runs that are kept, over each other" },
  { id: "sweep", title: "Sweep", explains: "One or two settings over many values and seeds, in a queue" },
] as const;

interface CompareKindsProps {
  readonly current: RaceSetup["kind"] | "sweep";
}

/** Goes to what is chosen, on whichever of the two screens it stands. */
export function CompareKinds({ current }: CompareKindsProps) {
  const choose = (kind: (typeof KINDS)[number]["id"]) => {
    if (kind === "sweep") return goTo("sweep");
    if (kind !== current) setRace({ kind, vary: null, values: null });
    if (parseRoute(window.location.hash).screen !== "compare") goTo("compare");
  };
  return (
    <fieldset className="choices line">
      <legend className="visually-hidden">What to compare</legend>
      {KINDS.map(({ id, title, explains }) => (
        <button key={id} type="button" className="choices-one" title={explains} aria-pressed={id === current} onClick={() => choose(id)}>
          {title}
        </button>
      ))}
    </fieldset>
  );
}
