import { describe, expect, it } from "vitest";
import type { GroupRecord } from "../../../../src/protocol/records.ts";
import { againstSentence, isAgainst } from "../../../../src/ui/kit/words/against.ts";

const group = (...advantages: readonly number[]) =>
  ({ trajectories: advantages.map((advantage) => ({ advantage })) }) as unknown as GroupRecord;

describe("answers that move against their advantage", () => {
  it("are counted with the one that moved furthest, on both sides", () => {
    expect(againstSentence(group(-1, -1, -0.5, 2, 1), [0.12, 0.03, -0.2, 0.5, -0.04])).toBe(
      "2 of 3 with a negative advantage became likelier (#1 by +0.120), 1 of 2 with a positive advantage became less likely (#5 by −0.040): all answers of the step share one set of weights, so pushing the others moves these too.",
    );
  });

  it("are none where all moved as pushed, by rounding alone, or nothing was measured", () => {
    expect(againstSentence(group(-1, 1), [-0.1, 0.1])).toBeNull();
    expect(againstSentence(group(-1, 1), [1e-5, -1e-5])).toBeNull();
    expect(againstSentence(group(-1, 1), [null, null])).toBeNull();
    expect(isAgainst(0, 1)).toBe(false);
  });
});
