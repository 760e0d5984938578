// Questions and answers in a file that a configuration names:
//   data: ./problems.jsonl
//   data: { file: ./train.csv, heldOut: ./test.csv, question: prompt, answer: solution, system: "Answer briefly." }
// They are a task by themselves, or the problems of a task of somebody's own. Where no columns are named, those of TRL
// and verl are read as they are. An answer in GSM8K's form, working and then "#### 18", is 18, and all of it what worked
// examples say; so is one in a box.

import { dirname, resolve } from "node:path";
import { type ProblemTaskDefinition, problemTask } from "../../library/problemTask.ts";
import { nearestName } from "../../protocol/nearestName.ts";
import { isRecord, parseOrThrow, showValue } from "../../protocol/problems.ts";
import { counted } from "../../protocol/quantities.ts";
import { z } from "../../protocol/zod.ts";
import { lastUserIn } from "../../rl/data/ownPrompt.ts";
import type { QuestionAnswer } from "../../rl/data/problemList.ts";
import { lastBoxed } from "../../rl/rewards/match/semanticMatch.ts";
import type { Task } from "../../rl/tasks/task.ts";
import { messagesRead } from "../../rl/tools/chatMessages.ts";
import { CommandError } from "../lab/exit.ts";
import { type Row, readRows } from "./readRows.ts";

const QUESTIONS = ["question", "prompt"];
const ANSWERS = ["answer", "ground_truth", "reward_model.ground_truth", "solution"];

const column = (what: string) => z.string().min(1).exactOptional().describe(what);
export const dataSchema = z.strictObject({
  file: z.string().min(1).describe("The problems, a row each: .jsonl, .json (a list), .csv or .parquet."),
  heldOut: z.string().min(1).exactOptional().describe("Problems to evaluate on; one in eight of the file where left out."),
  question: column(`Column of what is asked: a text, or a list of messages with role and content (${QUESTIONS.join(" or ")}).`),
  answer: column(`Column of what is expected, a text or a number; dots go into an object (the first there of ${ANSWERS.join(", ")}).`),
  solution: column("Column of what a good answer says, for kind: supervised; the answer itself where left out."),
  documents: column("Column of a list of texts, which the tool search finds (documents)."),
  system: z.string().exactOptional().describe("What each conversation opens with."),
});
/** Files with absolute paths, and which columns count. */
export type DataSource = z.output<typeof dataSchema>;

/** The name that a configuration's task has then. */
export const DATA_TASK = "data";

/** Reads what stands under "data"; paths are relative to the file that names them. */
export function dataSource(given: unknown, from: string): DataSource {
  const input = typeof given === "string" ? { file: given } : given;
  const edge = z.object({ data: dataSchema });
  const { data } = parseOrThrow(
    edge,
    { data: input },
    Object.keys(dataSchema.shape).map((key) => `data.${key}`),
  );
  const at = (path: string) => resolve(dirname(from), path);
  if (data.heldOut !== undefined && at(data.heldOut) === at(data.file))
    throw new CommandError(
      `data.heldOut must be another file than data.file, or be left out to hold one in eight out, got ${data.heldOut}`,
    );
  return { ...data, file: at(data.file), ...(data.heldOut === undefined ? {} : { heldOut: at(data.heldOut) }) };
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
  if (value !== undefined) throw new CommandError(`${row.where}: ${name} must be a text or a number, got ${showValue(value)}`);
  const columns = Object.keys(row.values);
  const near = nearestName(name, columns);
  throw new CommandError(`${row.where}: has no column ${name}${near ? ` (did you mean ${near}?)` : `, only ${columns.join(", ")}`}`);
}

/** What is asked: a text, or messages, of which the last of the user counts. */
function askedOf(row: Row, source: DataSource): Pick<QuestionAnswer, "question" | "messages"> {
  const name = columnOf(row, source.question, QUESTIONS);
  const value = cellOf(row, name);
  if (!Array.isArray(value)) return { question: textOf(row, name) };
  const given = messagesRead(value, `${row.where}: ${name}`);
  const question = given[lastUserIn(given)]?.content;
  if (question === undefined) throw new CommandError(`${row.where}: ${name} must have a message of the user, got ${showValue(value)}`);
  if (given.length === 1) return { question };
  const { system } = source;
  const isOpened = system === undefined || given.some(({ role }) => role === "system");
  return { question, messages: isOpened ? given : [{ role: "system", content: system }, ...given] };
}

function documentsOf(row: Row, { documents = "documents" }: DataSource): Pick<QuestionAnswer, "documents"> {
  const value = cellOf(row, documents);
  if (Array.isArray(value) && value.every((each) => typeof each === "string")) return { documents: value };
  return {};
}

/** A row as a problem, "#### 18" read as 18. */
function problemOf(row: Row, source: DataSource): QuestionAnswer {
  const name = columnOf(row, source.answer, ANSWERS);
  const written = textOf(row, name);
  const mark = written.lastIndexOf("####");
  const answer = mark < 0 ? (lastBoxed(written) ?? written).trim() : written.slice(mark + 4).trim();
  if (answer === "") throw new CommandError(`${row.where}: ${name} must have an answer after ####`);
  const worked = source.solution ?? (name !== "solution" && typeof row.values.solution === "string" ? "solution" : undefined);
  const solution = worked !== undefined ? textOf(row, worked) : answer === written.trim() ? undefined : written;
  return { ...askedOf(row, source), ...documentsOf(row, source), answer, ...(solution === undefined ? {} : { solution }) };
}

async function problemsOf(path: string, source: DataSource, least: number): Promise<readonly QuestionAnswer[]> {
  const rows = await readRows(path);
  if (rows.length < least) throw new CommandError(`${path} must have at least ${counted(least, "row")}, got ${rows.length}`);
  return rows.map((row) => problemOf(row, source));
}

/** What a file gives a task. */
export interface OfFile extends Pick<ProblemTaskDefinition, "heldOut" | "system"> {
  readonly problems: readonly QuestionAnswer[];
}

/** How many rows there are, and which of those that are held out are trained on as well. */
export function saidOfData({ problems, heldOut }: OfFile): { readonly rows: string; readonly overlap: string | null } {
  if (!heldOut) return { rows: `${problems.length} rows, of which one in eight is held out`, overlap: null };
  const asked = new Set(problems.map(({ question }) => question));
  const shared = heldOut.filter(({ question }) => asked.has(question)).length;
  return {
    rows: `${problems.length} rows to train on, ${heldOut.length} held out`,
    overlap:
      shared === 0
        ? null
        : `${shared} of the ${heldOut.length} held-out questions are asked in training as well: accuracy on them is no accuracy on unseen ones`,
  };
}

/** The problems of a data file. Throws a CommandError that names the row where one is wrong. */
export async function loadProblems(source: DataSource): Promise<OfFile> {
  const { file, heldOut, system } = source;
  return {
    problems: await problemsOf(file, source, heldOut === undefined ? 2 : 1),
    ...(heldOut === undefined ? {} : { heldOut: await problemsOf(heldOut, source, 1) }),
    ...(system === undefined ? {} : { system }),
  };
}

/** A task, and whether nobody says what its worked conversations of several turns say. */
export interface LoadedTask {
  readonly task: Task;
  readonly isSpeechless: boolean;
}

/** The task of a data file, with tools where some are named. */
export function dataTask(source: DataSource, given: OfFile, tools: readonly string[] = []): LoadedTask {
  const task = problemTask({
    ...{ id: DATA_TASK, title: "Questions of a file", summary: `Answers the questions of ${source.file}.` },
    ...(tools.length > 0 ? { tools } : {}),
    ...given,
  });
  return { task, isSpeechless: tools.length > 0 };
}
