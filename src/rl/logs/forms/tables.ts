// Tables of a step a row: what a notebook shows of a training (tabs, once it is copied), Markdown, boxes of bars, and columns that are
// parted by spaces. A head of names and rows of numbers below it.
import { type LogEntry, type LogForm, type LogValue, numberIn } from "../log.ts";
import { isKnownName } from "../programs/index.ts";
import { isName, type Line, lines } from "./lines.ts";

/** How the cells of a row are parted; one style for a whole table. */
const STYLES: readonly ((line: string) => readonly string[])[] = [
  (line) => (/[|│┃]/.test(line) ? line.replace(/^\s*[|│┃]|[|│┃]\s*$/g, "").split(/[|│┃]/) : []),
  (line) => (line.includes("\t") ? line.replace(/^\t+|\t+$/g, "").split("\t") : []),
  (line) => (/\S {2,}\S/.test(line) ? line.trim().split(/ {2,}/) : []),
];
/** Rules between head and rows: ---|---, +---+, ═══. */
const RULE = /^[\s|│┃+:=\-─━═┼╪┿╇┡┩├┤┏┓┗┛┌┐└┘┯┷╋]+$/;
const DOTS = /^[\s.…|]+$/;
const FEWEST = 2;

const isHead = (cells: readonly string[]): boolean =>
  cells.length >= FEWEST && cells.every((cell) => isName(cell) && numberIn(cell) === undefined);

/** A row of the table, or null: as many cells as the head, nearly all of them numbers. */
function rowOf(names: readonly string[], cells: readonly string[]): Readonly<Record<string, LogValue>> | null {
  if (cells.length !== names.length) return null;
  // Metrics down the first column: names beside their numbers, and no row of a step.
  if (isName(cells[0]!.replace(/[*`]/g, "")) && isKnownName(cells[0]!.replace(/[*`]/g, ""))) return null;
  const values: Record<string, LogValue> = {};
  let words = 0;
  for (const [i, cell] of cells.entries()) {
    // "1/250" in a step's column is its count of all, "0–50" the steps that a row is a mean of.
    const plain = cell.replace(/[*`]/g, "").trim();
    const value = numberIn(plain.replace(/^(\d+)\s*\/\s*\d+$/, "$1").replace(i === 0 ? /^(\d+)\s*[-–—]\s*\S+$/ : /$^/, "$1"));
    if (value === undefined) words++;
    else if (value !== null || cell.trim() !== "") values[names[i]!] = value;
  }
  return words <= names.length / 3 && Object.values(values).some((value) => value !== null) ? values : null;
}

function rowsBelow(all: readonly Line[], head: number, split: (line: string) => readonly string[]): readonly LogEntry[] {
  const names = split(all[head]!.line).map((name) => name.replace(/[*`]/g, "").trim());
  const rows: LogEntry[] = [];
  for (const { begin, end, line } of all.slice(head + 1)) {
    if (line.trim() === "" && rows.length === 0) continue;
    // Rules, and dots in the place of rows that somebody left out.
    if ((RULE.test(line) || DOTS.test(line)) && line.trim() !== "") continue;
    const values = rowOf(names, split(line));
    if (values === null) break;
    rows.push({ begin, end, values });
  }
  const first = rows[0];
  return first ? [{ ...first, begin: all[head]!.begin }, ...rows.slice(1)] : [];
}

export const tables: LogForm = {
  id: "tables",
  title: "a table",
  find(text) {
    const all = lines(text);
    const found: LogEntry[] = [];
    let after = -1;
    for (const [i, { begin, line }] of all.entries()) {
      if (begin < after) continue;
      for (const split of STYLES) {
        if (!isHead(split(line))) continue;
        const rows = rowsBelow(all, i, split);
        if (rows.length === 0) continue;
        found.push(...rows);
        after = rows.at(-1)!.end;
        break;
      }
    }
    return found;
  },
};
