// One value far out does not press the rest of a line flat; a steep rise is no such value.
import { describe, expect, it } from "vitest";
import { plotModel } from "../../../../../src/ui/kit/charts/plot/plotModel.ts";
import { bulkOf } from "../../../../../src/ui/kit/charts/series/spikes.ts";

const xs = Array.from({ length: 200 }, (_, i) => i + 1);
const wave = xs.map((x) => 1 + 0.2 * Math.sin(x / 5));
const drawn = (ys: readonly number[], more = {}) =>
  plotModel({ series: [{ id: "a", label: "a", xs, ys, ...more }], smoothed: [ys], levels: [], range: null, log: false, include: [] })!;

describe("a spike", () => {
  it("is left out of the axis and kept with its step", () => {
    const model = drawn(wave.with(43, 840));
    expect(model.axis.domain[1]).toBeLessThan(2);
    expect(model.spikes).toEqual([{ x: 44, y: 840, isHigh: true }]);
  });

  it("that another line's axis holds is no spike", () => {
    const series = [wave.with(43, 5), wave.map((y) => 10 * y)].map((ys, i) => ({ id: `${i}`, label: `${i}`, xs, ys }));
    const model = plotModel({ series, smoothed: series.map(({ ys }) => ys), levels: [], range: null, log: false, include: [] })!;
    expect(model.spikes).toEqual([]);
  });

  it("may be as many as four in a row, and low", () => {
    const ys = wave.map((y, i) => (i >= 90 && i < 94 ? -50 : y));
    const model = drawn(ys);
    expect(model.axis.domain[0]).toBeGreaterThanOrEqual(0);
    expect(model.spikes.map(({ x, isHigh }) => [x, isHigh])).toEqual([91, 92, 93, 94].map((x) => [x, false]));
  });

  it.each([
    ["a rise that stays", xs.map((x) => (x < 6 ? 0 : 1))],
    ["a steep fall at the beginning", xs.map((x) => 10 * Math.exp(-x / 4))],
    ["a collapse at the end", xs.map((x) => (x > 192 ? 0.01 : 0.8))],
    ["noise", xs.map((x) => Math.sin(x * x))],
  ])("is none in %s", (_what, ys) => {
    const model = drawn(ys);
    expect(model.spikes).toEqual([]);
    expect(model.axis.domain[0]).toBeLessThanOrEqual(Math.min(...ys));
    expect(model.axis.domain[1]).toBeGreaterThanOrEqual(Math.max(...ys));
  });

  it("is shown whole where it is a measurement, where a scale is logarithmic, and in a line of a few points", () => {
    const ys = wave.with(43, 840);
    expect(drawn(ys, { measured: true }).axis.domain[1]).toBeGreaterThanOrEqual(840);
    expect(bulkOf({ xs: xs.slice(0, 20), ys: ys.slice(30, 50) }, [1, 20])).toBeNull();
    expect(bulkOf({ xs, ys: xs.map(() => 0).with(9, 1) }, [1, 200])).toBeNull();
  });
});

describe("an axis", () => {
  const domain = (low: number, high: number) => drawn(xs.map((x) => low + ((high - low) * x) / 200)).axis.domain;

  it("begins at 0 where that costs at most half of it, and at the data otherwise", () => {
    expect(domain(0.4, 1)[0]).toBe(0);
    expect(domain(-1, -0.2)[1]).toBe(0);
    expect(domain(1.9, 2.2)[0]).toBeGreaterThan(1.7);
    expect(domain(0.9, 0.9)[0]).toBe(0);
  });
});

describe("a line's label and the marks of changes", () => {
  it("stand where the line ends, and at the steps in sight", () => {
    const model = plotModel({
      series: [{ id: "a", label: "a", xs: [1, 2, 3], ys: [1, 2, 3] }],
      smoothed: [[1, 2, 3]],
      ...{ levels: [], range: [0, 10], log: false, include: [], changes: [2, 40] },
    })!;
    expect(model.lines[0]).toMatchObject({ last: 3, end: 3 });
    expect(model.changes).toEqual([2]);
  });
});
