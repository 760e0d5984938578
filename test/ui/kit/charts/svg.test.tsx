// Whatever a run reports, infinities, gaps and numbers without a difference among them, what is drawn of it
// has a place: no attribute is "NaN", "Infinity" or "undefined".
import fc from "fast-check";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { PHASES } from "../../../../src/protocol/messages.ts";
import { PlotAxes } from "../../../../src/ui/kit/charts/plot/Plot.tsx";
import { Events, Labels, Marks, PlotLines, type PlotLinesProps, Rules } from "../../../../src/ui/kit/charts/plot/PlotLines.tsx";
import { type PlotModel, plotModel, plotRect } from "../../../../src/ui/kit/charts/plot/plotModel.ts";
import { linearAxis, logAxis } from "../../../../src/ui/kit/charts/plot/scale.ts";
import type { Series } from "../../../../src/ui/kit/charts/series/series.ts";
import { drawnValues } from "../../../../src/ui/kit/charts/series/smooth.ts";
import { PhaseFigure } from "../../../../src/ui/train/phases/PhaseFigure.tsx";

const NO_PLACE = /="[^"]*(NaN|Infinity|undefined|null)[^"]*"/;

/** Numbers that runs report, the odd ones often. */
const odd = fc.constantFrom(0, -0, 1, 1 + Number.EPSILON, 5e-324, 1e-300, 1e-25, 1.7e308, -1.7e308, NaN, Infinity, -Infinity);
const anyNumber = fc.oneof(odd, fc.double(), fc.double({ min: -2, max: 2, noNaN: true }));
const finite = anyNumber.filter(Number.isFinite);

const NumberEvents = (props: PlotLinesProps) => <Events {...props} format="number" />;
const NumberAxes = (props: PlotLinesProps) => <PlotAxes {...props} format="number" />;

function drawn(model: PlotModel): string {
  const place = { model, rect: plotRect(320, 160, model.lines.length) };
  const layers = [Rules, NumberAxes, PlotLines, Marks, NumberEvents, Labels];
  return renderToStaticMarkup(
    <g>
      {layers.map((Layer) => (
        <Layer key={Layer.name} {...place} />
      ))}
    </g>,
  );
}

/** Lines with up to a few points each at the same steps, some with intervals. */
const lines = fc
  .tuple(fc.uniqueArray(fc.nat(1e9), { minLength: 1, maxLength: 8 }), fc.array(fc.boolean(), { minLength: 1, maxLength: 3 }))
  .chain(([steps, kinds]) => {
    const xs = steps.sort((a, b) => a - b);
    const values = fc.array(anyNumber, { minLength: xs.length, maxLength: xs.length });
    return fc.tuple(
      ...kinds.map((measured, i) =>
        fc.record({ ys: values, lows: values, highs: values }).map(
          ({ ys, lows, highs }): Series => ({
            ...{ id: `line ${i}`, label: `line ${i}`, xs, ys, measured },
            ...(measured ? { lows, highs } : {}),
          }),
        ),
      ),
    );
  });

describe("an axis", () => {
  it("has two different finite ends and finite ticks for any values", () => {
    fc.assert(
      fc.property(finite, finite, (a, b) => {
        for (const axis of [linearAxis(Math.min(a, b), Math.max(a, b)), logAxis(Math.min(a, b), Math.max(a, b))]) {
          if (!axis) continue;
          expect([...axis.domain, ...axis.ticks].every(Number.isFinite)).toBe(true);
          expect(axis.domain[1]).toBeGreaterThan(axis.domain[0]);
          expect(axis.ticks.length).toBeLessThanOrEqual(8);
        }
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a drawing", () => {
  it("of a chart gives every part of it a place", () => {
    const levels = fc.array(finite, { maxLength: 2 }).map((all) => all.map((value, i) => ({ id: `${i}`, label: `level ${i}`, value })));
    fc.assert(
      fc.property(lines, levels, fc.boolean(), fc.constantFrom(0, 0.9), (series, named, log, smoothing) => {
        const smoothed = drawnValues(series, smoothing);
        const model = plotModel({ series, smoothed, levels: named, range: null, log, include: [] });
        if (!model) return;
        expect(drawn(model)).toContain("plot-line");
        expect(drawn(model)).not.toMatch(NO_PLACE);
        expect([...model.range, ...model.xTicks, ...model.axis.domain, ...model.axis.ticks].every(Number.isFinite)).toBe(true);
      }),
      { numRuns: 200 },
    );
  });

  it("of a chart of a single step has a place as well", () => {
    const series = [{ id: "a", label: "a", xs: [3], ys: [0.5] }];
    const model = plotModel({ series, smoothed: [[0.5]], levels: [], range: [3, 3], log: false, include: [] });
    expect(drawn(model!)).not.toMatch(NO_PLACE);
  });

  it("of a phase gives every part of it a place", () => {
    const values = fc.array(fc.oneof(anyNumber, fc.constant(null)), { maxLength: 30 });
    const evaluations = fc.array(fc.tuple(anyNumber, anyNumber, anyNumber), { maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom(...PHASES), values, evaluations, (phase, numbers, measured) => {
        const records = measured.map(([accuracy, low, high], step) => ({
          ...{ step, problems: 4, samplesPerProblem: 1, greedyAccuracy: accuracy, greedyInterval: [low, high] as const },
          ...{ sampledAccuracy: accuracy, sampledInterval: [low, high] as const, passAtK: {}, formRate: 1, meanReward: 0 },
        }));
        const figure = renderToStaticMarkup(<PhaseFigure phase={phase} values={numbers} evaluations={records} marked={0} />);
        expect(figure).toContain("<svg");
        expect(figure).not.toMatch(NO_PLACE);
      }),
      { numRuns: 500 },
    );
  });
});
