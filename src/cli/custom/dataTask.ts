// A task from a file of questions and answers that a configuration names:
//   data: ./problems.jsonl
//   data: { file: ./train.csv, heldOut: ./test.csv, question: prompt, answer: solution, system: "Answer briefly." }
// Columns are "question" and "answer" where none are named. An answer in GSM8K's form, working and then
// "#### 18", is 18, and all of it what worked examples say.
import { dirname, resolve } from "node:path";
import { problemTask, type QuestionAnswer } from "../../library/problemTask.ts";
import { nearestName } from "../../protocol/nearestName.ts";
import { parseOrThrow, showValue } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import type { Task } from "../../rl/tasks/task.ts";
import { CommandError } from "../lab/exit.ts";
import { type Row, readRows } from "./readRows.ts";

const column = z.string().min(1);
export const dataSchema = z.strictObject({
  file: z.string().min(1),
  heldOut: z.string().min(1).exactOptional(),
  question: column.default("question"),
  answer: column.default("answer"),
  solution: column.exactOptional(),
  system: z.string().exactOptional(),
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
  return { ...data, file: at(data.file), ...(data.heldOut === undefined ? {} : { heldOut: at(data.heldOut) }) };
}

function textOf({ where, values }: Row, name: string): string {
  const value = values[name];
  if (typeof value === "string" && value.trim() !== "") return value;
  if (typeof value === "number" || typeof value === "bigint" || typeof value === "boolean") return String(value);
  if (Object.hasOwn(values, name)) throw new CommandError(`${where}: ${name} must be a text or a number, got ${showValue(value)}`);
  const columns = Object.keys(values);
  const near = nearestName(name, columns);
  throw new CommandError(`${where}: has no column ${name}${near ? ` (did you mean ${near}?)` : `, only ${columns.join(", ")}`}`);
}

/** A row as a problem, "#### 18" read as 18. */
function problemOf(row: Row, source: DataSource): QuestionAnswer {
  const [question, written] = [textOf(row, source.question), textOf(row, source.answer)];
  const mark = written.lastIndexOf("####");
  const answer = mark < 0 ? written.trim() : written.slice(mark + 4).trim();
  if (answer === "") throw new CommandError(`${row.where}: ${source.answer} must have an answer after ####`);
  if (source.solution !== undefined) return { question, answer, solution: textOf(row, source.solution) };
  return mark < 0 ? { question, answer } : { question, answer, solution: written };
}

async function problemsOf(path: string, source: DataSource, least: number): Promise<readonly QuestionAnswer[]> {
  const rows = await readRows(path);
  if (rows.length < least)
    throw new CommandError(`${path} must have at least ${least} ${least === 1 ? "row" : "rows"}, got ${rows.length}`);
  return rows.map((row) => problemOf(row, source));
}

/** The task of a data file. Throws a CommandError that names the row where one is wrong. */
export async function loadDataTask(source: DataSource): Promise<Task> {
  const { file, heldOut, system } = source;
  return problemTask({
    id: DATA_TASK,
    title: "Questions of a file",
    summary: `Answers the questions of ${file}.`,
    problems: await problemsOf(file, source, heldOut === undefined ? 2 : 1),
    ...(heldOut === undefined ? {} : { heldOut: await problemsOf(heldOut, source, 1) }),
    ...(system === undefined ? {} : { system }),
  });
}
