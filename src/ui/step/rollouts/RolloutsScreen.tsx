// The Rollouts screen: a step of the run on screen, tied to the address, and to the engine, which is asked
// for whatever step or prompt the page does not hold.

import { useState } from "react";
import { inspect } from "../../engine/actions.ts";
import { useSelectionAddress } from "../../engine/address/addressSync.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useAnswer } from "../../engine/store/useQuestion.ts";
import { useRun, useRunView, useSelect, useSelection, useTraced } from "../../engine/store/useRunView.ts";
import { StepNotHere } from "../again/StepNotHere.tsx";
import { AgainNote, KeptNote } from "../again/TakeAgain.tsx";
import type { OtherwiseId } from "../otherwise/kinds.ts";
import { Otherwise } from "../otherwise/Otherwise.tsx";
import { NothingYet, RecordNote } from "./NothingYet.tsx";
import { StepScrubber } from "./StepScrubber.tsx";
import { StepView } from "./StepView.tsx";
import "./rollouts.css";

/** What is asked about a step of a run, and of one that was read from another program's files. */
const OF_RUNS: readonly OtherwiseId[] = ["algorithms", "rewards", "mismatch"];
const OF_FILES: readonly OtherwiseId[] = ["recorded", "rewards", "mismatch"];

export function RolloutsScreen() {
  const view = useRunView();
  useVersion(view.groups);
  const selection = useSelection((all) => all);
  const select = useSelect();
  const supervised = useRun((run) => run.config?.kind === "supervised");
  const [open, setOpen] = useState<Readonly<Partial<Record<OtherwiseId, boolean>>>>({});
  const isTraced = useTraced() !== null;
  const problem = useMissingGroups();
  useSelectionAddress("rollouts");
  const { latestStep, oldestStep, recordedSteps } = view.groups;
  const isAgain = selection.step !== null && view.groups.isHere(selection.step);
  const latest = latestStep ?? recordedSteps.at(-1) ?? (isAgain ? selection.step : undefined);
  if (latest === undefined || latest === null || supervised) return <NothingYet />;
  const step = selection.step ?? latest;
  const groups = view.groups.at(step);
  const isRecord = view.groups.isRecord(step);
  // A pinned token stays on screen when the engine no longer keeps its step.
  const isKept = isRecord || view.groups.isKept(step) || view.groups.isHere(step);
  return (
    <div className="rollouts grid content-start gap-2 min-w-0">
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
          <AgainNote step={step} />
          <KeptNote step={step} />
          <StepView groups={groups} selection={selection} />
          {isRecord && <RecordNote />}
          {!isRecord &&
            (isTraced ? OF_FILES : OF_RUNS).map((kind) => (
              <Otherwise
                key={kind}
                kind={kind}
                level={2}
                step={groups}
                promptIndex={selection.promptIndex}
                trajectoryIndex={selection.trajectoryIndex}
                tokenIndex={selection.tokenIndex}
                open={open[kind] ?? false}
                onOpen={(isOpen) => setOpen({ ...open, [kind]: isOpen })}
              />
            ))}
        </>
      ) : !isKept || problem !== null ? (
        <StepNotHere step={step} />
      ) : (
        <p className="pane-wait soft" role="status">
          Asking the engine for step {step} …
        </p>
      )}
    </div>
  );
}

/**
 * Asks the engine for the groups of the selected step that the page does not hold; returns what the engine answered
 * instead, if it failed.
 */
function useMissingGroups(): string | null {
  const { groups } = useRunView();
  const { step: chosen, promptIndex } = useSelection((all) => all);
  const step = chosen ?? groups.latestStep;
  const held = groups.at(step ?? -1);
  const isThere = held !== null && (groups.group(held.step, promptIndex) !== null || promptIndex >= held.summaries.length);
  const wanted = held ? promptIndex : undefined;
  const isMissing = step !== null && (groups.isHere(step) || groups.isKept(step)) && !isThere;
  return useAnswer(isMissing ? `${step} ${wanted}` : null, () => inspect(step!, wanted)).problem;
}
