// Medians and quantiles of timings, and the shape of figures.
import { describe, expect, it } from "vitest";
import { medianProducts } from "../../bench/measure/rounds.ts";
import { figure } from "../../bench/report/markdown.ts";
import { growthExponent, median, quantile, summarize } from "../../bench/report/statistics.ts";

describe("statistics", () => {
  it("take the middle value whatever the order", () => {
    expect(median([5, 1, 3])).toBe(3);
    expect(median([4, 1, 2, 3])).toBe(2.5);
    expect(median([])).toBeNaN();
  });

  it("interpolate between order statistics as numpy does", () => {
    expect(quantile([1, 2, 3, 4], 0.25)).toBe(1.75);
    expect(quantile([1, 2, 3, 4], 1)).toBe(4);
  });

  it("are not moved by one slow run", () => {
    expect(summarize([10, 11, 12, 13, 900])).toEqual({ medianMs: 12, spreadMs: [11, 13], samples: 5 });
  });

  it("join the rates of a product over the rounds", () => {
    const round = (gflops: number) => [{ m: 1, k: 2, n: 3, gflops }];
    expect(medianProducts([round(5), round(9), round(6)])).toEqual(round(6));
    expect(medianProducts([])).toEqual([]);
  });

  it("find the power that a cost grows by, and none of one point or of nothing", () => {
    expect(growthExponent([1, 2, 4, 8].map((x) => [x, 3 * x ** 2]))).toBeCloseTo(2, 12);
    // Half a fixed cost: less than the power of what grows.
    expect(growthExponent([1, 2, 4].map((x) => [x, 2 + x]))).toBeLessThan(0.6);
    expect(growthExponent([[1, 5]])).toBeNaN();
    expect(
      growthExponent([
        [1, 5],
        [2, 0],
      ]),
    ).toBeNaN();
  });

  it("are written with three digits and no exponent", () => {
    expect([0.12345, 12.3456, 123456, Number.NaN].map(figure)).toEqual(["0.123", "12.3", "123,000", "-"]);
  });
});
