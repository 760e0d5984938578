// The drawn part of a chart. Recharts lives in this file only, so that it loads as its own chunk after
// the first screen stands. No animation, no tooltip: hovering is the overlay's and costs no redraw.
import { memo } from "react";
import { ComposedChart, XAxis, YAxis } from "recharts";
import { formatShare, formatTick } from "./format.ts";
import { PlotLines, Rules, tone } from "./PlotLines.tsx";
import { levelLabels, type PlotModel, plotRect, spreadLabels, stepToX, valueToY } from "./plotModel.ts";

export interface PlotProps {
  readonly model: PlotModel;
  readonly width: number;
  readonly height: number;
  readonly format: "number" | "share";
}

/** The axes come from the model and PlotLines draws the rest, so the library is given no points. */
const NO_DATA: never[] = [];
const TICK = { fontSize: 12, fill: "var(--chart-ink)" };

/** Memoised: the same model is never drawn twice. */
export const Plot = memo(function Plot({ model, width, height, format }: PlotProps) {
  const rect = plotRect(width, height, model.lines.length);
  const margin = { top: rect.top, left: 0, right: width - rect.left - rect.width, bottom: 0 };
  return (
    <ComposedChart width={width} height={height} data={NO_DATA} margin={margin} accessibilityLayer={false}>
      <Rules model={model} rect={rect} />
      <XAxis
        dataKey="x"
        type="number"
        domain={[...model.range]}
        ticks={[...model.xTicks]}
        allowDataOverflow
        height={24}
        tick={TICK}
        tickLine={false}
        axisLine={{ stroke: "var(--chart-axis)" }}
        tickFormatter={formatTick}
      />
      <YAxis
        type="number"
        domain={[...model.axis.domain]}
        allowDataOverflow
        ticks={[...model.axis.ticks]}
        scale={model.axis.kind}
        width={rect.left}
        tick={TICK}
        tickLine={false}
        axisLine={false}
        interval={0}
        tickFormatter={format === "share" ? formatShare : formatTick}
      />
      <PlotLines model={model} rect={rect} />
      <Marks model={model} width={width} height={height} />
      <Labels model={model} width={width} height={height} />
    </ComposedChart>
  );
});

type LayerProps = Pick<PlotProps, "model" | "width" | "height">;

/** Dots on lines with few points, so that a single evaluation can be seen. */
function Marks({ model, width, height }: LayerProps) {
  const rect = plotRect(width, height, model.lines.length);
  return (
    <g>
      {model.lines.flatMap(({ id, marked }, index) =>
        marked
          ? model.rows.flatMap((row) => {
              const y = row[`smooth${index}`];
              const x = row.x;
              if (typeof y !== "number" || typeof x !== "number" || x < model.range[0] || x > model.range[1]) return [];
              return [
                <circle
                  key={`${id} ${x}`}
                  cx={stepToX(x, model.range, rect)}
                  cy={valueToY(y, model.axis, rect)}
                  r={2.75}
                  fill={tone(index)}
                />,
              ];
            })
          : [],
      )}
    </g>
  );
}

/** Names of the levels on their lines, and of the lines at their ends where there are several. */
function Labels({ model, width, height }: LayerProps) {
  const rect = plotRect(width, height, model.lines.length);
  const levels = levelLabels(model.levels, (value) => valueToY(value, model.axis, rect), 16);
  const drawn = model.lines.map((line, index) => ({ ...line, index })).filter(({ last }) => Number.isFinite(last));
  const lineYs = spreadLabels(
    drawn.map(({ last }) => valueToY(last, model.axis, rect) + 4),
    14,
    rect.top + 8,
    rect.top + rect.height,
  );
  return (
    <g fontSize={12}>
      {levels.map(({ text, y }) => (
        <text key={text} x={rect.left + rect.width - 4} y={y} textAnchor="end" fill="var(--chart-ink)" className="chart-label">
          {text}
        </text>
      ))}
      {drawn.length > 1 &&
        drawn.map(({ id, label, index }, i) => (
          <text key={id} x={rect.left + rect.width + 6} y={lineYs[i]} fill={tone(index)} fontWeight={600}>
            {label}
          </text>
        ))}
    </g>
  );
}
