import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { axisShare, linearAxis, logAxis, stepTicks } from "../../../../../src/ui/kit/charts/plot/scale.ts";

describe("value axes", () => {
  it("ends on round numbers that hold all values", () => {
    expect(linearAxis(0.03, 0.97)).toEqual({ kind: "linear", domain: [0, 1], ticks: [0, 0.5, 1] });
    fc.assert(
      fc.property(fc.double({ min: -1e5, max: 1e5, noNaN: true }), fc.double({ min: 1e-4, max: 1e5, noNaN: true }), (low, span) => {
        const { domain, ticks } = linearAxis(low, low + span);
        expect(domain[0]).toBeLessThanOrEqual(low + span * 1e-6);
        expect(domain[1]).toBeGreaterThanOrEqual(low + span - span * 1e-6);
        expect(ticks.length).toBeGreaterThanOrEqual(2);
        expect(ticks.length).toBeLessThanOrEqual(7);
      }),
    );
  });

  it("widens a flat line so that it sits inside the chart, and shows nothing below 0 of one that is all 0", () => {
    for (const value of [0.4, -3, 250]) {
      const { domain } = linearAxis(value, value);
      expect(domain[0]).toBeLessThan(value);
      expect(domain[1]).toBeGreaterThan(value);
    }
    expect(linearAxis(0, 0)).toEqual({ kind: "linear", domain: [0, 1], ticks: [0, 0.5, 1] });
  });

  it("covers whole decades on a log axis and refuses values that have none", () => {
    expect(logAxis(0.002, 0.5)?.ticks).toEqual([0.001, 0.01, 0.1, 1]);
    expect(logAxis(0, 1)).toBeNull();
    expect(logAxis(-1, 1)).toBeNull();
    expect(logAxis(1e-12, 1)?.ticks.length).toBeLessThanOrEqual(6);
  });

  it("places values in proportion, or by decade", () => {
    expect(axisShare(linearAxis(0, 1), 0.25)).toBeCloseTo(0.25, 12);
    expect(axisShare(logAxis(0.01, 1)!, 0.1)).toBeCloseTo(0.5, 12);
  });

  it("gives whole steps as ticks of the step axis", () => {
    for (const [from, to] of [
      [0, 3],
      [0, 1],
      [17, 253],
      [0, 10_000],
    ] as const)
      for (const tick of stepTicks(from, to)) expect(Number.isInteger(tick)).toBe(true);
    expect(stepTicks(5, 5)).toEqual([5]);
  });
});
