// The full series behind a chart as comma-separated values (RFC 4180), one row for each step that
// any line has; nothing is smoothed or thinned out.
import type { Series } from "./series.ts";

/** One cell, quoted where commas, quotes or line breaks ask for it. */
export function csvCell(value: string | number): string {
  const text = typeof value === "number" ? (Number.isFinite(value) ? String(value) : "") : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

interface Column {
  readonly name: string;
  readonly xs: ArrayLike<number>;
  readonly values: ArrayLike<number>;
}

function columnsOf(series: readonly Series[]): readonly Column[] {
  return series.flatMap(({ id, xs, ys, lows, highs }) => [
    { name: id, xs, values: ys },
    ...(lows ? [{ name: `${id}_low`, xs, values: lows }] : []),
    ...(highs ? [{ name: `${id}_high`, xs, values: highs }] : []),
  ]);
}

/** Header "step,<id>,...", or the axis' other name, and one line per step, ascending; a step a line does not have is an empty cell. */
export function seriesCsv(series: readonly Series[], axisName = "step"): string {
  const columns = columnsOf(series);
  const rows = new Map<number, (number | string)[]>();
  columns.forEach((column, index) => {
    for (let i = 0; i < column.xs.length; i++) {
      const x = column.xs[i]!;
      let row = rows.get(x);
      if (!row) {
        row = new Array<number | string>(columns.length).fill("");
        rows.set(x, row);
      }
      row[index] = column.values[i]!;
    }
  });
  const lines = [[axisName, ...columns.map(({ name }) => name)].map(csvCell).join(",")];
  for (const x of [...rows.keys()].sort((a, b) => a - b)) lines.push([x, ...rows.get(x)!].map(csvCell).join(","));
  return `${lines.join("\r\n")}\r\n`;
}
