// The runs among the files that were opened: how they were told apart, which of them is on screen, and ways to put another one beside them.
import { counted } from "../../protocol/quantities.ts";
import { RUN_SPLITS, type RunSplit, type TraceReport } from "../../protocol/rollouts/traces.ts";
import { Button } from "../kit/controls/Button.tsx";
import { Choice, optionsOf } from "../kit/controls/Choice.tsx";
import { Fold } from "../kit/controls/Fold.tsx";
import { FilesOrFolder } from "../kit/form/ChooseFiles.tsx";
import { canReadAgain, choiceNow, earlierName, openBeside, openEarlierBeside, readAgain } from "./openFiles.ts";
import { pairHash } from "./pair/pairAddress.ts";

/** How runs were told apart: "runs are ...". */
export const SPLIT_TEXTS: Readonly<Record<RunSplit, string>> = {
  one: "not told apart: all files are of one",
  folders: "told apart by their folders",
  files: "told apart by their files",
};
const SPLITS = optionsOf({ one: "All files are of one", folders: "Each folder is one", files: "Each file is one" });

/** Another run beside this: chosen now, or the one that stood open before. */
function AddRun() {
  const earlier = earlierName();
  return (
    <Fold title="Compare with another run on the same prompts" level={3}>
      <div className="stack">
        {earlier !== null && (
          <p className="line">
            {earlier} stood open before. <Button onPress={() => void openEarlierBeside()}>Put it beside this</Button>
          </p>
        )}
        <p>Choose the files of the other run. Both are read on this machine and stay apart.</p>
        <FilesOrFolder
          names={{ files: "Files of another run", folder: "A folder of another run" }}
          onFiles={(files) => void openBeside(files)}
        />
      </div>
    </Fold>
  );
}

export function RunsFound({ report: { runs, files } }: { readonly report: TraceReport }) {
  const several = runs && runs.all.length > 1 ? runs : null;
  const { run: _, ...choice } = choiceNow();
  const split = (id: string) => {
    const by = RUN_SPLITS.find((each) => each === id);
    if (by) void readAgain({ ...choice, runs: by });
  };
  return (
    <section className="stack" aria-labelledby="open-runs">
      {several && (
        <>
          <h3 id="open-runs">
            {several.all.length} runs, {SPLIT_TEXTS[several.by]}
            {several.isChosen ? ", as you chose" : ""}
          </h3>
          <ul>
            {several.all.map(({ name, title, rollouts, steps }) => (
              <li key={name}>
                {name}: {title}, {counted(rollouts.toLocaleString("en"), "rollout")} in {counted(steps, "step")}
              </li>
            ))}
          </ul>
          <p>
            <a className="button button-primary" href={pairHash()}>
              Two runs side by side
            </a>
          </p>
          {canReadAgain() && (
            <Choice
              className="field-inline"
              label="Shown below and on all other screens"
              value={several.shown}
              options={several.all.map(({ name }) => ({ id: name, title: name }))}
              onChange={(run) => void readAgain({ ...choice, run })}
            />
          )}
        </>
      )}
      {canReadAgain() && (runs !== undefined || files > 1) && (
        <Choice className="field-inline" label="Runs among the files" value={runs?.by ?? "one"} options={SPLITS} onChange={split} />
      )}
      {!several && (
        <h3 id="open-runs" className="visually-hidden">
          Other runs
        </h3>
      )}
      {canReadAgain() && <AddRun />}
    </section>
  );
}
