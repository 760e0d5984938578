import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bucketIndices } from "../../../../../src/ui/kit/charts/plot/downsample.ts";

const walk = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 3000 });
const indexXs = (ys: readonly number[]) => Float64Array.from(ys, (_, i) => i * 2);

describe("bucketIndices", () => {
  it("returns every point of a short series", () => {
    expect(bucketIndices([0, 1, 2, 3], [5, 6, 7, 8], [0, 3])).toEqual([0, 1, 2, 3]);
  });

  it("never returns more than the limit, ascending and without repeats", () => {
    fc.assert(
      fc.property(walk, fc.integer({ min: 4, max: 400 }), (ys, limit) => {
        const xs = indexXs(ys);
        const indices = bucketIndices(xs, ys, [0, xs.at(-1)!], limit);
        expect(indices.length).toBeLessThanOrEqual(limit);
        for (let i = 1; i < indices.length; i++) expect(indices[i]!).toBeGreaterThan(indices[i - 1]!);
      }),
      { numRuns: 200 },
    );
  });

  it("keeps the first, the last, the lowest and the highest point", () => {
    fc.assert(
      fc.property(walk, (ys) => {
        const xs = indexXs(ys);
        const shown = bucketIndices(xs, ys, [0, xs.at(-1)!], 50).map((i) => ys[i]!);
        expect(Math.min(...shown)).toBe(Math.min(...ys));
        expect(Math.max(...shown)).toBe(Math.max(...ys));
        expect(shown[0]).toBe(ys[0]);
        expect(shown.at(-1)).toBe(ys.at(-1));
      }),
      { numRuns: 200 },
    );
  });

  it("drops points that are not finite and keeps a lone spike among ten thousand", () => {
    const ys = new Float64Array(10_000);
    ys[4321] = 9;
    ys[10] = Number.NaN;
    ys[11] = Number.POSITIVE_INFINITY;
    const indices = bucketIndices(indexXs([...ys]), ys, [0, 20_000]);
    expect(indices).toContain(4321);
    expect(indices).not.toContain(10);
    expect(indices).not.toContain(11);
  });

  it("keeps one neighbour on each side of a zoomed range so that lines reach the edge", () => {
    const xs = [0, 10, 20, 30, 40, 50];
    expect(bucketIndices(xs, xs, [15, 35])).toEqual([1, 2, 3, 4]);
    expect(bucketIndices(xs, xs, [20, 30])).toEqual([1, 2, 3, 4]);
  });

  it("says so when the limit is too small to keep extremes", () => {
    expect(() => bucketIndices([0], [0], [0, 1], 3)).toThrow("limit must be >= 4, got 3");
  });
});
