// The step that is explained, with all its groups: shares of the loss and other algorithms' advantages run
// over the whole step, so the engine is asked for what the page does not hold of it.

import { useEffect, useRef, useState } from "react";
import type { StepGroups } from "../../protocol/messages.ts";
import { useVersion } from "../store/metricSeries.ts";
import { reasonOf } from "../store/useQuestion.ts";
import { useRunView, useSelect, useSelection } from "../store/useRunView.ts";
import { tellingPlace } from "./story/telling.ts";

type OnInspect = (step: number) => Promise<unknown>;

export interface WholeStep {
  /** Null until there is one. */
  readonly step: StepGroups | null;
  /** What the engine answered instead. */
  readonly problem: string | null;
}

function isWhole(step: StepGroups | null): step is StepGroups {
  return step !== null && step.groups.length > 0 && step.groups.length === step.summaries.length;
}

/** Holds the newest step where none is chosen, so that nothing changes under the reader while the run goes on. */
export function useWholeStep(onInspect: OnInspect): WholeStep {
  const { groups, selection } = useRunView();
  const version = useVersion(groups);
  const select = useSelect();
  const chosen = useSelection((all) => all.step);
  const [problem, setProblem] = useState<string | null>(null);
  const { latestStep } = groups;
  const held = chosen === null ? null : groups.at(chosen);
  useEffect(() => {
    // As the screen opens its address may have named a place since it was drawn.
    if (chosen === null && selection.getState().step === null && latestStep !== null)
      select({ step: latestStep, promptIndex: 0, trajectoryIndex: 0 });
  }, [selection, chosen, latestStep, select]);
  // Opened without a place, it shows what moved most once the whole step is there.
  const opensAnywhere = useRef(chosen === null);
  const isThere = isWhole(held);
  useEffect(() => {
    if (!opensAnywhere.current || !isThere) return;
    opensAnywhere.current = false;
    const { step, promptIndex, trajectoryIndex, tokenIndex } = selection.getState();
    if (held && step === held.step && promptIndex === 0 && trajectoryIndex === 0 && tokenIndex === null) select(tellingPlace(held));
  }, [isThere, held, selection, select]);
  const isMissing = chosen !== null && groups.isHere(chosen) && !isWhole(held);
  const phase = held?.phase ?? null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: asked again when the step's phase moves on
  useEffect(() => {
    setProblem(null);
    if (!isMissing || chosen === null) return;
    let isCurrent = true;
    onInspect(chosen).catch((error: unknown) => isCurrent && setProblem(reasonOf(error)));
    return () => {
      isCurrent = false;
    };
  }, [isMissing, chosen, phase, version > 0]);
  return { step: isWhole(held) ? held : null, problem };
}
