// The place of the question on the Train screen; its code loads when it is opened.
import { useEffect, useRef } from "react";
import { useRun } from "../../engine/store/useRunView.ts";
import { Fold } from "../../kit/controls/Fold.tsx";
import { changeAsk, useDialog } from "../../kit/dialog/dialogStore.ts";
import { FaultBoundary } from "../../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../../kit/lazyPart.tsx";

const AskPanel = lazyPart(() => import("./AskPanel.tsx"), "AskPanel");

export function AskFold() {
  const isOpen = useDialog(({ ask }) => ask.isOpen);
  const runId = useRun((facts) => facts.runId);
  const place = useRef<HTMLDivElement>(null);
  // Who asked before there was a page for the answer is led to it.
  useEffect(() => {
    if (useDialog.getState().ask.asksAtOnce) place.current?.scrollIntoView({ block: "nearest" });
  }, []);
  return (
    <Fold
      ref={place}
      title="Ask the model"
      note="start and now side by side"
      level={2}
      isExpanded={isOpen}
      onExpandedChange={(to) => changeAsk({ isOpen: to })}
    >
      {isOpen && (
        <FaultBoundary part="The question" wait="Opening …">
          {/* What another run answered is no answer of this one. */}
          <AskPanel key={runId} />
        </FaultBoundary>
      )}
    </Fold>
  );
}
