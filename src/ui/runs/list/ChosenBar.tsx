// How many runs there are, and what can be done with several at once.
import { memo, useMemo, useState } from "react";
import { counted } from "../../../protocol/quantities.ts";
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";
import { useRun } from "../../engine/store/useRunView.ts";
import { MOST_RUNS } from "../../experiment/plan/setup.ts";
import { Button } from "../../kit/controls/Button.tsx";
import { compareRuns, downloadRun, labelWith, writeOn } from "./runActions.ts";
import { choose, deletableOf, deleteSoon, HERE_STAYS } from "./runsStore.ts";

interface ChosenBarProps {
  readonly all: readonly SaveSummary[];
  readonly found: readonly SaveSummary[];
  readonly chosen: ReadonlySet<string>;
}

/** Adds a tag to all of them. */
function TagAll({ rows }: { readonly rows: readonly SaveSummary[] }) {
  const [tag, setTag] = useState("");
  const add = () => {
    const text = tag.trim();
    if (text === "") return;
    void writeOn(rows, (label) => labelWith(label, { tags: [...new Set([...(label.tags ?? []), text])] }));
    setTag("");
  };
  return (
    <form
      className="line runs-tag-all gap-half"
      onSubmit={(event) => {
        event.preventDefault();
        add();
      }}
    >
      <input
        className="input input-boxed"
        aria-label="A tag for the chosen runs"
        placeholder="tag"
        value={tag}
        onChange={(event) => setTag(event.target.value)}
      />
      <Button onPress={add}>Tag</Button>
    </form>
  );
}

/** How many are chosen, and which of them somebody might not think of: those that the filter hides, and pinned ones. */
export function chosenText(rows: readonly SaveSummary[], found: readonly SaveSummary[]): string {
  const hidden = rows.filter((row) => !found.includes(row)).length;
  const pinned = rows.filter(({ label }) => label.isPinned).length;
  const also = [...(hidden > 0 ? [`${hidden} of them hidden by the filter`] : []), ...(pinned > 0 ? [`${pinned} pinned`] : [])];
  return [`${rows.length} chosen`, ...also].join(", ");
}

/** One after the other: each is read whole. */
async function downloadAll(runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) await downloadRun(runId);
}

export const ChosenBar = memo(function ChosenBar({ all, found, chosen }: ChosenBarProps) {
  const rows = useMemo(() => all.filter(({ runId }) => chosen.has(runId)), [all, chosen]);
  const ids = rows.map(({ runId }) => runId);
  const runId = useRun((facts) => facts.runId);
  const recording = useRun((facts) => facts.recording);
  const deletable = deletableOf(ids, { runId, recording });
  const canCompare = rows.length >= 2 && rows.length <= MOST_RUNS && rows.every(({ config, step }) => config !== null && step > 0);
  const isPinned = rows.every(({ label }) => label.isPinned);
  return (
    <div className="line runs-chosen gap-1">
      <p className="aside" role="status">
        {found.length === all.length ? counted(all.length, "run") : `${found.length} of ${counted(all.length, "run")}`}
        {rows.length > 0 && `, ${chosenText(rows, found)}`}
      </p>
      {rows.length > 0 && (
        <>
          <Button
            kind={canCompare ? "primary" : "plain"}
            isResting={!canCompare}
            hint={`Two to ${MOST_RUNS} runs that have taken a step`}
            onPress={() => compareRuns(ids)}
          >
            Compare
          </Button>
          <TagAll rows={rows} />
          <Button onPress={() => void writeOn(rows, (label) => labelWith(label, { isPinned: isPinned ? null : true }))}>
            {isPinned ? "Unpin" : "Pin"}
          </Button>
          <Button onPress={() => void downloadAll(ids)}>Download {rows.length}</Button>
          <Button
            isResting={deletable.length === 0}
            {...(deletable.length < ids.length ? { hint: HERE_STAYS } : {})}
            onPress={() => deleteSoon(ids)}
          >
            Delete {deletable.length}
          </Button>
          <Button kind="quiet" onPress={() => choose(ids, false)}>
            Choose none
          </Button>
        </>
      )}
      {rows.length < found.length && found.length > 1 && (
        <Button
          kind="quiet"
          onPress={() =>
            choose(
              found.map(({ runId }) => runId),
              true,
            )
          }
        >
          Choose all {found.length}
        </Button>
      )}
    </div>
  );
});
