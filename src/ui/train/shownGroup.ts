// Which group the Train screen shows: the selected one, or the newest the engine has sent.
import { useMemo } from "react";
import type { Phase } from "../../protocol/messages.ts";
import type { GroupRecord } from "../../protocol/records.ts";
import { useRunView, useSelection } from "../store/useRunView.ts";
import { useVersion } from "../store/versioned.ts";

export interface ShownGroup {
  readonly group: GroupRecord;
  /** The last phase the group has been through. */
  readonly phase: Phase;
  readonly groupsInStep: number;
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
    return known && group ? { group, phase: known.phase, groupsInStep: known.summaries.length } : null;
  }, [known, promptIndex]);
}
