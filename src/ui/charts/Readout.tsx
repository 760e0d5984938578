// The numbers above a plot: the last value of every line as the engine reports it, or the values at the
// hovered step, and beside a single line's the smoothed value that is drawn. Only this and the overlay
// repaint while the pointer moves.
import { useChartView } from "./chartView.ts";
import { formatNumber, formatShare } from "./format.ts";
import { indexAtStep } from "./PlotOverlay.tsx";
import { tone } from "./plotModel.ts";
import { lastFinite, type Series } from "./series.ts";

type Format = "number" | "share";

function show(value: number, format: Format): string {
  return format === "share" ? formatShare(value) : formatNumber(value);
}

/** A value and the smoothed one beside it; null where both read the same. */
export function textsAt(
  { ys }: Pick<Series, "ys">,
  smoothed: ArrayLike<number>,
  index: number,
  format: Format,
): { readonly raw: string; readonly drawn: string | null } {
  const raw = show(ys[index] ?? Number.NaN, format);
  const drawn = show(smoothed[index] ?? Number.NaN, format);
  return { raw, drawn: drawn === raw ? null : drawn };
}

/** The values of all lines at a step in words: "reward 0.31, smoothed 0.29". */
export function valuesAt(series: readonly Series[], smoothed: readonly Float64Array[], step: number, format: Format): string {
  return series
    .map((line, i) => {
      const index = indexAtStep(line.xs, step);
      if (index < 0) return `${line.label} unknown`;
      const { raw, drawn } = textsAt(line, smoothed[i]!, index, format);
      return drawn === null ? `${line.label} ${raw}` : `${line.label} ${raw}, smoothed ${drawn}`;
    })
    .join("; ");
}

export interface ReadoutProps {
  readonly series: readonly Series[];
  /** The values of each line as drawn; see drawnValues. */
  readonly smoothed: readonly Float64Array[];
  readonly format: Format;
}

export function Readout({ series, smoothed, format }: ReadoutProps) {
  const hovered = useChartView((view) => view.hoveredStep);
  if (series.length === 0) return null;
  return (
    <p className="chart-readout" aria-hidden="true">
      {series.map((line, i) => {
        const index = hovered === null ? lastFinite(line.ys) : indexAtStep(line.xs, hovered);
        const { raw, drawn } = textsAt(line, smoothed[i]!, index, format);
        return (
          <span key={line.id}>
            {series.length > 1 && `${line.label} `}
            <b style={{ color: tone(i) }}>{raw}</b>
            {drawn !== null && series.length === 1 && ` smoothed ${drawn}`}
          </span>
        );
      })}
      {hovered !== null && <span className="chart-value-step">step {hovered}</span>}
    </p>
  );
}
