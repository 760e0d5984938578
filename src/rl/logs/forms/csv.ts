// Comma-separated values with a head, as spreadsheets, W&B's export of a chart or a history, MLflow and this lab write them; semicolons
// where a spreadsheet writes 0,5 for a half. A table of one point a row (key, value, step) is put together by its steps.
import { type LogEntry, type LogForm, type LogValue, numberIn } from "../log.ts";
import { isName, lines } from "./lines.ts";

interface Style {
  readonly separator: string;
  /** A cell and what follows it. */
  readonly cell: RegExp;
  /** A cell as a number is written elsewhere. */
  readonly plain: (cell: string) => string;
}

const STYLES: readonly Style[] = [
  { separator: ",", cell: /(?:"((?:[^"]|"")*)"|([^,]*)),/g, plain: (cell) => cell },
  { separator: ";", cell: /(?:"((?:[^"]|"")*)"|([^;]*));/g, plain: (cell) => cell.replace(/^([+-]?\d+),(\d+(?:e[+-]?\d+)?%?)$/i, "$1.$2") },
];

/** The cells of a line (RFC 4180), without breaks inside quotes. */
function cellsOf(line: string, { separator, cell, plain }: Style): readonly string[] {
  const cells: string[] = [];
  for (const [, quoted, bare = ""] of `${line.replace(/\r$/, "")}${separator}`.matchAll(cell))
    cells.push(plain(quoted === undefined ? bare.trim() : quoted.replaceAll('""', '"')));
  return cells;
}

const isHead = (cells: readonly string[]): boolean =>
  cells.length >= 2 && cells.every(isName) && cells.every((cell) => numberIn(cell) === undefined);

/** The style by which a line is a head, of two that by which it has more cells. */
function headOf(line: string): Style | undefined {
  const heads = STYLES.filter((style) => line.includes(style.separator) && isHead(cellsOf(line, style)));
  return heads.toSorted((a, b) => cellsOf(line, b).length - cellsOf(line, a).length)[0];
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
  title: "separated values (CSV)",
  find(text) {
    const found: LogEntry[] = [];
    let names: readonly (string | null)[] = [];
    let style = STYLES[0]!;
    for (const { begin, end, line } of lines(text)) {
      const head = headOf(line);
      const cells = cellsOf(line, head ?? style);
      if (head) {
        style = head;
        const isLong = cells.some((cell) => /^(key|metric|name|tag)$/i.test(cell)) && cells.some((cell) => /^value$/i.test(cell));
        names = cells.map((cell) => (isLong ? cell.toLowerCase() : columnName(cell)));
        continue;
      }
      if (names.length === 0 || cells.length !== names.length) continue;
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
