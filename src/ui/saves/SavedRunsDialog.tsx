// All saved runs over whatever is on screen.
import { Button } from "../controls/Button.tsx";
import { lazyPart } from "../lazyPart.tsx";
import { Frame, type FrameProps } from "../shell/dialogs.tsx";
import { FaultBoundary } from "../shell/faults/FaultBoundary.tsx";
import { useEngine, useRun } from "../store/useRunView.ts";
import { SavedRuns } from "./SavedRuns.tsx";
import { goOnWith, replayRun } from "./saveActions.ts";
import { sortedSaves } from "./saveTexts.ts";

const ImportRuns = lazyPart(() => import("./ImportRuns.tsx"), "ImportRuns");

export function SavedRunsDialog({ isOpen, onClose }: Pick<FrameProps, "isOpen" | "onClose">) {
  const catalog = useEngine((facts) => facts.catalog);
  const saves = useEngine((facts) => facts.saves);
  const reason = useEngine((facts) => facts.storageProblem);
  const error = useRun((facts) => facts.error);
  const goOn = (runId: string) => {
    onClose();
    goOnWith(runId);
  };
  const replay = (runId: string) => {
    onClose();
    replayRun(runId);
  };
  return (
    <Frame title="Saved runs" isOpen={isOpen} onClose={onClose}>
      <p>
        Runs are saved in this browser as they train, and only here. Continue lets one train on in the place of the run on screen; Open
        shows one that has taken all its steps; Replay plays one from its records.
      </p>
      {reason && <p className="save-problem">Nothing is saved at present: {reason}</p>}
      {error && (
        <p className="save-problem" role="alert">
          {error}
        </p>
      )}
      {catalog && saves && saves.length > 0 && <SavedRuns saves={sortedSaves(saves)} onContinue={goOn} onReplay={replay} />}
      {saves?.length === 0 && <p>No run is saved yet.</p>}
      <FaultBoundary part="Opening runs from elsewhere" isBrief>
        <ImportRuns />
      </FaultBoundary>
      <div className="dialog-end">
        <Button kind="primary" onPress={onClose}>
          Close
        </Button>
      </div>
    </Frame>
  );
}
