import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawnValues, smooth, withDrawnBands } from "../../../../../src/ui/kit/charts/series/smooth.ts";

describe("smooth", () => {
  it("returns the values themselves at weight 0", () => {
    expect([...smooth([3, 1, 2], 0)]).toEqual([3, 1, 2]);
    expect([...smooth([0.1, 3e10, 0.1, Number.NaN], 0)]).toEqual([0.1, 3e10, 0.1, Number.NaN]);
  });

  it("equals the weighted mean written out", () => {
    const ys = [4, 2, 6];
    const w = 0.5;
    expect(smooth(ys, w)[2]).toBeCloseTo((6 + w * 2 + w * w * 4) / (1 + w + w * w), 12);
  });

  it("leaves a constant unchanged and stays between the extremes", () => {
    expect([...smooth([7, 7, 7, 7], 0.9)]).toEqual([7, 7, 7, 7]);
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: -100, max: 100, noNaN: true }), { minLength: 1 }),
        fc.double({ min: 0, max: 0.99, noNaN: true }),
        (ys, w) => {
          for (const value of smooth(ys, w)) {
            expect(value).toBeGreaterThanOrEqual(Math.min(...ys) - 1e-9);
            expect(value).toBeLessThanOrEqual(Math.max(...ys) + 1e-9);
          }
        },
      ),
    );
  });

  it("keeps gaps as gaps and averages across them", () => {
    const [first, gap, last] = smooth([2, Number.NaN, 4], 0.5);
    expect(first).toBe(2);
    expect(gap).toBeNaN();
    expect(last).toBeCloseTo((4 + 0.5 * 2) / 1.5, 12);
  });

  it("leaves evaluations and exact values alone", () => {
    const line = { id: "a", label: "a", xs: [1, 2], ys: [0, 1] };
    const lines = [line, { ...line, measured: true }, { ...line, exact: true }];
    const [smoothed, measured, exact] = drawnValues(lines, 0.8);
    expect(smoothed![1]).toBeLessThan(0.6);
    expect([[...measured!], [...exact!]]).toEqual([line.ys, line.ys]);
  });

  it("refuses a weight that would never forget", () => {
    expect(() => smooth([1], 1)).toThrow("weight must be >= 0 and < 1, got 1");
  });
});

it("a smoothed line stays within its smoothed band, and measurements keep theirs", () => {
  const line = { id: "a", label: "a", xs: [1, 2, 3], ys: [1, 0, 1], lows: [0, 0, 0], highs: [2, 1, 4] };
  const [drawn, measured] = withDrawnBands([line, { ...line, measured: true }], 0.5);
  expect(Array.from(drawn!.highs!)).toEqual(Array.from(smooth(line.highs, 0.5)));
  for (const [i, y] of drawnValues([line], 0.5)[0]!.entries()) expect(y).toBeLessThanOrEqual(drawn!.highs![i]!);
  expect(measured!.highs).toEqual(line.highs);
});
