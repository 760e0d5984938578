// Which group the Train screen shows: the selected one, or the newest the engine has sent.
import { useMemo } from "react";
import type { RunConfig } from "../../protocol/config.ts";
import type { Phase, StepGroups } from "../../protocol/messages.ts";
import type { GroupRecord } from "../../protocol/records.ts";
import { useRunView, useSelection } from "../store/useRunView.ts";
import { useVersion } from "../store/versioned.ts";

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

/** The examples of the newest supervised step. */
export interface ShownExamples extends Pick<StepGroups, "step" | "phase" | "config" | "groups"> {}

/** The examples on the Train screen, or null before the first. */
export function useShownExamples(): ShownExamples | null {
  const { groups } = useRunView();
  useVersion(groups);
  const { latestStep } = groups;
  const known = latestStep === null ? null : groups.at(latestStep);
  return known?.config.kind === "supervised" ? known : null;
}

/** The group on the Train screen, or null before the first. */
export function useShownGroup(): ShownGroup | null {
  const { groups } = useRunView();
  useVersion(groups);
  const promptIndex = useSelection((selection) => selection.promptIndex);
  const step = groups.latestStep;
  const known = step === null ? null : groups.at(step);
  // The same object for the same group, so that a deferred copy of it can catch up.
  return useMemo(() => {
    const group = known?.groups.find((each) => each.promptIndex === promptIndex) ?? known?.groups[0];
    if (!known || !group) return null;
    const { phase, config, summaries } = known;
    const largestAdvantage = Math.max(0, ...summaries.map((summary) => summary.largestAdvantage));
    return { group, phase, config, groupsInStep: summaries.length, largestAdvantage };
  }, [known, promptIndex]);
}
