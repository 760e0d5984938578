import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decadeLabels, formatNumber, formatSigned, tickLabels } from "../../../../src/ui/kit/charts/format.ts";
import { linearAxis } from "../../../../src/ui/kit/charts/plot/scale.ts";

describe("numbers for people", () => {
  it.each([
    [0, "0"],
    [0.123456, "0.123"],
    [2.6458, "2.65"],
    [-0.378, "−0.378"],
    [0.00012, "1.2e−4"],
    [12345, "12.3k"],
    [2_500_000, "2.5M"],
    [4321, "4321"],
    [Number.NaN, "–"],
    [Number.NEGATIVE_INFINITY, "−∞"],
  ])("shows %s as %s", (value, shown) => expect(formatNumber(value)).toBe(shown));

  it("adds a plus to positive changes only", () => {
    expect(formatSigned(2.6458)).toBe("+2.65");
    expect(formatSigned(0)).toBe("0");
    expect(formatSigned(-1)).toBe("−1");
  });

  it.each([
    [
      [0, 0.1, 0.2, 0.30000000000000004],
      ["0", "0.1", "0.2", "0.3"],
    ],
    [
      [0, 0.5, 1, 1.5],
      ["0", "0.5", "1.0", "1.5"],
    ],
    [
      [-1, -0.5, 0],
      ["−1.0", "−0.5", "0"],
    ],
    [
      [0, 5e-4, 1e-3, 1.5e-3],
      ["0", "0.0005", "0.0010", "0.0015"],
    ],
    [
      [0, 5e-5, 1e-4, 1.5e-4],
      ["0", "0.5e−4", "1.0e−4", "1.5e−4"],
    ],
    [
      [0, 5e-7, 1e-6],
      ["0", "0.5e−6", "1.0e−6"],
    ],
    [
      [0, 5000, 10_000, 15_000],
      ["0", "5k", "10k", "15k"],
    ],
    [
      [0, 20, 40],
      ["0", "20", "40"],
    ],
    [[0], ["0"]],
  ])("labels the ticks %s in one notation", (ticks, shown) => expect(tickLabels(ticks, "number")).toEqual(shown));

  it("gives the ticks of shares as many decimals as their step asks for", () => {
    expect(tickLabels([0, 0.0005, 0.001, 0.0015], "share")).toEqual(["0 %", "0.05 %", "0.10 %", "0.15 %"]);
    expect(tickLabels([0, 0.2, 0.4, 1], "share")).toEqual(["0 %", "20 %", "40 %", "100 %"]);
  });

  it("never labels two ticks of an axis alike", () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e7, noNaN: true }), fc.constantFrom("number" as const, "share" as const), (high, format) => {
        const labels = tickLabels(linearAxis(0, high).ticks, format);
        expect(new Set(labels).size).toBe(labels.length);
      }),
    );
  });

  it("labels decades with exponents throughout where one needs it", () => {
    expect(decadeLabels([0.01, 0.1, 1], "number")).toEqual(["0.01", "0.1", "1"]);
    expect(decadeLabels([1e-6, 1e-4, 1e-2, 1], "number")).toEqual(["1e−6", "1e−4", "1e−2", "1e0"]);
    expect(decadeLabels([0.001, 0.1], "share")).toEqual(["0.1 %", "10 %"]);
  });
});
