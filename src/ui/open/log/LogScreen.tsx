// The screen for logs of other programs: lines are pasted or files chosen, and what they show stands below at once.
// Nothing leaves the page.
import { Label, TextArea, TextField } from "react-aria-components";
import { counted } from "../../../protocol/quantities.ts";
import type { GivenLog } from "../../../rl/logs/readingThread.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { ProgressLine } from "../../kit/controls/States.tsx";
import { ChooseFiles } from "../../kit/form/ChooseFiles.tsx";
import { useBrought } from "../../runs/replay/openRecording.ts";
import { giveLog, giveLogFiles } from "../openFiles.ts";
import { LogReport } from "./LogReport.tsx";
import { useReading } from "./useReading.ts";
import "../../kit/verdict/verdict.css";
import "./log.css";

/**
 * Two short logs to try, made up as verl and TRL write them: answers that are all cut off, and a loss that only looks
 * as if nothing were learnt.
 */
const cutOff = [1, 2, 3, 4, 5, 6].map(
  (step) =>
    `step:${step} - actor/entropy:0.3${9 - step}1 - actor/pg_loss:0.0 - actor/kl_loss:0.0 - actor/grad_norm:0.0 - critic/score/mean:0.0 - critic/advantages/max:0.0 - response_length/mean:${254 + (step % 3)}.0 - response_length/max:256.0 - response_length/clip_ratio:0.9${7 + (step % 3)}`,
);
const lossOfZero = [1, 2, 3, 4, 5, 6].map(
  (step) =>
    `{'loss': ${step > 4 ? "0.0001" : "0.0"}, 'grad_norm': 0.1${step}2, 'learning_rate': ${7 - step}e-06, 'reward': 0.8${step}4, 'reward_std': 0.41${step}, 'completions/mean_length': 23${step}.5, 'kl': 0.000${step}, 'epoch': 0.0${step}}`,
);

const EXAMPLE_LOGS = [
  { title: "Try a log of verl", text: cutOff.join("\n") },
  { title: "Try a log of TRL", text: lossOfZero.join("\n") },
];

function GiveFiles() {
  const problem = useBrought((facts) => facts.logProblem);
  return (
    <>
      <ChooseFiles what="Files of a log" isMultiple onChoose={(files) => giveLogFiles(files.map((file) => ({ path: file.name, file })))}>
        Choose files
      </ChooseFiles>
      <span role="alert">{problem !== null && <span className="save-problem">{problem}</span>}</span>
    </>
  );
}

function Give({ what }: { readonly what: GivenLog }) {
  const text = "text" in what ? what.text : "";
  return (
    <section className="stack log-give" aria-label="The log">
      {"files" in what ? (
        <p>
          {counted(what.files.length, "file")}: {what.files.map(({ path }) => path).join(", ")}
        </p>
      ) : (
        <TextField className="field" value={text} onChange={(typed) => giveLog({ text: typed })}>
          <Label className="field-label">Lines of the log</Label>
          <TextArea
            className="input input-boxed log-text mono"
            rows={8}
            spellCheck="false"
            placeholder="{'loss': 0.0, 'grad_norm': 0.09, 'reward': 1.7, 'reward_std': 0.57, 'kl': 0.0005}"
          />
        </TextField>
      )}
      <div className="actions">
        <GiveFiles />
        {("files" in what || text !== "") && (
          <Button kind="quiet" onPress={() => giveLog({ text: "" })}>
            Take it away
          </Button>
        )}
        {text === "" &&
          !("files" in what) &&
          EXAMPLE_LOGS.map(({ title, text: example }) => (
            <Button key={title} kind="quiet" onPress={() => giveLog({ text: example })}>
              {title}
            </Button>
          ))}
      </div>
    </section>
  );
}

/** How far the reading is, and a way to end it. */
function Progress({ share, onEnd }: { readonly share: number; readonly onEnd: () => void }) {
  const percent = Math.round(100 * share);
  return (
    <div className="stack">
      <p role="status" className="line">
        Reading the log … {percent} %{" "}
        <Button kind="quiet" onPress={onEnd}>
          Stop reading
        </Button>
      </p>
      <ProgressLine label="Log read" percent={percent} />
    </div>
  );
}

export function LogScreen() {
  const what = useBrought((facts) => facts.log);
  const read = useReading(what);
  const log = read.is === "read" ? read.reading.evidence.log : null;
  return (
    <div className="log stack content-start gap-3">
      <header>
        <h1>Read a log</h1>
        <p>
          Paste lines of a training that was made elsewhere, or drop or choose its files. Its curves are read as those of a run here, and
          what is wrong with it is named, or what only looks wrong. Nothing leaves this page.
        </p>
        <p className="fine-print">
          TRL, Unsloth, open-r1, verl, OpenRLHF, slime, Tinker cookbook, prime-rl and others: dictionaries, <code>key:value</code>, tables,
          CSV, trainer_state.json, TensorBoard’s event files, exports of Weights &amp; Biases and MLflow. Configuration pasted beside them
          is read too.
        </p>
      </header>
      <Give what={what} />
      {read.is === "reading" && <Progress share={read.share} onEnd={() => giveLog({ text: "" })} />}
      {read.is === "failed" && (
        <p role="alert" className="save-problem">
          It could not be read: {read.why}
        </p>
      )}
      {log && log.rows.length === 0 && (
        <p role="alert">
          No line of {counted(log.lines.of, "line")} is one that a training’s log is known by. It has to hold names with their numbers, such
          as <code>{"{'loss': 0.1, 'reward': 0.5}"}</code> or <code>step:3 - critic/score/mean:0.5 - actor/entropy:0.4</code>.
        </p>
      )}
      {read.is === "read" && read.reading.evidence.log.rows.length > 0 && <LogReport reading={read.reading} />}
    </div>
  );
}
