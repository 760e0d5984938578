// What the branches of a tree show: words, and of a template nothing.
import { describe, expect, it } from "vitest";
import { branchRuns, sharedText } from "../../../../../src/ui/step/rollouts/group/GroupTree.tsx";
import { groupOf } from "../groups.ts";

describe("the text of a branch", () => {
  const pieces = [
    "<tool_call>",
    "9",
    " 8",
    "</tool_call>",
    "<|im_end|>",
    "<|im_start|>",
    "tool\n",
    "93",
    "10",
    "<|im_end|>",
    "<|im_start|>",
    "assistant\n",
    "9310",
  ];
  const sampled = [1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1];
  const base = groupOf([pieces.map((_, i) => i)]);
  const group = { ...base, trajectories: base.trajectories.map((each) => ({ ...each, pieces, sampled })) };

  it("is what was sampled and what was inserted, without marks and roles", () => {
    expect(branchRuns(group, { members: [0], first: 0, end: pieces.length })).toEqual([
      { at: 0, isSampled: true, text: "9␣8" },
      { at: 5, isSampled: false, text: "9310" },
      { at: 12, isSampled: true, text: "9310" },
    ]);
  });

  it("is nothing where there are only marks, and short where much was inserted", () => {
    expect(branchRuns(group, { members: [0], first: 3, end: 5 })).toEqual([]);
    const long = {
      ...group,
      trajectories: group.trajectories.map((each) => ({ ...each, pieces: ["x".repeat(500), "y"], sampled: [0, 1] })),
    };
    expect(branchRuns(long, { members: [0], first: 0, end: 2 })[0]!.text).toHaveLength(81);
  });

  it("says how long the beginning is that all share", () => {
    expect(sharedText(8, 17)).toBe("All 8 begin with the same 17 tokens");
    expect(sharedText(4, 1)).toBe("All 4 begin with the same token");
  });
});
