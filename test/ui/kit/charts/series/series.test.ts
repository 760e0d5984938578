import { describe, expect, it } from "vitest";
import { lowerBound } from "../../../../../src/rl/race/curve.ts";
import { allSteps, fullRange, lastFinite, nearestIndex, zoomRange } from "../../../../../src/ui/kit/charts/series/series.ts";

const line = (xs: number[]) => ({ id: "a", label: "a", xs, ys: xs });

describe("series", () => {
  it("lists every step that has a point once, in order", () => {
    expect(allSteps([])).toEqual([]);
    expect(allSteps([line([1, 2]), line([1, 2])])).toEqual([1, 2]);
    expect(allSteps([line([1, 4]), line([1, 3])])).toEqual([1, 3, 4]);
    expect(allSteps([line([1, 2, 3]), line([1, 2])])).toEqual([1, 2, 3]);
  });

  it("finds the nearest point, the earlier one of two equally near", () => {
    expect(nearestIndex([0, 10, 20], 14)).toBe(1);
    expect(nearestIndex([0, 10, 20], 15)).toBe(1);
    expect(nearestIndex([0, 10, 20], 16)).toBe(2);
    expect(nearestIndex([0, 10, 20], -5)).toBe(0);
    expect(nearestIndex([0, 10, 20], 99)).toBe(2);
    expect(nearestIndex([], 1)).toBe(-1);
    expect(lowerBound([1, 3, 5], 4)).toBe(2);
  });

  it("spans all lines and knows when there is nothing", () => {
    expect(fullRange([line([3, 9]), line([]), line([1, 4])])).toEqual([1, 9]);
    expect(fullRange([line([])])).toBeNull();
  });

  it("finds the last value that is a number", () => {
    expect(lastFinite([1, 2, Number.NaN])).toBe(1);
    expect(lastFinite([Number.NaN])).toBe(-1);
  });

  it("zooms around the pointer, stays inside the run and lets go at full width", () => {
    expect(zoomRange([0, 100], 50, 0.5, [0, 100])).toEqual([25, 75]);
    expect(zoomRange([0, 100], 100, 0.5, [0, 100])).toEqual([50, 100]);
    expect(zoomRange([25, 75], 50, 2, [0, 100])).toBeNull();
    expect(zoomRange([50, 51], 50, 0.5, [0, 100])).toEqual([50, 52]);
  });
});
