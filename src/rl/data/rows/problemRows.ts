// From a row of a data file to a problem: which columns ask and answer, by their names or as TRL and verl have them. An
// answer in GSM8K's form, working and then "#### 18", is 18, and all of it what worked examples say; so is one in a box.
import { nearestName } from "../../../protocol/nearestName.ts";
import { isRecord, showValue } from "../../../protocol/problems.ts";
import { isNumeric, lastBoxed } from "../../rewards/match/semanticMatch.ts";
import { statesNumber } from "../../rewards/match/statement.ts";
import { messagesRead } from "../../tools/chatMessages.ts";
import { lastUserIn } from "../ownPrompt.ts";
import type { QuestionAnswer } from "../problemList.ts";
import { DataError, type Row } from "./readRows.ts";

/** Columns that are taken where none is named, the first there. */
export const QUESTIONS = ["question", "prompt"];
export const ANSWERS = ["answer", "ground_truth", "reward_model.ground_truth", "solution"];

/** Columns that count, and what conversations open with. */
export interface DataColumns {
  readonly question?: string;
  readonly answer?: string;
  readonly solution?: string;
  readonly documents?: string;
  readonly system?: string;
}

/** What stands in a column; dots go into an object. */
function cellOf({ values }: Row, name: string): unknown {
  if (Object.hasOwn(values, name)) return values[name];
  return name.split(".").reduce<unknown>((value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined), values);
}

/** The first of these columns that the row has; the first of all where it has none. */
function columnOf(row: Row, named: string | undefined, known: readonly string[]): string {
  return named ?? known.find((name) => cellOf(row, name) !== undefined) ?? known[0]!;
}

function textOf(row: Row, name: string): string {
  const value = cellOf(row, name);
  if (typeof value === "string" && value.trim() !== "") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (value !== undefined) throw new DataError(`${row.where}: ${name} must be a text or a number, got ${showValue(value)}`);
  const columns = Object.keys(row.values);
  const near = nearestName(name, columns);
  throw new DataError(`${row.where}: has no column ${name}${near ? ` (did you mean ${near}?)` : `, only ${columns.join(", ")}`}`);
}

/** What is asked: a text, or messages, of which the last of the user counts. */
function askedOf(row: Row, source: DataColumns): Pick<QuestionAnswer, "question" | "messages"> {
  const name = columnOf(row, source.question, QUESTIONS);
  const value = cellOf(row, name);
  if (!Array.isArray(value)) return { question: textOf(row, name) };
  const given = messagesRead(value, `${row.where}: ${name}`);
  const question = given[lastUserIn(given)]?.content;
  if (question === undefined) throw new DataError(`${row.where}: ${name} must have a message of the user, got ${showValue(value)}`);
  if (given.length === 1) return { question };
  const { system } = source;
  const isOpened = system === undefined || given.some(({ role }) => role === "system");
  return { question, messages: isOpened ? given : [{ role: "system", content: system }, ...given] };
}

function documentsOf(row: Row, { documents = "documents" }: DataColumns): Pick<QuestionAnswer, "documents"> {
  const value = cellOf(row, documents);
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return { documents: value };
  return {};
}

/** A row as a question without an answer. Throws a DataError that names row and column. */
export function questionOf(row: Row, source: DataColumns): QuestionAnswer {
  return { ...askedOf(row, source), ...documentsOf(row, source), answer: "" };
}

/** A number without what is said of it in brackets: "42 (since 6*7)" is 42, "101 (base 2)" is all of it. */
function withoutRemark(answer: string): string {
  const number = answer.replace(/\s\([^()]*\)\.?$/, "").trim();
  return isNumeric(number) && statesNumber(`#### ${answer}`, number) ? number : answer;
}

/** A row as a problem, "#### 18" read as 18. Throws a DataError that names row and column. */
export function problemOf(row: Row, source: DataColumns): QuestionAnswer {
  const name = columnOf(row, source.answer, ANSWERS);
  const written = textOf(row, name);
  const mark = written.lastIndexOf("####");
  const answer = mark < 0 ? (lastBoxed(written) ?? written).trim() : withoutRemark(written.slice(mark + 4).trim());
  if (answer === "") throw new DataError(`${row.where}: ${name} must have an answer after ####`);
  const worked = source.solution ?? (name !== "solution" && typeof row.values.solution === "string" ? "solution" : undefined);
  const solution = worked !== undefined ? textOf(row, worked) : answer === written.trim() ? undefined : written;
  return { ...askedOf(row, source), ...documentsOf(row, source), answer, ...(solution === undefined ? {} : { solution }) };
}
