// What is drawn between the axes, as plain SVG: rules, levels, intervals, curves (each one path), their marks and names. Nothing
// is measured on the page, which would make the browser lay it out: a dozen charts repaint four times a second.
import { useId } from "react";
import { Curve } from "recharts";
import { type Format, formatAs } from "../format.ts";
import { besideLine, levelLabels, lineLabels } from "./plotLabels.ts";
import { type PlotModel, type PlotRect, stepToX, tone, valueToY } from "./plotModel.ts";
import { bandPath, linePath } from "./plotPath.ts";

export interface PlotLinesProps {
  readonly model: PlotModel;
  readonly rect: PlotRect;
}

/** Hairlines at the ticks of the value axis, and the named levels, dashed. */
export function Rules({ model, rect }: PlotLinesProps) {
  const across = { x1: rect.left, x2: rect.left + rect.width };
  const y = (value: number) => ({ y1: valueToY(value, model.axis, rect), y2: valueToY(value, model.axis, rect) });
  const [low, high] = model.axis.domain;
  return (
    <g>
      {model.axis.ticks.map((value) => (
        <line key={value} {...across} {...y(value)} stroke="var(--rule)" />
      ))}
      {model.levels
        .filter(({ value }) => value >= low && value <= high)
        .map(({ id, value }) => (
          <line key={id} {...across} {...y(value)} stroke="var(--ink-faint)" strokeDasharray="5 4" />
        ))}
    </g>
  );
}

/** Where a line has no point to be drawn: the library leaves out a curve without a path, and this one keeps its place. */
const NOWHERE = "M0,0";

export function PlotLines({ model, rect }: PlotLinesProps) {
  const clip = useId();
  const x = (step: number) => stepToX(step, model.range, rect);
  const y = (value: number) => valueToY(value, model.axis, rect);
  const path = (key: string) => linePath(model.rows, key, x, y) || NOWHERE;
  return (
    <>
      <defs>
        <clipPath id={clip}>
          <rect x={rect.left} y={0} width={rect.width} height={rect.top + rect.height + 1} />
        </clipPath>
      </defs>
      <g clipPath={`url(#${clip})`} fill="none" strokeLinejoin="round">
        {model.lines.map(({ id, banded }, index) =>
          banded ? (
            <Curve
              key={`band ${id}`}
              className="plot-band"
              path={bandPath(model.rows, `band${index}`, x, y)}
              fill={tone(index)}
              fillOpacity={0.14}
            />
          ) : null,
        )}
        {model.lines.map(({ id, single }, index) =>
          single ? null : <Curve key={`raw ${id}`} path={path(`raw${index}`)} stroke={tone(index)} strokeWidth={1} strokeOpacity={0.35} />,
        )}
        {model.lines.map(({ id, dash }, index) => (
          <Curve
            key={`smooth ${id}`}
            className="plot-line"
            path={path(`smooth${index}`)}
            stroke={tone(index)}
            strokeWidth={2.25}
            {...(dash ? { strokeDasharray: dash } : {})}
          />
        ))}
      </g>
    </>
  );
}

/** Most spikes whose places are marked. */
const MOST_SPIKES = 40;

/** Where settings changed, as lines with a diamond; where a value left the axis, as a tip at its end, the largest with its number. */
export function Events({ model, rect, format }: PlotLinesProps & { readonly format: Format }) {
  const bottom = rect.top + rect.height;
  const largest = model.spikes.reduce<PlotModel["spikes"][number] | null>((a, b) => (a && Math.abs(a.y) >= Math.abs(b.y) ? a : b), null);
  const tip = (x: number, isHigh: boolean) =>
    isHigh
      ? `M${x - 4},${rect.top + 6}L${x},${rect.top}L${x + 4},${rect.top + 6}Z`
      : `M${x - 4},${bottom - 6}L${x},${bottom}L${x + 4},${bottom - 6}Z`;
  const isRight = largest !== null && largest.x > (model.range[0] + model.range[1]) / 2;
  return (
    <g>
      {model.changes.map((step) => {
        const x = stepToX(step, model.range, rect);
        return (
          <g key={step}>
            <line x1={x} x2={x} y1={rect.top} y2={bottom} stroke="var(--rule-strong)" strokeDasharray="1 3" />
            <path d={`M${x},${bottom - 5}l4,5l-4,5l-4,-5Z`} fill="var(--ink-soft)" />
          </g>
        );
      })}
      {model.spikes.slice(-MOST_SPIKES).map(({ x, y, isHigh }) => (
        <path key={`${x} ${y}`} d={tip(stepToX(x, model.range, rect), isHigh)} fill="var(--ink-soft)" />
      ))}
      {largest && (
        <text
          x={stepToX(largest.x, model.range, rect) + (isRight ? -8 : 8)}
          y={largest.isHigh ? rect.top + 9 : bottom - 3}
          textAnchor={isRight ? "end" : "start"}
          fontSize={12}
          fill="var(--ink-soft)"
          className="chart-label"
        >
          {formatAs(format, largest.y)} at step {largest.x}
        </text>
      )}
    </g>
  );
}

/** Dots on lines with few points, so that a single evaluation can be seen. */
export function Marks({ model, rect }: PlotLinesProps) {
  return (
    <g>
      {model.lines.flatMap(({ id, marked }, index) =>
        (marked ? model.rows : []).map(({ x, [`smooth${index}`]: y }) => {
          if (!Number.isFinite(y) || typeof y !== "number" || typeof x !== "number") return null;
          if (x < model.range[0] || x > model.range[1]) return null;
          const place = { cx: stepToX(x, model.range, rect), cy: valueToY(y, model.axis, rect) };
          return <circle key={`${id} ${x}`} {...place} r={2.75} fill={tone(index)} />;
        }),
      )}
    </g>
  );
}

/** Names of the levels on their lines, and of the lines at their ends where there are several. */
export function Labels({ model, rect }: PlotLinesProps) {
  const levels = levelLabels(model.levels, (value) => valueToY(value, model.axis, rect), rect.top + rect.height);
  const drawn = model.lines.map((line, index) => ({ ...line, index })).filter(({ last }) => Number.isFinite(last));
  const places = lineLabels(
    drawn.map(({ end, last }) => ({ x: stepToX(end, model.range, rect) + 6, y: valueToY(last, model.axis, rect) + 4 })),
    rect,
  );
  return (
    <g fontSize={12}>
      {levels.map(({ text, y }) => (
        <text key={text} x={rect.left + rect.width - 4} y={y} textAnchor="end" fill="var(--ink-soft)" className="chart-label">
          {text}
        </text>
      ))}
      {drawn.length > 1 &&
        drawn.map(({ id, label, index }, i) => (
          <text key={id} x={places[i]?.x} y={places[i]?.y} fill={tone(index)} fontWeight={600} className="chart-label">
            <title>{label}</title>
            {besideLine(label)}
          </text>
        ))}
    </g>
  );
}
