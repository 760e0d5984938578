// The saved runs of this browser, each with what can be done with it. One that cannot be read is named with
// the reason; it can still be downloaded, or deleted.
import { useEffect, useRef, useState } from "react";
import { bytesText } from "../../../protocol/memory.ts";
import { shortened } from "../../../protocol/problems.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { deleteSave, downloadSave, goOnWith, replayRun } from "../../engine/saves/saveActions.ts";
import { continueVerb, dateText, stepText } from "../../engine/saves/saveTexts.ts";
import { useEngine, useRun } from "../../engine/store/useRunView.ts";
import { Button } from "../../kit/controls/Button.tsx";
import "./saves.css";

const MOST_REASON = 200;

interface QuestionProps {
  readonly what: string;
  readonly onAnswer: (isSure: boolean) => void;
}

/** Takes the focus, on the answer that does no harm. */
function DeleteQuestion({ what, onAnswer }: QuestionProps) {
  const frame = useRef<HTMLFieldSetElement>(null);
  useEffect(() => frame.current?.querySelector<HTMLElement>("button:last-child")?.focus(), []);
  return (
    <fieldset className="actions save-question items-center" ref={frame}>
      <legend>Delete this save for good?</legend>
      <Button onPress={() => onAnswer(true)} label={`Delete for good: ${what}`}>
        Delete
      </Button>
      <Button onPress={() => onAnswer(false)}>Keep</Button>
    </fieldset>
  );
}

interface SaveRowProps {
  readonly save: SaveSummary;
  readonly name: string;
  readonly onDeleted: () => void;
}

function SaveRow({ save, name, onDeleted }: SaveRowProps) {
  const { runId, savedAt, bytes, config, problem } = save;
  // The run on screen goes on by itself, and its save goes with it.
  const isHere = useRun((facts) => facts.runId === runId && !facts.recording);
  const isUp = useEngine((facts) => facts.status === "ready" || facts.status === "quiet");
  const [isAsking, setAsking] = useState(false);
  const row = useRef<HTMLLIElement>(null);
  const what = `${name}, ${stepText(save)}`;
  const verb = continueVerb(save);
  const answer = (isSure: boolean) => {
    setAsking(false);
    // The question goes away with its buttons.
    row.current?.focus();
    if (isSure) void deleteSave(runId).then((isGone) => isGone && onDeleted());
  };
  return (
    <li className="save line justify-between rule-above" ref={row} tabIndex={-1}>
      <div>
        <p className="wrap-anywhere">
          <b className="strong">{name}</b>
          {isHere && " on screen"}
        </p>
        <p className="facts aside">
          <span>{stepText(save)}</span>
          <time dateTime={new Date(savedAt).toISOString()}>{dateText(savedAt)}</time>
          {bytes > 0 && <span>{bytesText(bytes, 1000)}</span>}
        </p>
        {problem !== undefined && <p className="save-problem">It cannot be continued: {shortened(problem, MOST_REASON)}</p>}
      </div>
      {isAsking ? (
        <DeleteQuestion what={what} onAnswer={answer} />
      ) : (
        <div className="actions">
          {config !== null && !isHere && (
            <Button isDisabled={!isUp} onPress={() => goOnWith(runId)} label={`${verb} ${what}`}>
              {verb}
            </Button>
          )}
          {config !== null && !isHere && save.step > 0 && (
            <Button isDisabled={!isUp} onPress={() => replayRun(runId)} label={`Replay ${what}`}>
              Replay
            </Button>
          )}
          <Button kind="quiet" isDisabled={!isUp} onPress={() => void downloadSave(runId)} label={`Download ${what}`}>
            Download
          </Button>
          {!isHere && (
            <Button kind="quiet" isDisabled={!isUp} onPress={() => setAsking(true)} label={`Delete ${what}`}>
              Delete
            </Button>
          )}
        </div>
      )}
    </li>
  );
}

interface SavedRunsProps {
  readonly saves: readonly SaveSummary[];
}

export function SavedRuns({ saves }: SavedRunsProps) {
  const list = useRef<HTMLUListElement>(null);
  return (
    <ul className="saves grid" ref={list} tabIndex={-1} aria-label="Saved runs">
      {saves.map((save) => (
        <SaveRow
          key={save.runId}
          save={save}
          name={save.config ? save.name : `A run that cannot be read (${shortened(save.name, 40)})`}
          onDeleted={() => list.current?.focus()}
        />
      ))}
    </ul>
  );
}
