// The numbers above a plot: the last value of every line as the engine reports it, or the values at the
// hovered step, and beside a single line's the smoothed value that is drawn. Only this and the overlay
// repaint while the pointer moves.
import { useChartView } from "../chartView.ts";
import { type Format, formatAs, formatExact } from "../format.ts";
import { type AxisWords, lastFinite, type Series, STEP_AXIS } from "../series/series.ts";
import { indexAtStep } from "./PlotOverlay.tsx";
import { tone } from "./plotModel.ts";

/** A value and the smoothed one beside it, where one is pointed at with all digits; null where both read the same. */
export function textsAt(
  { ys, exact }: Pick<Series, "ys" | "exact">,
  smoothed: ArrayLike<number>,
  index: number,
  format: Format,
  isPointed = false,
): { readonly raw: string; readonly drawn: string | null } {
  // What is set is written as it was set.
  const show = isPointed || exact ? formatExact : formatAs;
  const raw = show(format, ys[index] ?? Number.NaN);
  const drawn = show(format, smoothed[index] ?? Number.NaN);
  return { raw, drawn: drawn === raw ? null : drawn };
}

/** Where each line is read when a step is pointed at: its value there, or the nearest one it has; the last one when nothing is. */
function readAt(series: readonly Series[], step: number | null): readonly number[] {
  return series.map(({ xs, ys }) => (step === null ? lastFinite(ys) : indexAtStep(xs, step)));
}

/**
 * The step that the values shown belong to, in words, and each line's own where they differ: a value is never told for
 * another step than its own.
 */
export function stepTexts(
  series: readonly Series[],
  step: number,
  { at }: AxisWords = STEP_AXIS,
): { readonly all: string; readonly own_L: readonly string[] } {
  const steps_L = readAt(series, step).map((index, l) => series[l]!.xs[index] ?? step);
  const isOne = steps_L.every((own) => own === steps_L[0]);
  const all = !isOne || steps_L.length === 0 || steps_L[0] === step ? at(step) : `${at(steps_L[0] ?? step)}, nearest to ${step}`;
  return { all, own_L: steps_L.map((own) => (isOne || own === step ? "" : ` (${at(own)})`)) };
}

/** The drawn value of each line that has a point at this very step. */
export function dotsAt(series: readonly Series[], smoothed: readonly Float64Array[], step: number): readonly (number | null)[] {
  return readAt(series, step).map((index, l) => (series[l]!.xs[index] === step ? (smoothed[l]![index] ?? null) : null));
}

/** The values of all lines at a step in words: "step 4: reward 0.31, smoothed 0.29". */
export function readoutText(
  series: readonly Series[],
  smoothed: readonly Float64Array[],
  step: number,
  format: Format,
  axis: AxisWords = STEP_AXIS,
): string {
  const { all, own_L } = stepTexts(series, step, axis);
  const values = readAt(series, step).map((index, l) => {
    const line = series[l]!;
    if (index < 0) return `${line.label} unknown`;
    const { raw, drawn } = textsAt(line, smoothed[l]!, index, format, true);
    return `${line.label} ${raw}${drawn === null ? "" : `, smoothed ${drawn}`}${own_L[l]}`;
  });
  return `${all}: ${values.join("; ")}`;
}

export interface ReadoutProps {
  readonly series: readonly Series[];
  /** The values of each line as drawn; see drawnValues. */
  readonly smoothed: readonly Float64Array[];
  readonly format: Format;
  readonly axis: AxisWords;
}

export function Readout({ series, smoothed, format, axis }: ReadoutProps) {
  const hovered = useChartView((view) => view.hoveredStep);
  // Its line is there before its numbers, so that the plot stays where it is.
  if (series.length === 0) return <p className="chart-readout note flex flex-wrap items-baseline" aria-hidden="true" />;
  const index_L = readAt(series, hovered);
  const said = hovered === null ? null : stepTexts(series, hovered, axis);
  return (
    <p className="chart-readout note flex flex-wrap items-baseline" aria-hidden="true" data-several={series.length > 1 || undefined}>
      {series.map((line, i) => {
        const { raw, drawn } = textsAt(line, smoothed[i]!, index_L[i]!, format, hovered !== null);
        return (
          <span key={line.id}>
            {series.length > 1 && (
              <span className="chart-entry-name items-center">
                <span className="chart-swatch" style={{ background: tone(i) }} />
                {line.label}
              </span>
            )}
            <b style={{ color: tone(i) }}>{raw}</b>
            {drawn !== null && series.length === 1 && ` smoothed ${drawn}`}
            {said?.own_L[i]}
          </span>
        );
      })}
      {said && <span className="chart-value-step">{said.all}</span>}
    </p>
  );
}
