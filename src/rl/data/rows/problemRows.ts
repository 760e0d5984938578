// From a row of a data file to a problem: which columns ask and answer, by their names or as TRL and verl have them. An
// answer in GSM8K's form, working and then "#### 18", is 18, and all of it what worked examples say; so is one in a box.
// A conversation that ends with the assistant's turn has its answer there.
import { numberText } from "../../../protocol/custom/exactJson.ts";
import { nearestName } from "../../../protocol/nearestName.ts";
import { errorText, isRecord, orThrow, showValue } from "../../../protocol/problems.ts";
import { isNumeric, lastBoxed } from "../../rewards/match/semanticMatch.ts";
import { statesNumber } from "../../rewards/match/statement.ts";
import { messagesRead } from "../../tools/chatMessages.ts";
import type { Message } from "../../types.ts";
import { lastUserIn } from "../ownPrompt.ts";
import type { QuestionAnswer } from "../problemList.ts";
import { DataError, type Row } from "./row.ts";

/** Columns that are taken where none is named, the first there. */
export const QUESTIONS = ["question", "prompt", "messages", "conversations"];
export const ANSWERS = ["answer", "ground_truth", "reward_model.ground_truth", "completion", "solution"];

/** Columns that count, and what conversations open with. */
interface DataColumns {
  readonly question?: string;
  readonly answer?: string;
  readonly solution?: string;
  readonly documents?: string;
  readonly system?: string;
}

/** Where a column's value stands; dots go into an object. Null where there is no such column. */
function placeOf(holder: Row["values"], name: string): { readonly holder: Row["values"]; readonly key: string } | null {
  if (Object.hasOwn(holder, name)) return { holder, key: name };
  const dot = name.indexOf(".");
  const inner = dot < 0 || !Object.hasOwn(holder, name.slice(0, dot)) ? null : holder[name.slice(0, dot)];
  return isRecord(inner) ? placeOf(inner, name.slice(dot + 1)) : null;
}

/** Numbers that nobody wrote: a table of doubles has them in the place of what is missing. */
const MISSING = ["NaN", "Infinity", "-Infinity"];

/** What stands in a column, a number as the text that it was written with; undefined where there is no such column. */
export function cellOf({ values }: Row, name: string): unknown {
  const place = placeOf(values, name);
  const value = place?.holder[place.key];
  if (!place || typeof value !== "number") return value;
  const text = numberText(place.holder, place.key, value);
  return MISSING.includes(text) ? value : text;
}

function textOf(row: Row, name: string): string {
  const value = cellOf(row, name);
  if (typeof value === "string" && value.trim() !== "") return value;
  if (typeof value === "boolean") return String(value);
  if (value !== undefined) throw new DataError(`${row.where}: ${name} must be a text or a number, got ${showValue(value)}`);
  const columns = Object.keys(row.values);
  const near = nearestName(name, columns);
  throw new DataError(`${row.where}: has no column ${name}${near ? ` (did you mean ${near}?)` : `, only ${columns.join(", ")}`}`);
}

const SPEAKERS: Readonly<Record<string, string>> = { human: "user", gpt: "assistant" };

/** Messages, those of ShareGPT's form ("from" and "value") too. */
function messagesIn(row: Row, name: string, value: readonly unknown[]): readonly Message[] {
  const given = value.map((each) => {
    if (!isRecord(each) || typeof each.from !== "string" || typeof each.value !== "string") return each;
    return { role: SPEAKERS[each.from] ?? each.from, content: each.value };
  });
  return orThrow(
    () => messagesRead(given, `${row.where}: ${name}`),
    (error) => new DataError(errorText(error)),
  );
}

/** What the assistant says at the end of a conversation; undefined where another has the last turn. */
function lastSaid(row: Row, name: string): string | undefined {
  const value = cellOf(row, name);
  if (!Array.isArray(value)) return undefined;
  const last = messagesIn(row, name, value).at(-1);
  return last?.role === "assistant" && last.content.trim() !== "" ? last.content : undefined;
}

/**
 * The columns of a row that ask and answer, where none are named: the first there of those that are known, then the
 * asking conversation's own end.
 */
export function columnsOf(row: Row, named: DataColumns): { readonly question: string; readonly answer: string | null } {
  const known = (names: readonly string[]) => names.find((name) => cellOf(row, name) !== undefined);
  const question = named.question ?? known(QUESTIONS) ?? QUESTIONS[0]!;
  const answer = named.answer ?? known(ANSWERS.filter((name) => name !== question));
  return { question, answer: answer ?? (lastSaid(row, question) === undefined ? null : question) };
}

/** What is asked: a text, or messages, of which the last of the user counts; an answer at their end is none of them. */
function askedOf(row: Row, name: string, { system }: DataColumns): Pick<QuestionAnswer, "question" | "messages"> {
  const value = cellOf(row, name);
  if (!Array.isArray(value)) return { question: textOf(row, name) };
  const all = messagesIn(row, name, value);
  const given = all.slice(0, all.findLastIndex(({ role }) => role !== "assistant") + 1);
  const question = given[lastUserIn(given)]?.content;
  if (question === undefined || question === "")
    throw new DataError(`${row.where}: ${name} must have a message of the user, got ${showValue(value)}`);
  if (given.length === 1) return { question };
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
  return { ...askedOf(row, columnsOf(row, source).question, source), ...documentsOf(row, source), answer: "" };
}

/** A number without what is said of it in brackets: "42 (since 6*7)" is 42, "101 (base 2)" is all of it. */
function withoutRemark(answer: string): string {
  const number = answer.replace(/\s\([^()]*\)\.?$/, "").trim();
  return isNumeric(number) && statesNumber(`#### ${answer}`, number) ? number : answer;
}

/** A row as a problem, "#### 18" read as 18. Throws a DataError that names row and column. */
export function problemOf(row: Row, source: DataColumns): QuestionAnswer {
  const { question, answer: found } = columnsOf(row, source);
  const name = found ?? ANSWERS[0]!;
  const written = lastSaid(row, name) ?? textOf(row, name);
  const mark = written.lastIndexOf("####");
  const answer = mark < 0 ? (lastBoxed(written) ?? written).trim() : withoutRemark(written.slice(mark + 4).trim());
  if (answer === "") throw new DataError(`${row.where}: ${name} must have an answer after ####`);
  const solution = solutionOf(row, source, { question, name, written, answer });
  return { ...askedOf(row, question, source), ...documentsOf(row, source), answer, ...solution };
}

/** What a good answer says: a column of its own, the end of the asking conversation, or the working around the answer. */
function solutionOf(
  row: Row,
  source: DataColumns,
  { question, name, written, answer }: Readonly<Record<"question" | "name" | "written" | "answer", string>>,
): Pick<QuestionAnswer, "solution"> {
  const worked = source.solution ?? (name !== "solution" && typeof row.values.solution === "string" ? "solution" : undefined);
  if (worked !== undefined) return { solution: textOf(row, worked) };
  const said = name === question ? undefined : lastSaid(row, question);
  if (said !== undefined) return { solution: said };
  return answer === written.trim() ? {} : { solution: written };
}
