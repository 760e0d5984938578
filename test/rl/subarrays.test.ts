import { describe, expect, it } from "vitest";
import { consecutiveSubarrays, endToEnd } from "../../src/rl/objective/types.ts";

describe("consecutive subarrays", () => {
  it("follow each other and share nothing", () => {
    const room = new Float64Array(7).subarray(1, 6);
    const next = consecutiveSubarrays(room);
    const [first, none, second] = [next(2), next(0), next(3)];
    first.fill(1);
    second.fill(2);
    expect([...room]).toEqual([1, 1, 2, 2, 2]);
    expect(none).toHaveLength(0);
  });
});

it("lists end to end keep their order, and an empty one adds nothing", () => {
  expect(endToEnd([[3, 1], [], [2]])).toEqual([3, 1, 2]);
});
