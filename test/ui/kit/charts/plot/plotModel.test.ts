import { describe, expect, it } from "vitest";
import { levelLabels, lineLabels, spreadLabels } from "../../../../../src/ui/kit/charts/plot/plotLabels.ts";
import {
  plotModel as modelOf,
  type PlotInput,
  plotRect,
  roomyRange,
  stepToX,
  valueToY,
  xToStep,
} from "../../../../../src/ui/kit/charts/plot/plotModel.ts";

import { drawnValues } from "../../../../../src/ui/kit/charts/series/smooth.ts";

/** The model of lines smoothed as the chart smooths them. */
const plotModel = ({ smoothing, ...input }: Omit<PlotInput, "smoothed"> & { readonly smoothing: number }) =>
  modelOf({ ...input, smoothed: drawnValues(input.series, smoothing) });

const xs = Array.from({ length: 5000 }, (_, i) => i + 1);
const wave = { id: "wave", label: "wave", xs, ys: xs.map((x) => Math.sin(x / 300) + 1.5) };
const plain = { levels: [], range: null, smoothing: 0.8, log: false, include: [0] };

describe("plotModel", () => {
  it("draws at most 300 points of a long line and names its last smoothed value", () => {
    const model = plotModel({ ...plain, series: [wave] })!;
    expect(model.rows.length).toBeLessThanOrEqual(300);
    expect(model.range).toEqual([1, 5000]);
    expect(model.lines[0]!.last).toBeCloseTo(wave.ys.at(-1)!, 1);
  });

  it("leaves the axis alone while a run grows by little, and little of it empty", () => {
    expect(roomyRange([1, 1])).toEqual([1, 2]);
    expect(roomyRange([1, 9])).toEqual([1, 9]);
    let changes = 0;
    let end = 0;
    for (let to = 2; to <= 20_000; to++) {
      const [from, edge] = roomyRange([1, to]);
      expect(from).toBe(1);
      expect(edge).toBeGreaterThanOrEqual(to);
      expect(edge - to).toBeLessThanOrEqual((to - 1) / 16);
      if (edge !== end) changes += 1;
      end = edge;
    }
    expect(changes).toBeLessThan(250);
  });

  it("shows more detail of a zoomed range", () => {
    const model = plotModel({ ...plain, series: [wave], range: [1000, 1100] })!;
    expect(model.rows.map((row) => row.x)).toEqual(Array.from({ length: 103 }, (_, i) => 999 + i));
  });

  it("ends the axis at its floor, whatever lies below", () => {
    const line = { id: "a", label: "a", xs: [1, 2, 3], ys: [0.4, -250, 0.2] };
    const model = plotModel({ ...plain, series: [line], include: [0, 1], floor: -1 })!;
    expect(model.axis.domain).toEqual([-1, 1]);
    expect(model.rows[1]!.raw0).toBe(-250);
  });

  it("draws a branch from its step on, smoothed as if it had been there before", () => {
    const ys = [0, 0, 1, 1];
    const line = { id: "a", label: "a", xs: [1, 2, 3, 4], ys };
    const whole = plotModel({ ...plain, series: [line] })!;
    const branch = plotModel({ ...plain, series: [line, { ...line, id: "b", dash: "7 4", from: 3 }] })!;
    expect(branch.rows.map((row) => row.smooth1)).toEqual([undefined, undefined, whole.rows[2]!.smooth0, whole.rows[3]!.smooth0]);
    expect(branch.lines.map(({ dash }) => dash)).toEqual([null, "7 4"]);
  });

  it("draws nothing before the first point and stands a single one at the left edge with its tick", () => {
    expect(plotModel({ ...plain, series: [] })).toBeNull();
    const model = plotModel({ ...plain, series: [{ id: "a", label: "a", xs: [3], ys: [0.5] }] })!;
    expect(model.range).toEqual([3, 4]);
    expect(model.xTicks).toEqual([3]);
    expect(model.lines[0]!.marked).toBe(true);
  });

  it("holds baselines and intervals inside the axis, and never smooths evaluations", () => {
    const evaluation = { id: "e", label: "e", measured: true, xs: [0, 10], ys: [0.2, 0.6], lows: [0.1, 0.5], highs: [0.3, 0.7] };
    const model = plotModel({ ...plain, series: [evaluation], levels: [{ id: "r", label: "random", value: -2 }], include: [] })!;
    expect(model.axis.domain[0]).toBeLessThanOrEqual(-2);
    expect(model.axis.domain[1]).toBeGreaterThanOrEqual(0.7);
    expect(model.rows[1]).toMatchObject({ x: 10, smooth0: 0.6, band0: [0.5, 0.7] });
  });

  it("ends a zoomed line's label at the zoomed edge, and draws no share above 1", () => {
    const evaluation = {
      id: "e",
      label: "e",
      measured: true,
      xs: [0, 10, 20],
      ys: [0.2, 0.6, 1],
      lows: [0, 0.5, 1],
      highs: [0.3, 0.7, 1.04],
    };
    const zoomed = plotModel({ ...plain, series: [evaluation], range: [0, 10], bounds: [0, 1] })!;
    expect(zoomed.lines[0]!.last).toBe(0.6);
    expect(plotModel({ ...plain, series: [evaluation], bounds: [0, 1] })!.axis.domain).toEqual([0, 1]);
  });

  it("drops values a log axis cannot show and says when there are none it can", () => {
    const mixed = { id: "m", label: "m", xs: [0, 1, 2], ys: [0, 0.1, 1] };
    const model = plotModel({ ...plain, series: [mixed], log: true, smoothing: 0 })!;
    expect(model.axis.kind).toBe("log");
    expect(model.rows[0]).toEqual({ x: 0 });
    const refused = plotModel({ ...plain, series: [{ ...mixed, ys: [0, 0, 0] }], log: true })!;
    expect(refused).toMatchObject({ logRefused: true, axis: { kind: "linear" } });
  });

  it("measures steps and pixels as inverses of each other", () => {
    const rect = plotRect(400, 200, 1);
    expect(xToStep(stepToX(37, [0, 120], rect), [0, 120], rect)).toBeCloseTo(37, 9);
    const { axis } = plotModel({ ...plain, series: [wave] })!;
    expect(valueToY(axis.domain[0], axis, rect)).toBe(rect.top + rect.height);
    expect(valueToY(axis.domain[1] * 9, axis, rect)).toBe(rect.top);
  });
});

describe("levelLabels", () => {
  const levels = [
    { id: "random", label: "random policy", value: 0.1 },
    { id: "start", label: "start", value: 0.12 },
  ];

  it("puts the lower of two close lines' names below it, so that each name is at its own line", () => {
    expect(levelLabels(levels, (value) => 100 - value * 100, 110)).toEqual([
      { text: "start", y: 84 },
      { text: "random policy", y: 103 },
    ]);
  });

  it("stacks both above where there is no room below", () => {
    expect(levelLabels(levels, (value) => 100 - value * 100, 95)).toEqual([
      { text: "start", y: 70 },
      { text: "random policy", y: 86 },
    ]);
  });

  it("joins the names of lines that cannot be told apart", () => {
    expect(levelLabels(levels, (value) => 100 - value, 100)).toEqual([{ text: "start, random policy", y: 95.88 }]);
  });

  it("names levels above their lines where there is room", () => {
    expect(levelLabels(levels, (value) => 1000 - value * 1000, 1000)).toEqual([
      { text: "start", y: 876 },
      { text: "random policy", y: 896 },
    ]);
  });
});

describe("lineLabels", () => {
  it("stand where their lines end, and are moved apart only where ends are near each other", () => {
    const rect = { left: 0, top: 0, width: 400, height: 200 };
    const ends = [
      { x: 400, y: 50 },
      { x: 100, y: 52 },
      { x: 396, y: 52 },
    ];
    expect(lineLabels(ends, rect)).toEqual([
      { x: 400, y: 50 },
      { x: 100, y: 52 },
      { x: 396, y: 64 },
    ]);
  });
});

describe("spreadLabels", () => {
  it("keeps order and distance, and stays inside while there is room", () => {
    expect(spreadLabels([50, 52, 10], 14, 0, 100)).toEqual([50, 64, 10]);
    expect(spreadLabels([98, 99], 14, 0, 100)).toEqual([86, 100]);
  });
});
