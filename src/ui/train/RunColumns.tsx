// The Train screen once there is a run: what is measured of it, the question to its model, and the group or
// the examples it learns from. Loads with the charts, ahead of the first run.
import { type RefObject, Suspense, useDeferredValue, useEffect, useRef } from "react";
import type { Phase } from "../../protocol/messages.ts";
import { useRun, useSelection, useTraced } from "../engine/store/useRunView.ts";
import { InTurn } from "../kit/charts/series/turns.ts";
import { FaultBoundary } from "../kit/faults/FaultBoundary.tsx";
import { lazyPart } from "../kit/lazyPart.tsx";
import { AskFold } from "../make/ask/AskFold.tsx";
import { GroupPanel } from "../step/group/GroupPanel.tsx";
import { NoGroup, Preparing } from "../step/group/NoGroup.tsx";
import { useHeldGroup, useShownExamples, useShownGroup } from "../step/group/shownGroup.ts";
import { EvaluatePanel } from "./evaluate/EvaluatePanel.tsx";
import { EvaluationReadouts } from "./evaluate/Evaluation.tsx";

const ExamplesPanel = lazyPart(() => import("./evaluate/ExamplesPanel.tsx"), "ExamplesPanel");

/** Drawn between other work: many rows must not hold up the controls. */
function CurrentGroup() {
  useHeldGroup();
  const shown = useDeferredValue(useShownGroup());
  return shown ? <GroupPanel shown={shown} /> : <NoGroup />;
}

function CurrentExamples() {
  const shown = useDeferredValue(useShownExamples());
  return shown ? (
    <Suspense fallback={<p className="screen-wait">Opening the examples …</p>}>
      <ExamplesPanel shown={shown} />
    </Suspense>
  ) : (
    <NoGroup />
  );
}

/** Pixels of a panel that must be in the window for it to count as seen. */
const SEEN = 120;

/** Leads whoever presses a phase to what it opens, where that lies below the window, as on a phone. */
function useLedTo(place: RefObject<HTMLElement | null>, chosen: Phase | null): void {
  const before = useRef(chosen);
  useEffect(() => {
    const isPressed = chosen !== null && chosen !== before.current;
    before.current = chosen;
    if (isPressed && place.current && place.current.getBoundingClientRect().top > window.innerHeight - SEEN)
      place.current.scrollIntoView({ block: "start" });
  }, [place, chosen]);
}

export function RunColumns() {
  const state = useRun((facts) => facts.state);
  const kind = useRun((facts) => facts.config?.kind);
  const chosen = useSelection((selection) => selection.phase);
  const isTraced = useTraced() !== null;
  const panel = useRef<HTMLDivElement>(null);
  useLedTo(panel, chosen);
  return (
    <>
      <div className="train-charts min-w-0">
        {state === "preparing" && <Preparing />}
        {/* Before the first step it is all there is to look at, and nothing moves when that has come. */}
        {!isTraced && <AskFold />}
        <FaultBoundary part="The charts">
          {!isTraced && <EvaluationReadouts />}
          <Suspense fallback={<p className="screen-wait">Opening the charts …</p>}>
            <Charts />
          </Suspense>
        </FaultBoundary>
      </div>
      <div ref={panel} className="train-group min-w-0">
        <FaultBoundary part="The current group">
          <InTurn>{chosen === "evaluate" ? <EvaluatePanel /> : kind === "supervised" ? <CurrentExamples /> : <CurrentGroup />}</InTurn>
        </FaultBoundary>
      </div>
    </>
  );
}

/** The charts, whose code comes after that of the columns they stand in: without them the run can still be steered. */
export const Charts = lazyPart(() => import("./Charts.tsx"), "Charts");
