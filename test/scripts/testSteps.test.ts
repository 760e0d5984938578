import { expect, it } from "vitest";
import { skippedLines } from "../../scripts/testing/testSteps.mjs";

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
