// What is said of a link before it is copied.
import { describe, expect, it } from "vitest";
import type { RolloutExtent } from "../../../../src/protocol/run/runSummary.ts";
import { heldText, lackTexts } from "../../../../src/ui/runs/replay/shareRun.ts";

const all = (of: number) => ({ held: of, of });
const WHOLE: RolloutExtent = {
  ...{ steps: all(40), hasAllMetrics: true, evaluations: all(5), probes: all(9), kept: all(12) },
  shown: { step: 7, promptIndex: 1, trajectoryIndex: 2, amount: "step" },
};
const LONG: RolloutExtent = {
  ...{ steps: { held: 64, of: 1_000 }, hasAllMetrics: false, evaluations: all(5), probes: { held: 1, of: 13 }, kept: { held: 1, of: 20 } },
  shown: { step: 7, promptIndex: 1, trajectoryIndex: 2, amount: "group" },
};

describe("a link to a run", () => {
  it("that holds all of it says so, and leaves nothing out", () => {
    expect([heldText(WHOLE), lackTexts(WHOLE)]).toEqual(["the whole run", []]);
  });

  it("that holds a part says which, and all that stays behind", () => {
    expect(heldText(LONG)).toBe("step 7 with the answers to prompt 2, and the main curves at 64 of 1,000 steps");
    expect(lackTexts(LONG)).toEqual([
      "what was said to the other prompts of step 7",
      "the conversations of 19 other steps",
      "the curves between those 64 steps",
      "the less usual curves",
      "the same prompts over time, but for 1 record of 13",
    ]);
    expect(heldText({ ...LONG, shown: { ...LONG.shown!, amount: "answer" } })).toMatch(/^answer 3 to prompt 2 of step 7, and/);
  });
});
