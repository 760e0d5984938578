// The step that is explained, with all its groups: shares of the loss and other algorithms' advantages run
// over the whole step, so the engine is asked for what the page does not hold of it, and to measure what the update
// did where the run leaves that out.

import { useEffect, useRef, useState } from "react";
import type { StepGroups } from "../../../protocol/messages.ts";
import { engine } from "../../engine/client.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useRun, useRunView, useSelect, useSelection } from "../../engine/store/useRunView.ts";
import { isWhole, useStepRequest } from "../askedStep.ts";
import { tellingPlace } from "./story/telling.ts";

export interface WholeStep {
  /** Null until there is one. */
  readonly step: StepGroups | null;
  /** What the engine answered instead. */
  readonly problem: string | null;
}

/** Whether the change of its log-probs is there, or cannot be yet. */
function isMeasured({ phase, groups }: StepGroups): boolean {
  const isUpdated = phase === "update" || phase === "evaluate";
  return !isUpdated || groups.every(({ trajectories }) => trajectories.every(({ channels }) => channels.newLogprobs !== null));
}

/** The step to open on: the newest, or while the run goes on the newest whose update can still be measured. */
function useOpening(latestStep: number | null): void {
  const { selection } = useRunView();
  const select = useSelect();
  const isGoing = useRun(({ state }) => state === "running");
  const chosen = useSelection((all) => all.step);
  const isAsked = useRef(false);
  useEffect(() => {
    // As the screen opens its address may have named a place since it was drawn.
    const isOpen = () => selection.getState().step === null;
    if (chosen !== null || !isOpen() || latestStep === null || isAsked.current) return;
    const open = (step: number) => isOpen() && select({ step, promptIndex: 0, trajectoryIndex: 0 });
    if (!isGoing) return void open(latestStep);
    isAsked.current = true;
    engine
      .request({ type: "measure", step: latestStep, orNewer: true })
      .then(
        ({ step }) => open(step),
        () => open(latestStep),
      )
      .finally(() => {
        isAsked.current = false;
      });
  }, [selection, select, chosen, latestStep, isGoing]);
}

/** Holds the newest step where none is chosen, so that nothing changes under the reader while the run goes on. */
export function useWholeStep(): WholeStep {
  const { groups, selection } = useRunView();
  useVersion(groups);
  const select = useSelect();
  const chosen = useSelection((all) => all.step);
  const [opensAnywhere, setOpensAnywhere] = useState(chosen === null);
  useOpening(groups.latestStep);
  const held = chosen === null ? null : groups.at(chosen);
  const isKept = chosen !== null && groups.isKept(chosen);
  const isMissing = isKept ? !isWhole(held) : chosen !== null && groups.isHere(chosen) && !(isWhole(held) && isMeasured(held));
  const { isAnswered, problem } = useStepRequest(
    chosen !== null && isMissing ? { type: isKept ? "inspect" : "measure", step: chosen, phase: held?.phase ?? null } : null,
  );
  // Opened without a place, it shows what moved most once that is known as well as it can be.
  const isReady = isWhole(held) && (!isMissing || isAnswered);
  useEffect(() => {
    if (!opensAnywhere || !isReady) return;
    setOpensAnywhere(false);
    const { step, promptIndex, trajectoryIndex, tokenIndex } = selection.getState();
    if (held && step === held.step && promptIndex === 0 && trajectoryIndex === 0 && tokenIndex === null) select(tellingPlace(held));
  }, [opensAnywhere, isReady, held, selection, select]);
  return { step: isWhole(held) && (isReady || !opensAnywhere) ? held : null, problem };
}
