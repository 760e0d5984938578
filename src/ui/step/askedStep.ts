// A step with all its groups, for what runs over the whole of it: the engine is asked for what the page does not hold, and
// while a run goes on the newest complete step stays in view.
import { useEffect, useRef, useState } from "react";
import type { StepGroups } from "../../protocol/messages.ts";
import { errorText } from "../../protocol/problems.ts";
import { engine } from "../engine/client.ts";

export function isWhole(step: StepGroups | null): step is StepGroups {
  return step !== null && step.groups.length > 0 && step.groups.length === step.summaries.length;
}

interface Wanted extends Pick<StepGroups, "step"> {
  readonly type: "inspect" | "measure";
  /** It is asked for once in each phase. */
  readonly phase: StepGroups["phase"] | null;
}

/** Asks the engine for a step, one question at a time; null where nothing is missing. Says what it answered instead. */
export function useStepRequest(wanted: Wanted | null) {
  const [answer, setAnswer] = useState<{ readonly to: string; readonly problem: string | null } | null>(null);
  const isAsking = useRef(false);
  const type = wanted?.type;
  const step = wanted?.step;
  const key = wanted && `${type} ${step} ${wanted.phase}`;
  useEffect(() => {
    // What was answered may be let go of, and is asked for again then.
    if (key === null) return setAnswer(null);
    if (type === undefined || step === undefined || isAsking.current || answer?.to === key) return;
    isAsking.current = true;
    engine
      .request({ type, step })
      .then(() => null, errorText)
      .then((problem) => {
        isAsking.current = false;
        setAnswer({ to: key, problem });
      });
  }, [key, type, step, answer]);
  const isAnswered = answer !== null && answer.to === key;
  return { isAnswered, problem: isAnswered ? answer.problem : null };
}

/** The step that is asked about, and the place in it. */
export interface OtherwiseProps {
  readonly step: StepGroups;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly tokenIndex: number | null;
}

/** What is waited for. */
export function waitText({ step, phase }: StepGroups): string {
  if (phase !== "update") return `Step ${step} has been through “${phase}” only; its weights are there after the update.`;
  return `Asking the engine for all groups of step ${step} …`;
}

/** The newest step with all its groups after its update. */
export function useCompleteStep(step: StepGroups, isWanted: boolean) {
  const [shown, setShown] = useState<StepGroups | null>(null);
  const isUpdated = step.phase === "update";
  const isComplete = isUpdated && isWhole(step);
  if (isWanted && isComplete && shown !== step) setShown(step);
  const { problem } = useStepRequest(isWanted && isUpdated && !isComplete ? { type: "inspect", step: step.step, phase: step.phase } : null);
  return { shown, problem };
}
