// The screen that opens rollouts of other programs: ways to give it files, how far the reading is, and what was found in them.
import { useState } from "react";
import { useHash } from "../engine/address/hash.ts";
import { hashOf, parseRoute } from "../engine/route.ts";
import { useRun } from "../engine/store/useRunView.ts";
import { Button } from "../kit/controls/Button.tsx";
import { Fold } from "../kit/controls/Fold.tsx";
import { ProgressLine } from "../kit/controls/States.tsx";
import { TextInput } from "../kit/controls/TextInput.tsx";
import { FilesOrFolder } from "../kit/form/ChooseFiles.tsx";
import { lazyPart } from "../kit/lazyPart.tsx";
import { useBrought } from "../runs/replay/openRecording.ts";
import { FromHub } from "./FromHub.tsx";
import { canReadAgain, goOnOpening, openFiles, pastedFile, readAgain } from "./openFiles.ts";
import { pairPlaceIn } from "./pair/pairAddress.ts";
import { TraceReportView } from "./TraceReportView.tsx";
import "./open.css";

const PairScreen = lazyPart(() => import("./pair/PairScreen.tsx"), "PairScreen");

const FORMS =
  "Rollouts of TRL (completions as Parquet), verl, prime-rl, verifiers and the Tinker cookbook, and chats of anyone as JSONL, JSON or Parquet.";

function PickFiles() {
  return (
    <div className="open-zone grid justify-items-start gap-1 rounded padded">
      <p>Drop files or folders anywhere on this page, or choose them.</p>
      <FilesOrFolder
        names={{ files: "Files of rollouts", folder: "A folder of rollouts" }}
        onFiles={(files) => void openFiles(files)}
        isFirst
      />
      <p className="note">{FORMS}</p>
      <p className="note">Nothing leaves this tab: the files are read on this machine and are not kept.</p>
    </div>
  );
}

function PasteText() {
  const [text, setText] = useState("");
  return (
    <Fold title="Paste a few lines" level={2} className="open-paste">
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() !== "") void openFiles([pastedFile(text)]);
        }}
      >
        <label className="field-label" htmlFor="open-pasted">
          Rollouts as JSON, one on each line or all in one list
        </label>
        <textarea
          id="open-pasted"
          className="input input-boxed mono"
          rows={6}
          spellCheck={false}
          placeholder='{"prompt": "2 + 3 =", "completion": "5", "reward": 1}'
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <div className="actions">
          <Button isResting={text.trim() === ""} onPress={() => void openFiles([pastedFile(text)])}>
            Read the text
          </Button>
        </div>
      </form>
    </Fold>
  );
}

/** What is under way, or why nothing came of it. */
function Reading() {
  const { name, isReading, problem, isWaiting } = useBrought();
  const asking = useRun((facts) => facts.asking);
  const hasFirst = useRun((facts) => facts.recording?.traced?.isWhole === false);
  const percent = asking && asking.total > 0 ? Math.round((100 * asking.done) / asking.total) : null;
  return (
    <>
      <div role="status">
        {isReading && (
          <p>
            Reading {name} …{percent !== null && ` ${percent} %`}
          </p>
        )}
        {isReading && hasFirst && (
          <p>
            Its first step is here: <a href={hashOf("rollouts")}>look at it</a> while the rest is read.
          </p>
        )}
        {isWaiting && (
          <p className="line">
            A run trains here. It pauses and stays saved when {name} opens.{" "}
            <Button kind="primary" onPress={() => void goOnOpening()}>
              Pause the run and open
            </Button>
          </p>
        )}
      </div>
      {isReading && percent !== null && <ProgressLine label="Files read" percent={percent} />}
      <div role="alert">
        {problem !== null && (
          <p className="save-problem">
            {name === null ? "" : `${name} could not be opened: `}
            {problem}
          </p>
        )}
      </div>
    </>
  );
}

/** Where nothing was recognised: the column of the answers may be named. */
function NameAnswers() {
  const problem = useBrought((facts) => facts.problem);
  const traced = useRun((facts) => facts.recording?.traced ?? null);
  if (problem === null || traced !== null || !canReadAgain() || !/holds no rollouts that are known/.test(problem)) return null;
  return (
    <TextInput
      label="Name of the column that holds the answers"
      value=""
      onChange={(typed) => {
        if (typed.trim() !== "") void readAgain({ form: "chat", columns: { [typed.trim()]: { role: "completion" } } });
      }}
    />
  );
}

export function OpenScreen() {
  const traced = useRun((facts) => facts.recording?.traced ?? null);
  const isReading = useBrought((facts) => facts.isReading);
  const pair = pairPlaceIn(parseRoute(useHash()).query);
  const isPair = (traced?.runs?.all.length ?? 0) > 1;
  if (pair.isShown && isPair && !isReading) return <PairScreen place={pair} />;
  return (
    <div className="open grid grid-cols-1 content-start gap-2">
      <h1 className="title">Open rollouts</h1>
      {pair.isShown && !isPair && (
        <p role="status">This address shows two runs side by side: open the folders of both, together or one after the other.</p>
      )}
      <p>
        See rollouts that another program wrote, token by token, with their groups, rewards and advantages. Of a log alone:{" "}
        <a href={hashOf("log")}>read a log</a>.
      </p>
      <PickFiles />
      <Reading />
      <NameAnswers />
      {traced !== null && !isReading && <TraceReportView report={traced} />}
      <PasteText />
      <FromHub />
    </div>
  );
}
