import { describe, expect, it } from "vitest";
import type { StepGroups } from "../../../../src/protocol/messages.ts";
import { createRunView } from "../../../../src/ui/engine/store/runView.ts";

const step = (number: number) => ({ step: number, phase: "update", groups: [], summaries: [], oldestStep: 1 }) as unknown as StepGroups;

describe("the steps a page holds", () => {
  it("include the one that is looked at, however far the run has gone on", () => {
    const { groups, selection } = createRunView();
    groups.add(step(1));
    groups.add(step(2));
    selection.setState({ step: 2, tokenIndex: 3 });
    for (let number = 3; number < 500; number++) groups.add(step(number));
    expect(groups.at(2)?.step).toBe(2);
    expect(groups.at(1)).toBeNull();
    selection.setState({ step: null });
    groups.add(step(500));
    expect(groups.at(2)).toBeNull();
  });

  it("that the save of a run keeps can be asked for, and are no steps of which more is known", () => {
    const { groups } = createRunView();
    groups.keeps([1, 4, 9]);
    expect([groups.latestStep, groups.oldestStep, groups.recordedSteps]).toEqual([9, 9, [1, 4, 9]]);
    groups.add({ ...step(4), isKept: true });
    expect([groups.latestStep, groups.at(4)?.step, groups.isKept(4), groups.isHere(4), groups.isRecord(4)]).toEqual([
      9,
      4,
      true,
      false,
      false,
    ]);
    expect(groups.isKept(5)).toBe(false);
    // What the engine takes itself is known whole.
    groups.add({ ...step(10), oldestStep: 9 });
    expect([groups.latestStep, groups.oldestStep, groups.recordedSteps]).toEqual([10, 9, [1, 4]]);
    expect([groups.isKept(9), groups.isHere(9)]).toEqual([false, true]);
    groups.clear(null);
    expect([groups.latestStep, groups.recordedSteps]).toEqual([null, []]);
  });
});
