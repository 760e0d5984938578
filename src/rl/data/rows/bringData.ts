// What somebody brings as data, from its rows to problems that a task of theirs holds: the columns there are, what each is
// likely for, and the canonical lines whose hash names the content, the same in the page and on the command line.
import type { OwnProblem } from "../../../protocol/custom/customTasks.ts";
import type { ReadColumns, SeenData } from "../../../protocol/custom/dataReading.ts";
import { isRecord, showValue } from "../../../protocol/problems.ts";
import { ANSWERS, problemOf, QUESTIONS, questionOf } from "./problemRows.ts";
import { DataError, type Row } from "./readRows.ts";

const SHOWN_ROWS = 5;
const SHOWN_TEXT = 200;
const MOST_COLUMNS = 200;
const LONGEST_TEXT = 20_000;

/** Names of columns, those within an object by dots. */
function namesOf(values: Readonly<Record<string, unknown>>): readonly string[] {
  return Object.entries(values).flatMap(([name, value]) =>
    isRecord(value) ? [name, ...Object.keys(value).map((key) => `${name}.${key}`)] : [name],
  );
}

function cellAt({ values }: Row, column: string): unknown {
  if (Object.hasOwn(values, column)) return values[column];
  const [outer = "", ...rest] = column.split(".");
  const inner = values[outer];
  const key = rest.join(".");
  return isRecord(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined;
}

function shortText(value: unknown): string {
  const text = typeof value === "string" ? value : value === undefined ? "" : showValue(value);
  return text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)} …` : text;
}

/** Looks at rows. Throws a DataError where there are none. @param name what people call them. */
export function seenRows(rows: readonly Row[], name: string): SeenData {
  const columns = [...new Set(rows.slice(0, 100).flatMap(({ values }) => namesOf(values)))].slice(0, MOST_COLUMNS);
  const [first = ""] = columns;
  if (rows.length === 0 || columns.length === 0) throw new DataError(`${name} must have a row with at least one column, got none`);
  const question = QUESTIONS.find((each) => columns.includes(each)) ?? first;
  const answer = ANSWERS.find((each) => columns.includes(each) && each !== question) ?? null;
  return {
    columns,
    rows: rows.length,
    first: rows.slice(0, SHOWN_ROWS).map((row) => columns.map((column) => shortText(cellAt(row, column)))),
    likely: { question, answer },
  };
}

function withinLength(problem: OwnProblem, where: string): OwnProblem {
  for (const [what, text = ""] of Object.entries({ question: problem.question, answer: problem.answer, solution: problem.solution }))
    if (text.length > LONGEST_TEXT)
      throw new DataError(`${where}: ${what} must have at most ${LONGEST_TEXT} characters, got ${text.length}`);
  return problem;
}

/** The problems of rows, each question once. Throws a DataError that names row and column. */
export function problemsOfRows(rows: readonly Row[], { question, answer }: ReadColumns): readonly OwnProblem[] {
  const problems = new Map<string, OwnProblem>();
  for (const row of rows) {
    const found = answer === null ? questionOf(row, { question }) : problemOf(row, { question, answer });
    const problem = withinLength(found as OwnProblem, row.where);
    if (!problems.has(problem.question)) problems.set(problem.question, problem);
  }
  return [...problems.values()];
}

/** Problems as they are kept: a line of JSON each, its fields in one order. */
export function contentOf(problems: readonly OwnProblem[]): Uint8Array<ArrayBuffer> {
  const lines = problems.map(({ question, answer, solution, messages, documents, heldOut }) =>
    JSON.stringify({ question, answer, solution, messages, documents, heldOut }),
  );
  return new TextEncoder().encode(`${lines.join("\n")}\n`) as Uint8Array<ArrayBuffer>;
}
