import { expect, test } from "vitest";
import { gainHeld } from "../../scripts/interop/trl/gain.ts";

/** Rewards that go from 0.3 up by `gain` in even steps, and lie above and below that line in turns. */
const curve = (gain: number, noise: number, steps = 40) =>
  Array.from({ length: steps }, (_, i) => 0.3 + (gain * i) / (steps - 1) + (i % 2 === 0 ? noise : -noise));

test("a gain is told with its standard error", () => {
  // Windows of 8 of 40 steps are 32 steps apart, and a step is 0.01: √(0.01² / 2) · √(2 / 8).
  expect(gainHeld(curve(0.39, 0), 8)).toContain("0.320 gained, with a standard error of 0.004");
});

test("a later reward that is merely greater does not hold", () => {
  expect(() => gainHeld(curve(0.005, 0.02), 8)).toThrow("at least 0.1 and 4 standard errors must be gained");
});

test("a gain within four standard errors does not hold", () => {
  expect(() => gainHeld(curve(0.39, 0.15), 8)).toThrow("0.320 gained");
});
