import { expect, it } from "vitest";
import { reportLine } from "../../scripts/testing/learningReport.mjs";
import { skippedLines, steps } from "../../scripts/testing/testSteps.mjs";

it("names a test skipped alone, and counts those skipped for one reason", () => {
  const skipped = [
    { name: "kernels > add", reason: "no adapter" },
    { name: "a race > ends", reason: "no second core" },
    { name: "kernels > multiply", reason: "no adapter" },
  ];
  expect(skippedLines("unit", skipped)).toEqual([
    "skipped in unit: 2 tests, kernels > add first - no adapter",
    "skipped in unit: a race > ends - no second core",
  ]);
  expect(skippedLines("unit", [])).toEqual([]);
});

it("the last step reports what small runs learn: steps, accuracy with its interval, lift, seconds", () => {
  expect(steps.at(-1)?.id).toBe("learning");
  const summary = {
    steps: 20,
    accuracy: 0.5,
    accuracyInterval: [0.45, 0.55],
    lift: 0.25,
    liftInterval: [0.2, 0.3],
    seconds: 12.34,
    verdict: "improving",
  } as const;
  expect(reportLine("boxed-arithmetic", summary)).toBe(
    "boxed-arithmetic    20 steps  accuracy 25.0 % -> 50.0 % (45.0 % to 55.0 %), lift 20.0 to 30.0 points  12.3 s  improving",
  );
});
