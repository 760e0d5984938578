// What an answer had open at its end, mark by mark.
import { describe, expect, it } from "vitest";
import { leftOpen } from "../../src/rl/table/leftOpen.ts";

describe("what an answer left open", () => {
  it.each([
    ["so \\boxed{", "\\boxed{"],
    ["so \\boxed{\\frac{1}{2", "\\boxed{"],
    ["so \\boxed{\\frac{1}{2}}", null],
    ["\\boxed{1} or \\boxed{2", "\\boxed{"],
    ["\\boxed{\\{1\\}}", null],
    ["<think>\nwait, \\boxed{3}", "<think>"],
    ["<think>\nwait</think> \\boxed{3", "\\boxed{"],
    ["<think>\\boxed{3", "\\boxed{"],
    ["<answer>3</answer>", null],
    ["```python\nprint(1)", "```"],
    ["```python\nprint(1)\n```", null],
    ["", null],
  ])("of %j is %j", (text, mark) => {
    expect(leftOpen(text)).toBe(mark);
  });
});
