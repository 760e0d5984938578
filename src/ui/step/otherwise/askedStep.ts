// The step that is asked about. What needs every group of it has the engine asked for them; while a run goes on the newest
// complete step stays in view.
import { useEffect, useRef, useState } from "react";
import type { StepGroups } from "../../../protocol/messages.ts";
import { errorText } from "../../../protocol/problems.ts";

/** The step that is asked about, and the place in it. */
export interface OtherwiseProps {
  readonly step: StepGroups;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly tokenIndex: number | null;
}

function isComplete(step: StepGroups): boolean {
  return step.groups.length > 0 && step.groups.length === step.summaries.length && step.phase === "update";
}

/** What is waited for. */
export function waitText({ step, phase }: StepGroups): string {
  if (phase !== "update") return `Step ${step} has been through “${phase}” only; its weights are there after the update.`;
  return `Asking the engine for all groups of step ${step} …`;
}

/** The newest step with all its groups, asked for one at a time. */
export function useCompleteStep(step: StepGroups, isWanted: boolean, onInspectAll: ((step: number) => Promise<unknown>) | undefined) {
  const [shown, setShown] = useState<StepGroups | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [answers, setAnswers] = useState(0);
  const asking = useRef(false);
  const complete = isComplete(step);
  // biome-ignore lint/correctness/useExhaustiveDependencies: an answer is a reason to look again
  useEffect(() => {
    if (!isWanted) return;
    if (complete) {
      setShown(step);
      setProblem(null);
    } else if (!asking.current && step.phase === "update") {
      asking.current = true;
      onInspectAll?.(step.step)
        .then(() => setProblem(null))
        .catch((error: unknown) => setProblem(errorText(error)))
        .finally(() => {
          asking.current = false;
          setAnswers((count) => count + 1);
        });
    }
  }, [isWanted, complete, step, answers]);
  return { shown, problem };
}
