// Which group of a step is shown where nobody has chosen one: one that has something to compare.
import { describe, expect, it } from "vitest";
import type { Example, Trajectory, TrajectoryGroup } from "../../../src/rl/types.ts";
import { followedGroup } from "../../../src/train/run/runFeed.ts";

/** Answers are single tokens, of which 1 is right. */
const task = { isSuccess: (_: Example, { tokens }: Trajectory) => tokens[0] === 1 };
const groups = (...answers: readonly (readonly number[])[]) =>
  answers.map((each) => ({ example: {}, trajectories: each.map((token) => ({ tokens: [token] })) })) as unknown as TrajectoryGroup[];

describe("the group that is followed", () => {
  it("is the first with right and wrong answers", () => {
    expect(followedGroup(task, { groups: groups([0, 0], [1, 1], [0, 1], [1, 0]) })).toBe(2);
  });

  it("is the first of all where none has both", () => {
    expect(followedGroup(task, { groups: groups([0, 0], [1, 1]) })).toBe(0);
  });
});
