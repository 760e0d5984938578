import { describe, expect, it } from "vitest";
import type { GroupRecord } from "../../../../src/protocol/records.ts";
import { movedAnywaySentence } from "../../../../src/ui/kit/words/movedAnyway.ts";

const group = (step: number, ...advantages: readonly number[]) =>
  ({ step, promptIndex: 1, trajectories: advantages.map((advantage) => ({ advantage })) }) as unknown as GroupRecord;
const summaries = (...largest: readonly number[]) => largest.map((largestAdvantage, promptIndex) => ({ promptIndex, largestAdvantage }));
const plain = { klCoef: 0, klPlacement: "loss", entropyCoef: 0, optimizer: "sgd", beta1: 0.9, weightDecay: 0.01 } as const;

describe("a group without advantages that moved", () => {
  it("is told by the groups that share its weights, as many as push", () => {
    expect(movedAnywaySentence(group(1, 0, 0), [0.01, -0.2], summaries(1.5, 0, 0, 2), plain)).toBe(
      "No answer here is pushed for its reward, and still #2 moved by −0.200. What moved it: 2 of the 3 other groups of the step, whose pushes move the weights that all answers share.",
    );
    expect(movedAnywaySentence(group(1, 0, 0), [0.01, -0.2], summaries(1.5, 0), plain)).toContain("the other group of the step");
  });

  it("is told by each force in force, and by no other", () => {
    const forced = { ...plain, klCoef: 0.04, entropyCoef: 0.01, optimizer: "adamw" } as const;
    const said = movedAnywaySentence(group(2, 0), [0.01], summaries(0, 0), forced);
    for (const force of ["momentum (β1 0.9)", "KL of weight 0.04", "entropy bonus (weight 0.01)", "weight decay (0.01)"])
      expect(said).toContain(force);
    expect(said).not.toContain("other group");
    // The first step has no momentum yet, a KL in the reward has made advantages.
    const first = movedAnywaySentence(group(1, 0), [0.01], summaries(0, 0), { ...forced, klPlacement: "reward" });
    expect(first).not.toMatch(/momentum|KL/);
    expect(movedAnywaySentence(group(1, 0), [0.01], summaries(0), plain)).toMatch(/by \+0\.010\d*\.$/);
  });

  it("is not told where an answer was pushed, none moved, or nothing was measured", () => {
    expect(movedAnywaySentence(group(2, 0, 0.5), [0.1, 0.1], summaries(1, 1), plain)).toBeNull();
    expect(movedAnywaySentence(group(2, 0), [1e-5], summaries(1, 0), plain)).toBeNull();
    expect(movedAnywaySentence(group(2, 0), [null], summaries(1, 0), plain)).toBeNull();
  });
});
