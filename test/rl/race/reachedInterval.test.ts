// The interval of one combination's mean: by its seeds, never narrower than what its answers allow.
import fc from "fast-check";
import { expect, it } from "vitest";
import { meanInterval, wilsonInterval } from "../../../src/rl/accuracy.ts";
import { reachedInterval } from "../../../src/rl/race/difference.ts";

it("of a share holds the mean, lies in [0, 1] and is as wide as both counts of it", () => {
  const shares = fc.array(fc.integer({ min: 0, max: 64 }), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(shares, (right) => {
      const values = right.map((each) => each / 64);
      const mean = values.reduce((a, b) => a + b, 0) / values.length;
      const [low, high] = reachedInterval({ values, trials: 64 })!;
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      const [answersLow, answersHigh] = wilsonInterval(mean * 64 * values.length, 64 * values.length);
      expect(low).toBeLessThanOrEqual(answersLow + 1e-12);
      expect(high).toBeGreaterThanOrEqual(answersHigh - 1e-12);
      if (values.length > 1) expect(low).toBeLessThanOrEqual(Math.max(0, meanInterval(values)[0]) + 1e-12);
    }),
  );
});

it("of rewards needs three seeds, and agrees with Student's t there", () => {
  expect(reachedInterval({ values: [1, 2], trials: null, grain: 0.1 })).toBeNull();
  const [low, high] = reachedInterval({ values: [1, 2, 3, 4, 5, 6], trials: null, grain: 0 })!;
  const [expectedLow, expectedHigh] = meanInterval([1, 2, 3, 4, 5, 6]);
  expect(low).toBeCloseTo(expectedLow, 1);
  expect(high).toBeCloseTo(expectedHigh, 1);
  // Equal rewards are no surer than the grain they were measured with.
  const [same, same2] = reachedInterval({ values: [1, 1, 1], trials: null, grain: 0.5 })!;
  expect(same2 - same).toBeGreaterThan(0.3);
});
