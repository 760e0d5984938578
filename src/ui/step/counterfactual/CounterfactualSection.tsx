// The comparison of algorithms as a fold of the Rollouts screen. It needs every group of the step, which
// the engine is asked for while it is open; while a run goes on the newest complete step stays in view.

import { useEffect, useRef, useState } from "react";
import type { StepGroups } from "../../../protocol/messages.ts";
import { errorText } from "../../../protocol/problems.ts";
import { Fold } from "../../kit/controls/Fold.tsx";
import { CounterfactualPanel, type CounterfactualPanelProps } from "./CounterfactualPanel.tsx";

interface CounterfactualSectionProps extends Pick<CounterfactualPanelProps, "promptIndex" | "trajectoryIndex" | "pinned" | "onPin"> {
  readonly step: StepGroups;
  readonly open: boolean;
  readonly onOpen: (open: boolean) => void;
  /** Asks the engine for all groups of a step; settles when it has answered. */
  readonly onInspectAll: (step: number) => Promise<unknown>;
}

function isComplete(step: StepGroups): boolean {
  return step.groups.length > 0 && step.groups.length === step.summaries.length && step.phase === "update";
}

export function CounterfactualSection({ step, open, onOpen, onInspectAll, ...place }: CounterfactualSectionProps) {
  const { shown, problem } = useCompleteStep(step, open, onInspectAll);
  return (
    <Fold
      title="The same rollouts under every algorithm"
      level={2}
      className="counterfactual-fold"
      isExpanded={open}
      onExpandedChange={onOpen}
    >
      {open && shown && (
        <>
          {shown.step !== step.step && <p className="note">Step {shown.step}; the run has gone on since.</p>}
          <CounterfactualPanel groups={shown.groups} config={shown.config} {...place} />
        </>
      )}
      {open && !shown && (
        <p className="note" role="status">
          {problem ?? waitText(step)}
        </p>
      )}
    </Fold>
  );
}

function waitText({ step, phase }: StepGroups): string {
  if (phase !== "update") return `Step ${step} has been through “${phase}” only; its weights are there after the update.`;
  return `Asking the engine for all groups of step ${step} …`;
}

/** The newest step with all its groups, asked for one at a time. */
function useCompleteStep(step: StepGroups, open: boolean, onInspectAll: CounterfactualSectionProps["onInspectAll"]) {
  const [shown, setShown] = useState<StepGroups | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [answers, setAnswers] = useState(0);
  const asking = useRef(false);
  const complete = isComplete(step);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer is a reason to look again
  useEffect(() => {
    if (!open) return;
    if (complete) {
      setShown(step);
      setProblem(null);
    } else if (!asking.current && step.phase === "update") {
      asking.current = true;
      onInspectAll(step.step)
        .then(() => setProblem(null))
        .catch((error: unknown) => setProblem(errorText(error)))
        .finally(() => {
          asking.current = false;
          setAnswers((count) => count + 1);
        });
    }
  }, [open, complete, step, answers]);
  return { shown, problem };
}
