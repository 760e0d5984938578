import { describe, expect, it } from "vitest";
import { consecutiveSubarrays } from "../../src/rl/objective/types.ts";

describe("consecutive subarrays", () => {
  it("follow each other and share nothing", () => {
    const room = new Float64Array(5);
    const next = consecutiveSubarrays(room);
    const [first, none, second] = [next(2), next(0), next(3)];
    first.fill(1);
    second.fill(2);
    expect([...room]).toEqual([1, 1, 2, 2, 2]);
    expect(none).toHaveLength(0);
  });
});
