// Runs that were kept beside each other: which ones, and what their difference is worth by the rules of the races.
import { useMemo } from "react";
import { goTo, hashOf } from "../../engine/route.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { Button, RemoveButton } from "../../kit/controls/Button.tsx";
import { Problem } from "../../kit/controls/States.tsx";
import { MOST_RUNS, setSetup, useSetup } from "../plan/setup.ts";
import { Result } from "../result/Board.tsx";
import type { Combination } from "../run/experiments.ts";
import type { Shape } from "../shapes/shape.ts";
import { Evaluations } from "./Evaluations.tsx";
import { type KeptRun, keptCombinations } from "./keptCombinations.ts";
import { SamePrompts } from "./SamePrompts.tsx";
import { SettingsTable } from "./SettingsTable.tsx";
import { useKept } from "./useKept.ts";

/** Which runs are compared. */
export function KeptSetup() {
  const ids = useSetup("compare", (setup) => setup.runs);
  const saves = useEngine((facts) => facts.saves);
  const nameOf = (runId: string) => saves?.find((save) => save.runId === runId)?.name ?? runId;
  return (
    <div className="stack">
      <p className="aside">
        Up to {MOST_RUNS} runs of this browser, over each other. Runs that differ only in their seed count as one setting.
      </p>
      <ul className="kept-runs">
        {ids.map((runId) => (
          <li key={runId} className="line">
            <a href={hashOf("runs", { run: runId })}>{nameOf(runId)}</a>
            <RemoveButton
              label={`Leave ${nameOf(runId)} out`}
              onPress={() => setSetup("compare", { runs: ids.filter((each) => each !== runId) })}
            />
          </li>
        ))}
      </ul>
      <p>
        <Button onPress={() => goTo("runs")}>Choose runs</Button>
      </p>
    </div>
  );
}

export function KeptBoard({ shape }: { readonly shape: Shape }) {
  const { runs, problems, isWaiting } = useKept();
  const ids = useSetup("compare", (setup) => setup.runs);
  const combinations = useMemo(() => keptCombinations(runs), [runs]);
  return (
    <>
      {problems.map((problem) => (
        <Problem key={problem} text={problem} />
      ))}
      {ids.length === 0 && (
        <p>
          Choose two or more runs on the screen <a href={hashOf("runs")}>Runs</a>, then press Compare.
        </p>
      )}
      {ids.length > 0 && isWaiting && runs.length === 0 && problems.length === 0 && <p className="aside">Reading the runs …</p>}
      {runs.length === 1 && <p className="aside">Choose at least one more run to compare with.</p>}
      {runs.length > 0 && <Compared shape={shape} runs={runs} combinations={combinations} />}
    </>
  );
}

interface ComparedProps {
  readonly shape: Shape;
  readonly runs: readonly KeptRun[];
  readonly combinations: readonly Combination[];
}

function Compared({ shape, runs, combinations }: ComparedProps) {
  const letters = new Map(combinations.flatMap(({ id, runs: own }) => own.map((run) => [run.id, id] as const)));
  const lettered = runs.map((run) => ({ ...run, letter: letters.get(run.runId) ?? "" }));
  return (
    <>
      <Result combinations={combinations} shape={shape} />
      <SettingsTable combinations={combinations} />
      <Evaluations runs={lettered} />
      <SamePrompts runs={lettered} />
    </>
  );
}
