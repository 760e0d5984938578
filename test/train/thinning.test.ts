import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pushThinned, thinnedIndices } from "../../src/protocol/run/thinned.ts";
import { MetricSeries } from "../../src/ui/engine/store/metricSeries.ts";

describe("a long history", () => {
  it("stays within its bound, ascending, with its newest record and evenly spaced old ones", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 4, max: 64 }),
        fc.integer({ min: 1, max: 2000 }),
        fc.integer({ min: 1, max: 7 }),
        (most, count, every) => {
          const records: { readonly step: number }[] = [];
          for (let i = 1; i <= count; i++) {
            pushThinned(records, { step: i * every }, most);
            expect(records.length).toBeLessThanOrEqual(most);
            expect(records.at(-1)?.step).toBe(i * every);
          }
          const steps = records.map(({ step }) => step);
          expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
          if (count <= most) expect(records).toHaveLength(count);
        },
      ),
      { numRuns: 25 },
    );
  });

  it("loses nothing before it is full, then keeps one of every two steps and the newest", () => {
    expect(thinnedIndices([1, 2, 3, 4], 4)).toBeNull();
    expect(thinnedIndices([1, 2, 3, 4, 5, 6, 7, 8, 9], 8)).toEqual([0, 1, 3, 5, 7, 8]);
  });

  it("bounds what the page keeps of a run of a million steps, in every metric alike", () => {
    const series = new MetricSeries();
    let largest = 0;
    for (let from = 0; from < 1_000_000; from += 10_000) {
      series.append(Array.from({ length: 10_000 }, (_, i) => ({ step: from + i + 1, metrics: { reward: from + i + 1, kl: -1 } })));
      largest = Math.max(largest, series.series("reward").steps.length);
    }
    expect(largest).toBeLessThanOrEqual(16_384);
    const { steps, values } = series.series("reward");
    expect(values).toEqual(steps);
    expect(series.series("kl").steps).toEqual(steps);
    expect(series.series("reward").values.at(-1)).toBe(1_000_000);
    expect(steps[0]).toBeLessThan(1000);
  });
});
