// What can be done with one run, from its row: one quiet button, so that the keyboard need not go through the details first.
import { Ellipsis } from "lucide-react";
import { memo, useDeferredValue } from "react";
import type { SaveSummary } from "../../../../protocol/run/runSummary.ts";
import { goTo } from "../../../engine/route.ts";
import { continueVerb } from "../../../engine/saves/saveTexts.ts";
import { QuietMenu } from "../../../kit/controls/QuietMenu.tsx";
import { compareWith, downloadRun, exportRun, goOnWithRun, labelWith, openKeptRun, shareRun, writeOn } from "../runActions.ts";
import { deleteSoon } from "../runsStore.ts";

interface RowAction {
  readonly id: string;
  readonly text: string;
  /** Whether it can be done with this run. */
  readonly if: boolean;
  readonly run: () => void;
}

function actionsOf(row: SaveSummary, isHere: boolean): readonly RowAction[] {
  const { runId, config, step, label } = row;
  const isReadable = config !== null;
  const has = isReadable && step > 0;
  const pin = () => void writeOn([row], (before) => labelWith(before, { isPinned: label.isPinned ? null : true }));
  return [
    { id: "open", text: isHere ? "Show it" : "Open", if: has, run: () => (isHere ? goTo("train") : openKeptRun(runId)) },
    { id: "go-on", text: continueVerb(row) === "Open" ? "Train on" : "Go on", if: isReadable && !isHere, run: () => goOnWithRun(runId) },
    { id: "fork", text: "Fork …", if: has, run: () => goTo("runs", { run: runId, fork: true }) },
    { id: "compare", text: "Compare", if: has, run: () => compareWith(runId) },
    { id: "export", text: "Export …", if: has, run: () => void exportRun(runId) },
    { id: "share", text: "Share as a file", if: has, run: () => void shareRun(runId) },
    { id: "download", text: "Download", if: true, run: () => void downloadRun(runId) },
    { id: "pin", text: label.isPinned ? "Unpin" : "Pin to the top", if: isReadable, run: pin },
    { id: "delete", text: "Delete", if: !isHere, run: () => deleteSoon([runId]) },
  ];
}

interface RowMenuProps {
  readonly row: SaveSummary;
  readonly isHere: boolean;
}

/** Drawn anew with its run alone: a key in the search draws every row. */
export const RowMenu = memo(function RowMenu({ row, isHere }: RowMenuProps) {
  const actions = actionsOf(row, isHere).filter((action) => action.if);
  const name = `What to do with ${row.name}`;
  // Menus of many rows take a while: they come after the rows that a typed letter leaves, in slices.
  const isReady = useDeferredValue(true, false);
  if (!isReady)
    return (
      <button type="button" className="button button-quiet button-icon" aria-label={name}>
        <Ellipsis size={18} aria-hidden />
      </button>
    );
  return <QuietMenu label={name} items={actions} onAction={(key) => actions.find(({ id }) => id === key)?.run()} />;
});
