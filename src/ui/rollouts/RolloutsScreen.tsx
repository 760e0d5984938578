// The Rollouts screen: a step of the run on screen, tied to the address, and to the engine, which is asked
// for whatever step or prompt the page does not hold.

import { useEffect, useState } from "react";
import { engine } from "../client.ts";
import { Button } from "../controls/Button.tsx";
import { Fold } from "../controls/Fold.tsx";
import { CounterfactualSection } from "../counterfactual/CounterfactualSection.tsx";
import { lazyPart } from "../lazyPart.tsx";
import type { RescoreProps } from "../rescore/RescorePanel.tsx";
import { FaultBoundary } from "../shell/faults/FaultBoundary.tsx";
import { useVersion } from "../store/metricSeries.ts";
import { reasonOf } from "../store/useQuestion.ts";
import { useRun, useRunView, useSelect, useSelection } from "../store/useRunView.ts";
import { queryOf, selectionFrom } from "./address.ts";
import { NothingYet, RecordNote } from "./NothingYet.tsx";
import { StepScrubber } from "./StepScrubber.tsx";
import { StepView } from "./StepView.tsx";
import { useSelectionAddress } from "./useSelectionAddress.ts";
import "./rollouts.css";

const ROLLOUTS_ADDRESS = { read: selectionFrom, write: queryOf };

interface RolloutsScreenProps {
  /** Asks the engine for the groups of a step, all or one; settles when it has answered. */
  readonly onInspect: (step: number, promptIndex?: number) => Promise<unknown>;
}

export function RolloutsScreen({ onInspect }: RolloutsScreenProps) {
  const view = useRunView();
  useVersion(view.groups);
  const selection = useSelection((all) => all);
  const select = useSelect();
  const supervised = useRun((run) => run.config?.kind === "supervised");
  const [compares, setCompares] = useState(false);
  const problem = useMissingGroups(onInspect);
  useSelectionAddress("rollouts", ROLLOUTS_ADDRESS);
  const { latestStep, oldestStep, recordedSteps } = view.groups;
  const latest = latestStep ?? recordedSteps.at(-1);
  if (latest === undefined || supervised) return <NothingYet />;
  const step = selection.step ?? latest;
  const groups = view.groups.at(step);
  const isRecord = view.groups.isRecord(step);
  // A pinned token stays on screen when the engine no longer keeps its step.
  const isKept = isRecord || (latestStep !== null && step >= oldestStep && step <= latestStep);
  return (
    <div className="rollouts">
      <h1 className="visually-hidden">Rollouts</h1>
      <StepScrubber
        oldest={latestStep === null ? latest : oldestStep}
        latest={latest}
        recorded={recordedSteps}
        step={step}
        follow={selection.step === null}
        onStep={(to) => select({ step: to })}
      />
      {groups && (isKept || selection.tokenIndex !== null) ? (
        <>
          <StepView groups={groups} selection={selection} />
          {isRecord ? (
            <RecordNote />
          ) : (
            <>
              <CounterfactualSection
                step={groups}
                promptIndex={selection.promptIndex}
                trajectoryIndex={selection.trajectoryIndex}
                pinned={selection.tokenIndex}
                open={compares}
                onOpen={setCompares}
                onInspectAll={onInspect}
                onPin={(trajectoryIndex, tokenIndex) => select({ step: groups.step, trajectoryIndex, tokenIndex })}
              />
              <RescoreSection step={groups} promptIndex={selection.promptIndex} trajectoryIndex={selection.trajectoryIndex} />
            </>
          )}
        </>
      ) : !isKept ? (
        <Gone step={step} oldest={oldestStep} latest={latestStep} recorded={recordedSteps} />
      ) : (
        <p className="pane-wait" role="status">
          {problem ?? `Asking the engine for step ${step} …`}
        </p>
      )}
    </div>
  );
}

const RescorePanel = lazyPart(() => import("../rescore/RescorePanel.tsx"), "RescorePanel");

/** The step under other rewards; its code loads when it is opened. Only the page's own engine keeps steps that can be scored again. */
function RescoreSection(props: RescoreProps) {
  const [open, setOpen] = useState(false);
  if (useRunView() !== engine.view) return null;
  return (
    <Fold
      title="The same rollouts under other rewards"
      level={2}
      className="counterfactual-fold"
      isExpanded={open}
      onExpandedChange={setOpen}
    >
      {open && (
        <FaultBoundary part="Other rewards" wait="Opening …">
          <RescorePanel {...props} />
        </FaultBoundary>
      )}
    </Fold>
  );
}

interface GoneProps {
  readonly step: number;
  readonly oldest: number;
  /** Null where the engine keeps none. */
  readonly latest: number | null;
  readonly recorded: readonly number[];
}

function Gone({ step, oldest, latest, recorded }: GoneProps) {
  const select = useSelect();
  const reached = useRun((run) => run.step);
  return (
    <section className="rollouts-empty">
      <h2>Step {step} is not kept</h2>
      <p>
        {step > Math.max(reached, latest ?? 0)
          ? `The run has reached step ${latest ?? reached} so far.`
          : latest === null
            ? `Of this run the rollouts of steps ${recorded.join(", ")} were written down.`
            : `The engine keeps the rollouts of the newest steps only, to bound its memory; steps ${oldest} to ${latest} are there.`}
      </p>
      <Button kind="primary" className="button-large" onPress={() => select({ step: null })}>
        Follow the newest step
      </Button>
    </section>
  );
}

/** Asks the engine for the groups of the selected step that the page does not hold; returns what the engine answered instead, if it failed. */
function useMissingGroups(onInspect: (step: number, promptIndex?: number) => Promise<unknown>): string | null {
  const { groups } = useRunView();
  const version = useVersion(groups);
  const { step: chosen, promptIndex } = useSelection((all) => all);
  const [problem, setProblem] = useState<string | null>(null);
  const { latestStep, oldestStep } = groups;
  const step = chosen ?? latestStep;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the selection moves, not when groups of other steps arrive
  useEffect(() => {
    setProblem(null);
    if (step === null || latestStep === null || step < oldestStep || step > latestStep) return;
    const held = groups.at(step);
    if (held && (groups.group(step, promptIndex) || promptIndex >= held.summaries.length)) return;
    let current = true;
    onInspect(step, held ? promptIndex : undefined).catch((error: unknown) => {
      if (current) setProblem(reasonOf(error));
    });
    return () => {
      current = false;
    };
  }, [step, promptIndex, latestStep === null || (step ?? 0) > latestStep, version > 0 && groups.at(step ?? -1) === null]);
  return problem;
}
