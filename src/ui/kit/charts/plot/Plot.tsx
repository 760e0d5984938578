// The drawn part of a chart: recharts' surface, layers and curves in one pass over its model. Its whole charts keep a store each and
// draw again when their effects have run, a task of its own for two axes: too much for a dozen charts that repaint four times a
// second. No animation, no tooltip: hovering is the overlay's and costs no redraw.
import { memo } from "react";
import { Layer, Surface } from "recharts";
import { decadeLabels, type Format, tickLabels } from "../format.ts";
import { Events, Labels, Marks, PlotLines, type PlotLinesProps, Rules } from "./PlotLines.tsx";
import { type PlotModel, plotRect, stepToX, valueToY } from "./plotModel.ts";

export interface PlotProps {
  readonly model: PlotModel;
  readonly width: number;
  readonly height: number;
  readonly format: Format;
}

/** Distance of the ticks' labels from the plot. */
const TICK_GAP = 8;

/** The line of the steps, and the labels of both axes. */
export function PlotAxes({ model: { range, xTicks, axis }, rect, format }: PlotLinesProps & { readonly format: Format }) {
  const bottom = rect.top + rect.height;
  const steps = tickLabels(xTicks, "number");
  const values = (axis.kind === "log" ? decadeLabels : tickLabels)(axis.ticks, format);
  return (
    <Layer fontSize={12} fill="var(--ink-soft)">
      <line x1={rect.left} x2={rect.left + rect.width} y1={bottom} y2={bottom} stroke="var(--rule-strong)" />
      <Layer className="chart-steps" textAnchor="middle">
        {xTicks.map((step, i) => (
          <text key={step} x={stepToX(step, range, rect)} y={bottom + TICK_GAP} dy="0.71em">
            {steps[i]}
          </text>
        ))}
      </Layer>
      <Layer textAnchor="end">
        {axis.ticks.map((value, i) => (
          <text key={value} x={rect.left - TICK_GAP} y={valueToY(value, axis, rect)} dy="0.35em">
            {values[i]}
          </text>
        ))}
      </Layer>
    </Layer>
  );
}

/** Memoised: the same model is never drawn twice. */
export const Plot = memo(function Plot({ model, width, height, format }: PlotProps) {
  const drawn = { model, rect: plotRect(width, height, model.lines.length) };
  return (
    <Surface aria-hidden="true" className="chart-surface" width={width} height={height}>
      <Rules {...drawn} />
      <PlotAxes {...drawn} format={format} />
      <PlotLines {...drawn} />
      <Marks {...drawn} />
      <Events {...drawn} format={format === "share" ? "share" : "number"} />
      <Labels {...drawn} />
    </Surface>
  );
});
