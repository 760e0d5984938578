// Whether the run is saved, beside its step count, in a word; why not, or how far, on hover, focus and tap.
import { Button, Dialog, DialogTrigger, Popover, Tooltip, TooltipTrigger } from "react-aria-components";
import { goTo } from "../../engine/route.ts";
import type { RunFacts } from "../../engine/store/runFacts.ts";
import { useEngine, useRun, useTraced } from "../../engine/store/useRunView.ts";
import { Button as PageButton } from "../../kit/controls/Button.tsx";
import { openDialog } from "../../kit/dialog/dialogStore.ts";
import "./saves.css";

export interface SavedWords {
  readonly word: string;
  readonly sentence: string;
  readonly isLost: boolean;
}

/** What is said of a run's save; `reason` is why nothing is saved at present. */
export function savedWords({ step, savedStep }: Pick<RunFacts, "step" | "savedStep">, reason: string | null): SavedWords {
  if (reason !== null) {
    const until =
      savedStep === null ? "Nothing of this run is saved" : `This run is saved up to step ${savedStep}, and what follows is not`;
    return { word: "not saved", sentence: `${until}: ${reason}`, isLost: true };
  }
  if (savedStep === null)
    return { word: "not saved yet", sentence: "This run is saved as soon as there is something to save.", isLost: false };
  const isNewest = savedStep >= step;
  const upTo = isNewest ? `its last step, ${savedStep}` : `step ${savedStep}; the steps after it follow soon`;
  return { word: isNewest ? "saved" : "saving", sentence: `This run is saved in this browser up to ${upTo}.`, isLost: false };
}

const UNKEPT: SavedWords = {
  word: "not kept",
  isLost: false,
  sentence: "This recording came from elsewhere. It is gone when you open another one, unless you save it in this browser with “Keep”.",
};

export function SavedMark() {
  const hasRun = useRun((facts) => facts.runId !== null);
  const step = useRun((facts) => facts.step);
  const savedStep = useRun((facts) => facts.savedStep);
  const reason = useEngine((facts) => facts.storageProblem);
  const shown = useRun((facts) => (facts.recording ? facts.runId : null));
  const isUnkept = useEngine((facts) => shown !== null && !facts.saves?.some(({ runId }) => runId === shown));
  const isTraced = useTraced() !== null;
  if (!hasRun) return null;
  // The page keeps nothing of files that are somebody's own.
  if (isTraced) return <span className="saved-mark fine-print">from files</span>;
  const { word, sentence, isLost } = isUnkept ? UNKEPT : savedWords({ step, savedStep }, reason);
  const title = isUnkept ? "Not kept" : isLost ? "Not saved" : "Saved in this browser";
  return (
    <DialogTrigger>
      <TooltipTrigger delay={400}>
        <Button className={`saved-mark fine-print ${isLost ? "saved-mark-not" : ""}`}>{word}</Button>
        <Tooltip className="tooltip" offset={6}>
          {sentence}
        </Tooltip>
      </TooltipTrigger>
      <Popover className="popover saved-popover" placement="bottom end" offset={6}>
        <Dialog className="dialog grid gap-2" aria-label={title}>
          {({ close }) => (
            <>
              <h2>{title}</h2>
              <p>{sentence}</p>
              <div className="actions">
                <PageButton
                  onPress={() => {
                    close();
                    goTo("runs");
                  }}
                >
                  All runs
                </PageButton>
                <PageButton
                  onPress={() => {
                    close();
                    openDialog("export");
                  }}
                >
                  Share, export or report
                </PageButton>
              </div>
            </>
          )}
        </Dialog>
      </Popover>
    </DialogTrigger>
  );
}
