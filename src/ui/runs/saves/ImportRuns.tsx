// Under the table of runs: opening one that was trained on the command line or downloaded from a page.
import { useEffect, useRef } from "react";
import { hashOf } from "../../engine/route.ts";
import { ChooseFiles } from "../../kit/form/ChooseFiles.tsx";
import { useRuns } from "../list/runsStore.ts";
import { importChosen } from "./importRuns.ts";

function sentenceOf(added: readonly string[]): string {
  return `Saved here now: ${added.join(", ")}.`;
}

/** @param isWanted whether somebody came for it: it is then in sight and has the focus */
export function ImportRuns({ isWanted }: { readonly isWanted: boolean }) {
  const frame = useRef<HTMLElement>(null);
  useEffect(() => {
    if (!isWanted) return;
    frame.current?.focus();
    frame.current?.scrollIntoView({ block: "center" });
  }, [isWanted]);
  const outcome = useRuns((facts) => facts.brought);
  const isBusy = useRuns((facts) => facts.isBringing);
  return (
    <section ref={frame} tabIndex={-1} className="bring stack aside rule-above" aria-labelledby="runs-bring">
      <h2 id="runs-bring">Runs from elsewhere</h2>
      <p>
        You can open runs of the command line here, and use downloaded runs there (<code>rollout-lab eval FILE</code>). Drop its folder or
        file anywhere on the page, or choose it.
      </p>
      <p>
        Of a training by TRL, verl or another program, a few lines of its log are enough to name a cause:{" "}
        <a href={hashOf("log")}>read a log</a>.
      </p>
      <div className="actions">
        <ChooseFiles what="A run's folder" isFolder isDisabled={isBusy} onChoose={importChosen}>
          Choose a run's folder
        </ChooseFiles>
        <ChooseFiles what="A saved file" isMultiple isDisabled={isBusy} onChoose={importChosen}>
          Choose a saved file
        </ChooseFiles>
      </div>
      <p>
        Rollouts that TRL, verl or another program wrote open on the screen <a href={hashOf("open")}>Open rollouts</a>.
      </p>
      <div role="status">
        {isBusy && <p>Reading …</p>}
        {outcome && outcome.added.length > 0 && <p>{sentenceOf(outcome.added)}</p>}
      </div>
      <div role="alert">
        {outcome?.problems.map((problem) => (
          <p key={problem} className="save-problem">
            {problem}
          </p>
        ))}
      </div>
    </section>
  );
}
