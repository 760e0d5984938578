// The run on screen for other programs and for people: each form with what it is, and what came of it. Loads when it is opened.
import { forms } from "../../../export/forms.ts";
import { engine } from "../../engine/client.ts";
import { downloadSave } from "../../engine/saves/saveActions.ts";
import { useRun } from "../../engine/store/useRunView.ts";
import { DialogEnd, Frame } from "../../kit/dialog/Frame.tsx";
import { downloadRollout } from "../replay/shareRun.ts";
import { exportAs, exportModel } from "./exportRun.ts";
import { type Way, WayRow } from "./WayRow.tsx";

/** To hand the run on as it is. */
const TO_SHARE: readonly Way[] = [
  {
    name: "rollout",
    make: downloadRollout,
    help: "the recording in one file, with its conversations: drop it on this page to replay it or to continue from any step",
  },
];

async function downloadRun(): Promise<undefined> {
  const { runId } = engine.view.facts.getState();
  if (runId !== null) await downloadSave(runId);
}

/** What hands it on first, and the page of a run, since people open them; then what goes on from the run, then its records. */
function waysOf(hasModel: boolean, isSaved: boolean): readonly Way[] {
  const records = forms.map((form): Way => ({ name: form.name, help: form.help, make: () => exportAs(form).then(() => undefined) }));
  return [
    ...TO_SHARE,
    ...records.filter(({ name }) => name === "report"),
    ...(isSaved
      ? [{ name: "save", help: "the run as one file, which this page and the command line can continue", make: downloadRun }]
      : []),
    ...(hasModel
      ? [
          {
            name: "hf",
            help: "the policy as a Hugging Face model folder, which transformers, TRL and vLLM load",
            make: () => exportModel().then(() => undefined),
          },
        ]
      : []),
    ...records.filter(({ name }) => name !== "report"),
  ];
}

export function ExportDialog({ onClose }: { readonly onClose: () => void }) {
  const hasModel = useRun(({ config }) => config?.model === "transformer");
  const isSaved = useRun(({ savedStep }) => savedStep !== null);
  const hasRun = useRun(({ runId }) => runId !== null);
  return (
    <Frame title="Share, export or report" isOpen onClose={onClose}>
      <p>
        {hasRun
          ? "The run on screen as it is now, in the formats of the command line. Several files come as one archive. Conversations are included for the steps still in memory: the oldest, the evaluated and the newest."
          : "There is no run on screen to export: train one, or open one that is saved."}
      </p>
      {hasRun && (
        <ul className="saves grid">
          {waysOf(hasModel, isSaved).map((way) => (
            <WayRow key={way.name} {...way} />
          ))}
        </ul>
      )}
      <p className="fine-print">
        Folders that TRL and verl train from are written on the command line: <code>rollout-lab export FILE --to trl</code>, of the file
        that “save” downloads.
      </p>
      <DialogEnd onClose={onClose} />
    </Frame>
  );
}
