// Comma-separated values with a head, as spreadsheets, W&B's export of a chart or a history, MLflow and this lab write them. A table of one
// point a row (key, value, step) is put together by its steps.
import { type LogEntry, type LogForm, type LogValue, numberIn } from "../log.ts";
import { isName, lines } from "./lines.ts";

/** The cells of a line (RFC 4180), without breaks inside quotes. */
function cellsOf(line: string): readonly string[] {
  const cells: string[] = [];
  for (const [, quoted, plain = ""] of `${line.replace(/\r$/, "")},`.matchAll(/(?:"((?:[^"]|"")*)"|([^,]*)),/g))
    cells.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
  return cells;
}

/** W&B names a column "RUN - METRIC", and beside it its least and largest value, which are none of the run's. */
function columnName(name: string): string | null {
  if (/__(?:MIN|MAX)$/.test(name)) return null;
  return name.includes(" - ") ? name.slice(name.lastIndexOf(" - ") + 3) : name;
}

function longRow(
  values: Readonly<Record<string, LogValue>>,
  words: Readonly<Record<string, string>>,
): Pick<LogEntry, "values" | "step"> | null {
  const name = words.key ?? words.metric ?? words.name ?? words.tag;
  const { value, step = values.Step } = values;
  return name === undefined || value === undefined || typeof step !== "number" ? null : { step, values: { [name]: value } };
}

export const csv: LogForm = {
  id: "csv",
  title: "comma-separated values",
  find(text) {
    const found: LogEntry[] = [];
    let names: readonly (string | null)[] | null = null;
    for (const { begin, end, line } of lines(text)) {
      const cells = cellsOf(line);
      if (cells.length >= 2 && cells.every(isName) && cells.every((cell) => numberIn(cell) === undefined)) {
        const isLong = cells.some((cell) => /^(key|metric|name|tag)$/i.test(cell)) && cells.some((cell) => /^value$/i.test(cell));
        names = cells.map((cell) => (isLong ? cell.toLowerCase() : columnName(cell)));
        continue;
      }
      if (names === null || cells.length !== names.length) continue;
      const values: Record<string, LogValue> = {};
      const words: Record<string, string> = {};
      for (const [i, cell] of cells.entries()) {
        const name = names[i] ?? null;
        const value = numberIn(cell);
        if (name === null || cell === "") continue;
        if (value === undefined) words[name] = cell;
        else values[name] = value;
      }
      const row = longRow(values, words) ?? { values };
      if (Object.keys(row.values).length > 0) found.push({ begin, end, ...row });
    }
    return found;
  },
};
