// A small plot: lines, points and a marked place over two linear axes. Everything in it is also in the figure's table.
import { useId, useRef } from "react";
import { formatNumber } from "../../kit/charts/format.ts";
import { useWidth } from "../../kit/charts/plot/elementHooks.ts";
import { pointsPath } from "../../kit/charts/plot/plotPath.ts";
import { valueAt, type Words } from "../lesson/text.ts";

/** Where a linear axis begins and ends, and its name. */
type Axis = readonly [from: number, to: number, name: string];

/** Places on both axes, in the order of their line. */
export type Points = readonly (readonly [x: number, y: number])[];

/** Two columns of rows as points. */
export function points(rows: readonly Words[], x: string, y: string): Points {
  return rows.map((row) => [Number(valueAt(row, x)), Number(valueAt(row, y))]);
}

/** A line over the steps of a run: its name, the column of the rows, and its look. */
export type Curve = readonly [name: string, column: string, look: PlotLine["look"]];

/** Curves over the steps of a run, from rows with a `step`. What no row has yet is not drawn. */
export function curves(rows: readonly Words[], steps: number, y: Axis, lines: readonly (false | Curve)[], height = 132): PlotMark {
  const drawn = lines.filter((line) => line !== false);
  return {
    kind: "plot",
    title: y[2],
    x: [1, steps, "step"],
    xTicks: [1, Math.round(steps / 2), steps],
    y,
    height,
    lines: drawn.map(([name, column, look]) => ({ name, look, points: points(rows, "step", column) })),
  };
}

/** Colours of lines and dots, and of their entries in the key. */
const LOOKS = {
  main: "var(--accent)",
  second: "var(--series-2)",
  faint: "var(--rule-strong)",
  plain: "var(--series-4)",
  up: "var(--up-ink)",
  down: "var(--down-ink)",
  held: "var(--surface)",
};
const lookOf = (look: keyof typeof LOOKS) => ({ "data-look": look, style: { color: LOOKS[look] } });

interface PlotLine {
  readonly name: string;
  readonly points: Points;
  readonly look: "main" | "second" | "faint";
  /** A name on the line itself, at one of its points, in the place of an entry of the key. */
  readonly mark?: { readonly at: number; readonly text: string };
}

interface PlotDots {
  readonly name: string;
  readonly points: Points;
  readonly look: "plain" | "up" | "down" | "held";
}

export interface PlotMark {
  readonly kind: "plot";
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  /** `false` stands for a line that is not to be seen yet. */
  readonly lines?: readonly (PlotLine | false)[];
  readonly dots?: readonly PlotDots[];
  /** Upright lines, such as the ends of a range. */
  readonly rules?: readonly { readonly x: number; readonly text: string }[];
  readonly cross?: readonly [number, number] | undefined;
  /** What the cross marks, for the key. */
  readonly crossName?: string;
  /** Three values under the plot; its ends and middle where left out. */
  readonly xTicks?: readonly [number, number, number];
  readonly height?: number;
}

const MARGIN = { left: 40, right: 10, top: 18, bottom: 34 };
/** Height of a line of text above the plot: the names of upright lines stand below that of the axis. */
const LINE = 14;

function ticks([from, to]: Axis): readonly number[] {
  return [from, (from + to) / 2, to];
}

/** On a phone the figure stays above the text, so its drawings are lower there. */
const NARROW = { width: 400, least: 110, share: 0.72 };

export function FigurePlot({
  title,
  x,
  y,
  lines: given = [],
  dots = [],
  rules = [],
  cross,
  crossName,
  xTicks,
  height: full = 200,
}: PlotMark) {
  const lines = given.filter((line) => line !== false).filter(({ points }) => points.some((point) => point.every(Number.isFinite)));
  const frame = useRef<HTMLDivElement>(null);
  const width = useWidth(frame) || 320;
  const height = width < NARROW.width ? Math.max(NARROW.least, Math.round(full * NARROW.share)) : full;
  const clip = useId();
  const PAD = { ...MARGIN, top: MARGIN.top + (rules.length > 0 ? LINE : 0) };
  const px = (value: number) => PAD.left + ((value - x[0]) / (x[1] - x[0])) * (width - PAD.left - PAD.right);
  const py = (value: number) => height - PAD.bottom - ((value - y[0]) / (y[1] - y[0])) * (height - PAD.top - PAD.bottom);
  const bottom = height - PAD.bottom;
  return (
    <div className="plot min-w-0" ref={frame}>
      <svg width={width} height={height} role="img" aria-label={`${title}: ${y[2]} over ${x[2]}; see the table below`}>
        <clipPath id={clip}>
          <rect x={PAD.left} y={PAD.top - 4} width={width - PAD.left - PAD.right} height={bottom - PAD.top + 8} />
        </clipPath>
        {ticks(y).map((tick) => (
          <g key={tick}>
            <line className="plot-grid" x1={PAD.left} x2={width - PAD.right} y1={py(tick)} y2={py(tick)} />
            <text className="plot-tick" x={PAD.left - 6} y={py(tick) + 4} textAnchor="end">
              {formatNumber(tick, 2)}
            </text>
          </g>
        ))}
        {(xTicks ?? ticks(x)).map((tick, i) => (
          <text key={tick} className="plot-tick" x={px(tick)} y={bottom + 14} textAnchor={i === 0 ? "start" : i === 2 ? "end" : "middle"}>
            {formatNumber(tick, 2)}
          </text>
        ))}
        <text className="plot-name" x={width - PAD.right} y={height - 4} textAnchor="end">
          {x[2]}
        </text>
        <text className="plot-name" x={0} y={11}>
          {y[2]}
        </text>
        {rules.map((rule) => (
          <g key={rule.text}>
            <line className="plot-rule" x1={px(rule.x)} x2={px(rule.x)} y1={PAD.top} y2={bottom} />
            <text className="plot-tick" x={px(rule.x)} y={PAD.top - 4} textAnchor="middle">
              {rule.text}
            </text>
          </g>
        ))}
        <g clipPath={`url(#${clip})`}>
          {lines.map(({ name, points, look }) => (
            <path key={name} className="figure-line" {...lookOf(look)} d={pointsPath(points.map(([x, y]) => [px(x), py(y)]))} />
          ))}
          {dots.map(({ name, points, look }) => (
            <g key={name} className="plot-dots" {...lookOf(look)}>
              {points.map(([dx, dy], i) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: points have no names and are drawn anew together
                <circle key={i} cx={px(dx)} cy={py(dy)} r={look === "plain" ? 2.75 : 3.5} />
              ))}
            </g>
          ))}
          {lines.map(({ name, points, mark }) => {
            const [mx, my] = points[mark?.at ?? -1] ?? [];
            if (!mark || mx === undefined || my === undefined) return null;
            return (
              <text key={name} className="plot-tick plot-mark" x={px(mx) + 4} y={py(my) - 2}>
                {mark.text}
              </text>
            );
          })}
          {cross && <path className="plot-cross" d={`M${px(cross[0]) - 8} ${py(cross[1])}h16M${px(cross[0])} ${py(cross[1]) - 8}v16`} />}
        </g>
      </svg>
      <Key lines={lines} dots={dots} crossName={cross && crossName} />
    </div>
  );
}

interface KeyProps {
  readonly lines: readonly PlotLine[];
  readonly dots: readonly PlotDots[];
  readonly crossName: string | undefined;
}

function Key({ lines, dots, crossName }: KeyProps) {
  const named = lines.filter(({ mark }) => !mark);
  if (lines.length < 2 && dots.length === 0) return null;
  return (
    <p className="plot-key fine-print flex flex-wrap">
      {named.map(({ name, look }) => (
        <span key={name}>
          <i className="key-line" {...lookOf(look)} /> {name}
        </span>
      ))}
      {dots.map(({ name, look }) => (
        <span key={name}>
          <i className="key-dot" {...lookOf(look)} /> {name}
        </span>
      ))}
      {crossName && (
        <span>
          <b className="key-cross ink" aria-hidden="true">
            +
          </b>{" "}
          {crossName}
        </span>
      )}
    </p>
  );
}
