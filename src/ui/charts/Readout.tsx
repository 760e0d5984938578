// The numbers above a plot: the last value of every line, or the values at the hovered step. Only this
// and the overlay repaint while the pointer moves.
import { useChartView } from "./chartView.ts";
import { formatNumber, formatShare } from "./format.ts";
import { indexAtStep } from "./PlotOverlay.tsx";
import { lastFinite, type Series } from "./series.ts";

type Format = "number" | "share";

function show(value: number, format: Format): string {
  return format === "share" ? formatShare(value) : formatNumber(value);
}

/** The values of all lines at a step in words: "reward 0.31, smoothed 0.29". */
export function valuesAt(series: readonly Series[], smoothed: readonly Float64Array[], step: number, format: Format): string {
  return series
    .map((line, i) => {
      const index = indexAtStep(line.xs, step);
      if (index < 0) return `${line.label} unknown`;
      const raw = `${line.label} ${show(line.ys[index]!, format)}`;
      const value = smoothed[i]![index]!;
      return value === line.ys[index] ? raw : `${raw}, smoothed ${show(value, format)}`;
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
        const value = index < 0 ? Number.NaN : smoothed[i]![index]!;
        const raw = index < 0 ? Number.NaN : line.ys[index]!;
        return (
          <span key={line.id} className={`chart-value chart-tone-${Math.min(i, 4)}`}>
            {series.length > 1 && <span className="chart-value-name">{line.label} </span>}
            <b>{show(value, format)}</b>
            {hovered !== null && value !== raw && series.length === 1 && <span className="chart-value-raw"> raw {show(raw, format)}</span>}
          </span>
        );
      })}
      {hovered !== null && <span className="chart-value-step">step {hovered}</span>}
    </p>
  );
}
