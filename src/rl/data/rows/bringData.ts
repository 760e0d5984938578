// What somebody brings as data, from its rows to problems that a task of theirs holds: the columns there are, what each is
// likely for, and the canonical lines whose hash names the content, the same in the page and on the command line.
import type { OwnProblem } from "../../../protocol/custom/customTasks.ts";
import type { ReadColumns, SeenData } from "../../../protocol/custom/dataReading.ts";
import { readJson } from "../../../protocol/custom/exactJson.ts";
import { asOneMessage, isRecord, showValue } from "../../../protocol/problems.ts";
import { counted } from "../../../protocol/quantities.ts";
import type { QuestionAnswer } from "../problemList.ts";
import { ANSWERS, cellOf, columnsOf, problemOf, QUESTIONS, questionOf } from "./problemRows.ts";
import { checkBad, DataError, type FoundRows, type Row, saidOfBad, takenRows } from "./row.ts";

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

function shortText(value: unknown): string {
  const text = typeof value === "string" ? value : value === undefined ? "" : showValue(value);
  return text.length > SHOWN_TEXT ? `${text.slice(0, SHOWN_TEXT)} …` : text;
}

/** Looks at rows. Throws a DataError where there are none. @param name what people call them. */
export function seenRows({ rows, bad }: FoundRows, name: string): SeenData {
  const columns = [...new Set(rows.slice(0, 100).flatMap(({ values }) => namesOf(values)))].slice(0, MOST_COLUMNS);
  const [first = ""] = columns;
  const [sample] = rows;
  if (!sample && bad.length > 0) throw new DataError(bad[0]!);
  if (!sample || columns.length === 0) throw new DataError(`${name} must have a row with at least one column, got none`);
  const question = QUESTIONS.find((each) => columns.includes(each)) ?? first;
  const answer = ANSWERS.find((each) => columns.includes(each) && each !== question);
  return {
    columns,
    rows: rows.length + bad.length,
    bad: bad.length === 0 ? null : `${counted(bad.length, "row")} cannot be read: ${asOneMessage(bad)}`,
    first: rows.slice(0, SHOWN_ROWS).map((row) => columns.map((column) => shortText(cellOf(row, column)))),
    likely: { question, answer: answer ?? columnsOf(sample, { question }).answer },
  };
}

function withinLength(problem: OwnProblem, where: string): OwnProblem {
  for (const [what, text = ""] of Object.entries({ question: problem.question, answer: problem.answer, solution: problem.solution }))
    if (text.length > LONGEST_TEXT)
      throw new DataError(`${where}: ${what} must have at most ${LONGEST_TEXT} characters, got ${text.length}`);
  return problem;
}

/** A problem with the row that it stands in. */
export interface PlacedProblem {
  readonly where: string;
  readonly problem: QuestionAnswer;
}

const askedBy = ({ question, messages, documents }: QuestionAnswer): string => JSON.stringify([question, messages, documents]);

/** Problems that ask what an earlier one asks, and what is said of them; null where there are none. */
export function repeatedProblems(placed: readonly PlacedProblem[]) {
  const first = new Map<string, PlacedProblem>();
  const repeated = placed.flatMap((each) => {
    const asked = askedBy(each.problem);
    const before = first.get(asked);
    if (!before) first.set(asked, each);
    return before ? [{ each, before, differs: before.problem.answer !== each.problem.answer }] : [];
  });
  const different = repeated.filter(({ differs }) => differs);
  const [shown] = different.length > 0 ? different : repeated;
  if (!shown) return { first, said: null };
  const { each, before } = shown;
  const how = shown.differs ? `, with the answer ${showValue(each.problem.answer)} and not ${showValue(before.problem.answer)}` : "";
  const others = different.length === 0 ? "" : `, ${different.length} of them with another answer`;
  const said = `${repeated.length === 1 ? "1 row asks" : `${repeated.length} rows ask`} what an earlier one asks${others}: ${each.where} what ${before.where} asks${how}`;
  return { first, said };
}

/** The problems of rows, each question once, and what is to be said of the others. Throws a DataError that names row and column. */
export function problemsOfRows(
  { rows, bad }: FoundRows,
  { question, answer }: ReadColumns,
  leavesOut = false,
): { readonly problems: readonly OwnProblem[]; readonly notes: readonly string[] } {
  const taken = takenRows("the data", rows, (row): PlacedProblem => {
    const found = answer === null ? questionOf(row, { question }) : problemOf(row, { question, answer });
    return { where: row.where, problem: withinLength(found as OwnProblem, row.where) };
  });
  const all = { rows: taken.rows, bad: [...bad, ...taken.bad] };
  checkBad(all, leavesOut, "they can be left out");
  const { first, said } = repeatedProblems(all.rows);
  return {
    problems: Array.from(first.values(), ({ problem }) => problem as OwnProblem),
    notes: [...saidOfBad(all.bad), ...(said === null ? [] : [`${said}. Each question is kept once`])],
  };
}

/** Takes fields out that are null. */
function dropNulls(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [key, each] of Object.entries(value)) {
    if (each === null && isRecord(value)) delete (value as Record<string, unknown>)[key];
    else dropNulls(each);
  }
}

/** A row as JSON of a table that gives every structure the keys that any row has: within them what is null is not there. */
export function tableRow(where: string, json: string): Row {
  const values = readJson(json) as Row["values"];
  for (const value of Object.values(values)) dropNulls(value);
  return { where, values };
}

/** Problems as they are kept: a line of JSON each, its fields in one order. */
export function contentOf(problems: readonly OwnProblem[]): Uint8Array<ArrayBuffer> {
  const lines = problems.map(({ question, answer, solution, messages, documents, heldOut }) =>
    JSON.stringify({ question, answer, solution, messages, documents, heldOut }),
  );
  return new TextEncoder().encode(`${lines.join("\n")}\n`) as Uint8Array<ArrayBuffer>;
}
