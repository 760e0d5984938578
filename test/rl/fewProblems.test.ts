import { expect, it } from "vitest";
import { fewProblems } from "../../src/rl/accuracy.ts";

it("so few held-out problems that their share decides nothing are said to", () => {
  expect(fewProblems(2)).toBe(
    "2 held-out problems decide nothing: with half of them right, the share of all such problems may be 9 to 91 %",
  );
  expect([1, 3, 6, 7, 64].map((problems) => fewProblems(problems) !== null)).toEqual([false, true, true, false, false]);
});
