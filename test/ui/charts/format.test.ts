import { describe, expect, it } from "vitest";
import { formatNumber, formatShare, formatSigned, formatTick } from "../../../src/ui/charts/format.ts";

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
    expect(formatSigned(-1)).toBe("−1.00");
  });

  it.each([
    [0.1, "0.1"],
    [0.30000000000000004, "0.3"],
    [20000, "20k"],
    [0.0001, "1e−4"],
    [0.00015, "1.5e−4"],
    [-0.5, "−0.5"],
  ])("labels the tick %s as %s", (value, shown) => expect(formatTick(value)).toBe(shown));

  it("shows shares as percentages", () => {
    expect(formatShare(0.314)).toBe("31 %");
    expect(formatShare(0.0314)).toBe("3.1 %");
    expect(formatShare(1)).toBe("100 %");
  });
});
