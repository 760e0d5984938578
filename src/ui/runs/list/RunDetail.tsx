// One run beside the table: what is written on it, where it comes from, and what can be done with it.
import { Pin, PinOff } from "lucide-react";
import { useState } from "react";
import { beginsWithRun } from "../../../protocol/config/configFacts.ts";
import { bytesText } from "../../../protocol/memory.ts";
import { LABEL_LIMITS } from "../../../protocol/run/runLabel.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { goTo, hashOf, parseRoute, placeIn } from "../../engine/route.ts";
import { continueVerb, dateText, stepText } from "../../engine/saves/saveTexts.ts";
import { useCatalog, useEngine, useRun } from "../../engine/store/useRunView.ts";
import { ExperimentOfRun } from "../../experiment/ExperimentsOfRuns.tsx";
import { Button, RemoveButton } from "../../kit/controls/Button.tsx";
import { TextInput } from "../../kit/controls/TextInput.tsx";
import { ForkForm } from "./ForkForm.tsx";
import { downloadRun, goOnWithRun, labelWith, openKeptRun, shareRun, writeOn } from "./runActions.ts";
import { deleteSoon } from "./runsStore.ts";
import { subjectText } from "./table/RunColumns.tsx";

const closed = () => goTo("runs");

/** Why a text cannot be a tag, or nothing. */
function tagRefusal(tags: readonly string[]): (typed: string) => string | undefined {
  return (typed) => {
    const tag = typed.trim();
    if (tag.length > LABEL_LIMITS.tag) return `A tag must have at most ${LABEL_LIMITS.tag} letters, got ${tag.length}`;
    if (tag.includes(",")) return "A tag must have no comma";
    if (tags.includes(tag)) return `The run has the tag ${tag} already`;
    if (tag !== "" && tags.length >= LABEL_LIMITS.tags) return `A run must have at most ${LABEL_LIMITS.tags} tags`;
    return undefined;
  };
}

const tooLong = (what: string, most: number) => (typed: string) =>
  typed.trim().length > most ? `${what} must have at most ${most} letters, got ${typed.trim().length}` : undefined;

function Written({ row }: { readonly row: SaveSummary }) {
  const { label, name, runId } = row;
  const tags = label.tags ?? [];
  const write = (change: Parameters<typeof labelWith>[1]) => void writeOn([row], (before) => labelWith(before, change));
  return (
    <div className="stack runs-written">
      <TextInput
        label="Name"
        keepAs={`name/${runId}`}
        value={name}
        refusal={tooLong("A name", LABEL_LIMITS.name)}
        onChange={(typed) => write({ name: typed.trim() || null })}
      />
      <TextInput
        label="Notes"
        keepAs={`notes/${runId}`}
        hasLines
        value={label.notes ?? ""}
        refusal={tooLong("Notes", LABEL_LIMITS.notes)}
        onChange={(typed) => write({ notes: typed.trim() || null })}
      />
      <div className="facts runs-tags">
        {tags.map((tag) => (
          <span key={tag} className="runs-tag items-center wrap-anywhere framed rounded">
            {tag}
            <RemoveButton label={`Take the tag ${tag} away`} onPress={() => write({ tags: tags.filter((each) => each !== tag) })} />
          </span>
        ))}
      </div>
      <TextInput
        key={tags.length}
        label="Add a tag"
        keepAs={`tag/${runId}`}
        value=""
        refusal={tagRefusal(tags)}
        onChange={(typed) => typed.trim() !== "" && write({ tags: [...tags, typed.trim()] })}
      />
      <p>
        <Button kind="quiet" onPress={() => write({ isPinned: label.isPinned ? null : true })}>
          {label.isPinned ? <PinOff size={14} aria-hidden="true" /> : <Pin size={14} aria-hidden="true" />}
          {label.isPinned ? "Unpin" : "Pin to the top"}
        </Button>
      </p>
    </div>
  );
}

function Parent({ row, all }: { readonly row: SaveSummary; readonly all: readonly SaveSummary[] }) {
  const { parent, config } = row;
  if (!parent) return null;
  const there = all.find(({ runId }) => runId === parent.runId);
  const link = <a href={hashOf("runs", { run: parent.runId })}>{there?.name}</a>;
  const how = config && beginsWithRun(config) ? "Began with the weights of" : "Left";
  return (
    <p className="aside">
      {how} {there ? link : "a run that is not in this browser"} after step {parent.step}.
    </p>
  );
}

const WHY = { every: "as set", best: "best evaluation" } as const;

function KeptWeights({ row: { checkpoints = [] } }: { readonly row: SaveSummary }) {
  if (checkpoints.length === 0) return null;
  const bytes = checkpoints.reduce((sum, each) => sum + each.bytes, 0);
  return (
    <p className="aside">
      Weights kept beside the last ones, {bytesText(bytes, 1000)} at most:{" "}
      {checkpoints.map(({ step, why }) => `step ${step} (${why.map((each) => WHY[each]).join(", ")})`).join(", ")}.
    </p>
  );
}

interface RunDetailProps {
  readonly row: SaveSummary;
  readonly all: readonly SaveSummary[];
}

export function RunDetail({ row, all }: RunDetailProps) {
  const { runId, config, step, savedAt, bytes } = row;
  const isHere = useRun((facts) => facts.runId === runId && !facts.recording);
  const isUp = useEngine(({ status }) => status === "ready" || status === "quiet");
  const [isForking, setForking] = useState(placeIn("runs", parseRoute(window.location.hash).query).fork);
  const verb = continueVerb(row) === "Open" ? "Train on" : "Go on";
  return (
    <aside className="runs-detail stack framed on-surface rounded padded" aria-label={`The run ${row.name}`}>
      <div className="line runs-detail-head items-start justify-between">
        <h2>{row.name}</h2>
        <RemoveButton label="Close the run" onPress={closed} />
      </div>
      <p className="facts aside">
        <span>{subjectText(useCatalog(), row)}</span>
        <span>{stepText(row)}</span>
        <span>{dateText(savedAt)}</span>
        <span>{bytesText(bytes, 1000)}</span>
        {isHere && <span>on screen</span>}
      </p>
      <Parent row={row} all={all} />
      <ExperimentOfRun runId={row.runId} />
      <KeptWeights row={row} />
      <div className="actions">
        {config !== null && !isHere && step > 0 && (
          <Button kind="primary" isDisabled={!isUp} onPress={() => openKeptRun(runId)}>
            Open
          </Button>
        )}
        {isHere && (
          <Button kind="primary" onPress={() => goTo("train")}>
            Show it
          </Button>
        )}
        {config !== null && !isHere && (
          <Button isDisabled={!isUp} onPress={() => goOnWithRun(runId)}>
            {verb}
          </Button>
        )}
        {config !== null && step > 0 && (
          <Button isDisabled={!isUp} onPress={() => setForking(!isForking)}>
            Fork
          </Button>
        )}
        <Button isDisabled={!isUp} onPress={() => void downloadRun(runId)}>
          Download
        </Button>
        {config !== null && step > 0 && (
          <Button isDisabled={!isUp} onPress={() => void shareRun(runId)}>
            Share as a file
          </Button>
        )}
        {!isHere && (
          <Button
            kind="quiet"
            onPress={() => {
              deleteSoon([runId]);
              closed();
            }}
          >
            Delete
          </Button>
        )}
      </div>
      {isForking && config && <ForkForm row={row} config={config} onClose={() => setForking(false)} />}
      <Written key={runId} row={row} />
    </aside>
  );
}
