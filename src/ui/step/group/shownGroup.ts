// Which group the Train screen shows: the one that is held, or the newest the engine has sent.
import { useMemo } from "react";
import type { RunConfig } from "../../../protocol/config.ts";
import type { Phase, StepGroups } from "../../../protocol/messages.ts";
import type { GroupRecord } from "../../../protocol/records.ts";
import { inspect } from "../../engine/actions.ts";
import type { GroupsByStep } from "../../engine/store/groupsByStep.ts";
import { useVersion } from "../../engine/store/metricSeries.ts";
import { useAnswer } from "../../engine/store/useQuestion.ts";
import { useRunView, useSelection } from "../../engine/store/useRunView.ts";

export interface ShownGroup {
  readonly group: GroupRecord;
  /** The last phase the group has been through. */
  readonly phase: Phase;
  readonly groupsInStep: number;
  /** Settings the step was taken under. */
  readonly config: RunConfig;
  /** Size of the largest advantage of a token in the whole step. */
  readonly largestAdvantage: number;
}

/** The examples of a supervised step. */
export interface ShownExamples extends Pick<StepGroups, "step" | "phase" | "config" | "groups"> {}

/** What the page holds of a step that is looked at, or of the newest where none is or it is not here. */
export function stepOf(groups: GroupsByStep, held: number | null): StepGroups | null {
  const { latestStep } = groups;
  return (held === null ? null : groups.at(held)) ?? (latestStep === null ? null : groups.at(latestStep));
}

/** The group of a step at the chosen place, or its first one. */
export function groupOf(known: StepGroups | null, promptIndex: number): ShownGroup | null {
  const group = known?.groups.find((each) => each.promptIndex === promptIndex) ?? known?.groups[0];
  if (!known || !group) return null;
  const { phase, config, summaries } = known;
  const largestAdvantage = Math.max(0, ...summaries.map((summary) => summary.largestAdvantage));
  return { group, phase, config, groupsInStep: summaries.length, largestAdvantage };
}

/** The step of the strip of phases and beside the charts: the one that is held, else the newest. */
function useStepGroups(): StepGroups | null {
  const { groups } = useRunView();
  useVersion(groups);
  const held = useSelection((selection) => selection.step);
  return stepOf(groups, held);
}

/** Asks the engine for what is held and not here, such as the other groups of a step that a link named. */
export function useHeldGroup(): void {
  const { groups } = useRunView();
  useVersion(groups);
  const step = useSelection((selection) => selection.step);
  const promptIndex = useSelection((selection) => selection.promptIndex);
  const isMissing = step !== null && groups.latestStep !== null && step < groups.latestStep && !groups.group(step, promptIndex);
  // A refusal is among the run's facts, where the page shows it.
  useAnswer(isMissing ? `${step} ${promptIndex}` : null, () => inspect(step ?? 0, promptIndex));
}

/** The examples on the Train screen, or null before the first. */
export function useShownExamples(): ShownExamples | null {
  const known = useStepGroups();
  return known?.config.kind === "supervised" ? known : null;
}

/** The group on the Train screen, or null before the first. */
export function useShownGroup(): ShownGroup | null {
  const known = useStepGroups();
  const promptIndex = useSelection((selection) => selection.promptIndex);
  // The same object for the same group, so that a deferred copy of it can catch up.
  return useMemo(() => groupOf(known, promptIndex), [known, promptIndex]);
}
