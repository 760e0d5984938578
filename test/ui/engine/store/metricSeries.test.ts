import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MOST_STEPS } from "../../../../src/protocol/run/thinned.ts";
import { MetricSeries } from "../../../../src/ui/engine/store/metricSeries.ts";

describe("metric series", () => {
  it("hand back the records they were given, in any batches", () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.constantFrom("reward", "kl", "loss"), fc.double({ noNaN: true }), { minKeys: 1 })),
        fc.integer({ min: 1, max: 9 }),
        (metrics, batch) => {
          const records = metrics.map((each, i) => ({ step: i + 1, metrics: { ...each } }));
          const series = new MetricSeries();
          for (let i = 0; i < records.length; i += batch) series.append(records.slice(i, i + batch));
          expect(series.records()).toEqual(records);
        },
      ),
    );
  });

  it("grow past their first storage", () => {
    const series = new MetricSeries();
    series.append(Array.from({ length: 1000 }, (_, i) => ({ step: i + 1, metrics: { reward: i } })));
    const { steps, values } = series.series("reward");
    expect([steps.length, steps[999], values[999]]).toEqual([1000, 1000, 999]);
    expect(series.series("reward").values.at(-1)).toBe(999);
  });

  it("have room for as many steps as are kept, however long a run goes on", () => {
    const series = new MetricSeries();
    series.append(Array.from({ length: 40_000 }, (_, i) => ({ step: i + 1, metrics: { reward: i } })));
    const { steps, values } = series.series("reward");
    expect(values.buffer.byteLength).toBeLessThanOrEqual(8 * (MOST_STEPS + 1));
    expect([...values]).toEqual(Array.from(steps, (step) => step - 1));
    expect(steps.at(-1)).toBe(40_000);
  });

  it("do not take a step twice", () => {
    const series = new MetricSeries();
    series.append([{ step: 1, metrics: { reward: 0.25 } }]);
    series.append([{ step: 1, metrics: { reward: 0.75 } }]);
    expect([...series.series("reward").values]).toEqual([0.25]);
  });

  it("tell their listeners once for each batch", () => {
    const series = new MetricSeries();
    let told = 0;
    const stop = series.subscribe(() => {
      told += 1;
    });
    series.append([
      { step: 1, metrics: { reward: 0, kl: 0 } },
      { step: 2, metrics: { reward: 0, kl: 0 } },
    ]);
    series.append([]);
    expect(told).toBe(1);
    stop();
    series.clear();
    expect(told).toBe(1);
    expect(series.series("reward").steps.length).toBe(0);
  });
});
