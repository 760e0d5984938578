// The numbers of a chart as a table: what screen readers read, and anyone who wants exact values.
import { capital, counted } from "../../../protocol/quantities.ts";
import { Table } from "../lists/Table.tsx";
import { type Format, formatAs } from "./format.ts";
import { indexAtStep } from "./plot/PlotOverlay.tsx";
import type { AxisWords, Series } from "./series/series.ts";

/** Rows shown; the CSV file holds them all. */
const SHOWN_ROWS = 200;

export interface ChartTableProps {
  readonly title: string;
  readonly series: readonly Series[];
  readonly steps: ArrayLike<number>;
  readonly format: Format;
  readonly axis: AxisWords;
}

function cell(series: Series, step: number, show: (value: number) => string): string {
  const index = indexAtStep(series.xs, step);
  if (index < 0 || series.xs[index] !== step) return "";
  const value = show(series.ys[index]!);
  const low = series.lows?.[index];
  const high = series.highs?.[index];
  return low === undefined || high === undefined ? value : `${value} (${show(low)} to ${show(high)})`;
}

export function ChartTable({ title, series, steps, format, axis }: ChartTableProps) {
  const show = (value: number) => formatAs(format, value, 4);
  const shown = Array.from({ length: Math.min(SHOWN_ROWS, steps.length) }, (_, i) => steps[steps.length - 1 - i]!);
  return (
    <Table
      frame="chart-table"
      region={`${title}, values`}
      caption={
        shown.length < steps.length
          ? `Newest ${shown.length} of ${counted(steps.length, "point")}; the CSV file has all.`
          : `${counted(steps.length, "point")}, newest first.`
      }
      isCaptioned
      heads={[capital(axis.name), ...series.map(({ label }) => label)]}
    >
      {shown.map((step) => (
        <tr key={step}>
          <th scope="row">{step}</th>
          {series.map((line) => (
            <td key={line.id}>{cell(line, step, show)}</td>
          ))}
        </tr>
      ))}
    </Table>
  );
}
