// pass@k, intervals and the controllers.
import { describe, expect, it } from "vitest";
import { differenceInterval, meanInterval, passAtK, studentQuantile, wilsonInterval } from "../../src/rl/accuracy.ts";
import { adaptEntropyCoef, adaptKlCoef } from "../../src/rl/controllers.ts";
import { Random } from "../../src/rl/random.ts";

describe("pass@k", () => {
  it("equals the share of k-subsets with a right sample", () => {
    for (let n = 1; n <= 7; n++) {
      for (let c = 0; c <= n; c++) {
        for (let k = 1; k <= n; k++) {
          let hits = 0;
          let subsets = 0;
          for (let bits = 0; bits < 1 << n; bits++) {
            if (bits.toString(2).replaceAll("0", "").length !== k) continue;
            subsets += 1;
            if ((bits & ((1 << c) - 1)) !== 0) hits += 1;
          }
          expect(passAtK(n, c, k)).toBeCloseTo(hits / subsets, 12);
        }
      }
    }
  });
  it("is stable for many samples", () => expect(passAtK(10_000, 1, 100)).toBeCloseTo(0.01, 12));
  it("refuses k above n", () => expect(() => passAtK(4, 1, 5)).toThrow("k must be from 1 to n = 4, got 5"));
});

describe("intervals", () => {
  it("of a difference match published values", () => {
    // Newcombe 1998, "Interval estimation for the difference between independent proportions", table II, method 10.
    const share = (right: number, n: number) => ({ value: right / n, interval: wilsonInterval(right, n) });
    const [low, high] = differenceInterval(share(48, 80), share(56, 70));
    expect([low.toFixed(4), high.toFixed(4)]).toEqual(["0.0524", "0.3339"]);
  });
  it("match published Wilson values", () => {
    // Newcombe 1998, table I: 81/263, 15/148, 0/20, 1/29.
    const rows = [
      [81, 263, 0.2553, 0.3662],
      [15, 148, 0.0624, 0.1605],
      [0, 20, 0, 0.1611],
      [1, 29, 0.0061, 0.1718],
    ] as const;
    for (const [right, n, low, high] of rows) {
      const interval = wilsonInterval(right, n);
      expect(interval[0]).toBeCloseTo(low, 4);
      expect(interval[1]).toBeCloseTo(high, 4);
    }
    expect(wilsonInterval(0, 0)).toEqual([0, 1]);
  });

  it("use Student's t", () => {
    for (const [freedom, t] of [
      [1, 12.7062],
      [2, 4.30265],
      [6, 2.44691],
      [10, 2.22814],
      [30, 2.04227],
    ] as const) {
      expect(Math.abs(studentQuantile(freedom) / t - 1)).toBeLessThan(1e-4);
    }
    for (const [freedom, t] of [
      [3, 3.18245],
      [4, 2.77645],
      [5, 2.57058],
    ] as const) {
      expect(Math.abs(studentQuantile(freedom) / t - 1)).toBeLessThan(5e-3);
    }
    const [low, high] = meanInterval([1, 2, 3, 4, 5, 6, 7]);
    expect(low).toBeCloseTo(4 - (2.44691 * Math.sqrt(28 / 6)) / Math.sqrt(7), 3);
    expect(low + high).toBeCloseTo(8, 12);
  });

  it("of equal shares do not claim certainty", () => {
    // Wilson for 0/64 and 64/64: the far end is z²/(n + z²) = 3.8415/67.8415.
    expect(meanInterval(new Array(64).fill(1))).toEqual([expect.closeTo(1 - 0.056624, 6), 1]);
    expect(meanInterval(new Array(64).fill(0))).toEqual([0, expect.closeTo(0.056624, 6)]);
    expect(meanInterval(new Array(10).fill(0.5))).toEqual(wilsonInterval(5, 10));
    expect(meanInterval([3, 3, 3])).toEqual([3, 3]);
  });

  it("cover the true mean about 95 times in 100", () => {
    const random = new Random(1);
    let t = 0;
    for (let i = 0; i < 1000; i++) {
      const values = Array.from({ length: 60 }, () => random.normal());
      const covers = ([low, high]: readonly [number, number]) => (low <= 0 && high >= 0 ? 1 : 0);
      t += covers(meanInterval(values));
    }
    expect(t / 1000).toBeGreaterThan(0.92);
    expect(t / 1000).toBeLessThan(0.98);
  });
});

describe("controllers", () => {
  const kl = { klTarget: 0.1, klHorizon: 1000 };
  it("move the KL weight towards its target as verl does", () => {
    expect(adaptKlCoef(0.2, 0.11, 50, kl)).toBeCloseTo(0.2 * (1 + (0.1 * 50) / 1000), 14);
    expect(adaptKlCoef(0.2, 9, 50, kl)).toBeCloseTo(0.2 * (1 + (0.2 * 50) / 1000), 14);
    expect(adaptKlCoef(0.2, 0, 50, kl)).toBeCloseTo(0.2 * (1 - (0.2 * 50) / 1000), 14);
    expect(adaptKlCoef(0.2, 9, 50, { ...kl, klTarget: 0 })).toBe(0.2);
  });
  it("step the entropy bonus as TRL does", () => {
    const entropy = { entropyTarget: 0.2, entropyDelta: 0.005, entropyCoefMax: 0.012 };
    expect(adaptEntropyCoef(0, 0.2, entropy)).toEqual({ coef: 0.005, isApplied: true });
    expect(adaptEntropyCoef(0.01, 0.1, entropy)).toEqual({ coef: 0.012, isApplied: true });
    expect(adaptEntropyCoef(0.003, 0.3, entropy)).toEqual({ coef: 0, isApplied: false });
    expect(adaptEntropyCoef(0.003, 0.3, { ...entropy, entropyTarget: 0 })).toEqual({ coef: 0.003, isApplied: true });
  });
});
