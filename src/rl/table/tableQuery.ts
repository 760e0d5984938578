// What is asked of a table of rollouts: rows that meet conditions, in an order, with how their values are spread.

import { unknownName } from "../../protocol/problems.ts";
import type { ColumnCounts, TableAnswer, TableCondition, TableQuery, TableRow } from "../../protocol/rollouts/rolloutTable.ts";
import type { ColumnValues, RolloutTable } from "./rolloutTable.ts";

/** Bars of a histogram. */
const BINS = 20;
/** Words that are counted by name. */
const MOST_WORDS = 12;

/** A condition on the text of answers: it is met elsewhere, where the texts are. */
export type TextCondition = Extract<TableCondition, { readonly is: "with-text" | "matching" }>;

export const isOnText = (condition: TableCondition): condition is TextCondition =>
  condition.is === "with-text" || condition.is === "matching";

function columnOf(columns: readonly ColumnValues[], id: string): ColumnValues {
  const found = columns.find((column) => column.id === id);
  if (found) return found;
  throw new Error(
    unknownName(
      "column",
      id,
      columns.map((column) => column.id),
    ),
  );
}

/** Whether a row meets a condition on its values. */
function testOf(condition: Exclude<TableCondition, TextCondition>, columns: readonly ColumnValues[]): (row: number) => boolean {
  const { values, words } = columnOf(columns, condition.column);
  if (condition.is === "between") return (row) => values[row]! >= condition.from && values[row]! <= condition.to;
  const wanted = new Set(condition.words.map((word) => (word === null ? -1 : words.indexOf(word))));
  // A word that no row has finds nothing.
  if (!condition.words.includes(null)) wanted.delete(-1);
  return (row) => wanted.has(values[row]!);
}

function compared({ values, words }: ColumnValues, isDescending: boolean): (a: number, b: number) => number {
  const sign = isDescending ? -1 : 1;
  const isNone = (value: number) => Number.isNaN(value) || (words.length > 0 && value < 0);
  return (a, b) => {
    const x = values[a]!;
    const y = values[b]!;
    if (isNone(x) || isNone(y)) return Number(isNone(x)) - Number(isNone(y)) || a - b;
    return sign * (words.length > 0 ? words[x]!.localeCompare(words[y]!) : x - y) || a - b;
  };
}

function countsOf({ id, kind, values, words }: ColumnValues, rows: readonly number[]): ColumnCounts {
  if (kind === "word") {
    const counts = new Map<number, number>();
    for (const row of rows) counts.set(values[row]!, (counts.get(values[row]!) ?? 0) + 1);
    const sorted = [...counts].sort((a, b) => b[1] - a[1]).slice(0, MOST_WORDS);
    return { column: id, kind, words: sorted.map(([word, count]) => ({ word: words[word] ?? null, count })) };
  }
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const row of rows) {
    const value = values[row]!;
    if (value < from) from = value;
    if (value > to) to = value;
  }
  if (from > to) return { column: id, kind, from: 0, to: 0, bins: [] };
  const bins = new Array<number>(from === to ? 1 : BINS).fill(0);
  for (const row of rows) {
    const at = from === to ? 0 : Math.min(BINS - 1, Math.floor(((values[row]! - from) / (to - from)) * BINS));
    if (!Number.isNaN(values[row]!)) bins[at]! += 1;
  }
  return { column: id, kind, from, to, bins };
}

function curveOf(column: ColumnValues, steps: ColumnValues, rows: readonly number[]): NonNullable<TableAnswer["curve"]> {
  const sums = new Map<number, { sum: number; count: number }>();
  for (const row of rows) {
    const value = column.values[row]!;
    if (Number.isNaN(value)) continue;
    const at = sums.get(steps.values[row]!) ?? { sum: 0, count: 0 };
    sums.set(steps.values[row]!, { sum: at.sum + value, count: at.count + 1 });
  }
  const sorted = [...sums].sort(([a], [b]) => a - b);
  return { column: column.id, steps: sorted.map(([step]) => step), means: sorted.map(([, { sum, count }]) => sum / count) };
}

function rowOf(table: RolloutTable, columns: readonly ColumnValues[], row: number): TableRow {
  const at = (id: string) => columnOf(columns, id).values[row]!;
  return {
    step: at("step"),
    promptIndex: at("prompt") - 1,
    trajectoryIndex: at("answer") - 1,
    begin: table.begin(row),
    values: columns.map(({ kind, values, words }) => {
      const value = values[row]!;
      return kind === "word" ? (words[value] ?? null) : Number.isNaN(value) ? null : value;
    }),
  };
}

/**
 * The rows that are asked for, and how all that were found are spread.
 * @param textRows for each condition on the text, in order, whether a row meets it
 * @throws where a column is not there: "column must be one that the rollouts have, ..."
 */
export function queryTable(table: RolloutTable, query: TableQuery, textRows: readonly ArrayLike<number>[]): Omit<TableAnswer, "unread"> {
  const { columns } = table;
  const told = columns.map(({ id, title, kind }) => ({ id, title, kind }));
  if (table.size === 0) return { columns: told, total: 0, found: 0, rows: [], counts: [], curve: null };
  const tests = query.where.filter((condition) => !isOnText(condition)).map((condition) => testOf(condition, columns));
  const rows = Array.from({ length: table.size }, (_, row) => row).filter(
    (row) => tests.every((test) => test(row)) && textRows.every((meets) => meets[row] === 1),
  );
  const { sort } = query;
  const sorted = sort ? [...rows].sort(compared(columnOf(columns, sort.column), sort.isDescending)) : rows;
  return {
    columns: told,
    total: table.size,
    found: rows.length,
    rows: sorted.slice(query.from, query.from + query.count).map((row) => rowOf(table, columns, row)),
    counts: query.counted ? columns.map((column) => countsOf(column, rows)) : [],
    curve: query.curve === null ? null : curveOf(columnOf(columns, query.curve), columnOf(columns, "step"), rows),
  };
}
