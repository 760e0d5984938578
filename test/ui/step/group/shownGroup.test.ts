import { describe, expect, it } from "vitest";
import type { StepGroups } from "../../../../src/protocol/messages.ts";
import { createRunView } from "../../../../src/ui/engine/store/runView.ts";
import { groupOf, stepOf } from "../../../../src/ui/step/group/shownGroup.ts";
import { group, trajectory } from "../rollouts/groups.ts";

const groupAt = (step: number, promptIndex: number) => ({ ...group([trajectory(step, 0, 2)]), step, promptIndex });
const stepAt = (step: number): StepGroups =>
  ({
    step,
    phase: "update",
    groups: [groupAt(step, 0), groupAt(step, 1)],
    summaries: [{ largestAdvantage: 1 }, { largestAdvantage: 2 }],
    oldestStep: 1,
  }) as unknown as StepGroups;

describe("the group beside the charts", () => {
  it("follows the newest step", () => {
    const { groups } = createRunView();
    for (let step = 1; step <= 3; step++) {
      groups.add(stepAt(step));
      expect(groupOf(stepOf(groups, null), 1)?.group).toMatchObject({ step, promptIndex: 1 });
    }
  });

  it("is the same object while a run streams 500 more steps past the one that is held", () => {
    const { groups, selection } = createRunView();
    for (let step = 1; step <= 5; step++) groups.add(stepAt(step));
    selection.setState({ step: 4, promptIndex: 1 });
    const held = groupOf(stepOf(groups, 4), 1);
    for (let step = 6; step <= 500; step++) groups.add(stepAt(step));
    expect(groupOf(stepOf(groups, 4), 1)?.group).toBe(held?.group);
    expect(held?.group.step).toBe(4);
    expect(held?.largestAdvantage).toBe(2);
  });

  it("is the newest where the step that is held is not here, and the first where its prompt is not", () => {
    const { groups } = createRunView();
    groups.add(stepAt(7));
    expect(groupOf(stepOf(groups, 99), 5)?.group).toMatchObject({ step: 7, promptIndex: 0 });
    expect(groupOf(null, 0)).toBeNull();
  });
});
