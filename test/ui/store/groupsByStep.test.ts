import { describe, expect, it } from "vitest";
import type { StepGroups } from "../../../src/protocol/messages.ts";
import { createRunView } from "../../../src/ui/store/runView.ts";

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
});
