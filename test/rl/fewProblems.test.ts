import { expect, it } from "vitest";
import { fewEvaluated, fewProblems, wilsonInterval } from "../../src/rl/accuracy.ts";

it("so few held-out problems that their share decides nothing are said to", () => {
  expect(fewProblems(2, false)).toBe(
    "2 held-out problems decide nothing: with half of them right, the share of all such problems may be 9 to 91 %",
  );
  expect([0, 3, 6, 7, 64].map((problems) => fewProblems(problems, false) !== null)).toEqual([false, true, true, false, false]);
});

it("one held-out problem of more decides nothing, and the one that a task has says all", () => {
  expect(fewProblems(1, false)).toBe(
    "1 held-out problem decides nothing: where it is right, the share of all such problems may be 21 to 100 %",
  );
  expect(fewProblems(1, true)).toBeNull();
  expect(fewEvaluated({ problems: 1, greedyInterval: wilsonInterval(0, 1) })).toBe(fewProblems(1, false));
  expect(fewEvaluated({ problems: 1, greedyInterval: [1, 1] })).toBeNull();
});
