// Under the table of runs: opening one that was trained on the command line or downloaded from a page.
import { useEffect, useRef } from "react";
import { hashOf } from "../../engine/route.ts";
import { Button } from "../../kit/controls/Button.tsx";
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
  const file = useRef<HTMLInputElement>(null);
  const folder = useRef<HTMLInputElement>(null);
  const outcome = useRuns((facts) => facts.brought);
  const isBusy = useRuns((facts) => facts.isBringing);
  const chosen = (input: HTMLInputElement) => {
    const files = Array.from(input.files ?? []);
    // The same file can be chosen again.
    input.value = "";
    if (files.length > 0) void importChosen(files);
  };
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
        <Button isDisabled={isBusy} onPress={() => folder.current?.click()}>
          Choose a run's folder
        </Button>
        <Button isDisabled={isBusy} onPress={() => file.current?.click()}>
          Choose a saved file
        </Button>
      </div>
      <p>
        Rollouts that TRL, verl or another program wrote open on the screen <a href={hashOf("open")}>Open rollouts</a>.
      </p>
      <input
        {...{ webkitdirectory: "" }}
        {...{ ref: folder, type: "file", hidden: true, "aria-label": "A run's folder" }}
        onChange={(event) => chosen(event.currentTarget)}
      />
      <input
        {...{ ref: file, type: "file", hidden: true, multiple: true, "aria-label": "A saved file" }}
        onChange={(event) => chosen(event.currentTarget)}
      />
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
