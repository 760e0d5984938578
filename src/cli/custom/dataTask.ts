// Questions and answers in a file that a configuration names:
//   data: ./problems.jsonl
//   data: openai/gsm8k
//   data: { file: ./train.csv, heldOut: ./test.csv, question: prompt, answer: solution, system: "Answer briefly." }
// They are a task by themselves, or the problems of a custom task. Where no columns are named, those of TRL
// and verl are read as they are. An answer in GSM8K's form, working and then "#### 18", is 18, and all of it what worked
// examples say; so is one in a box.

import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { type ProblemTaskDefinition, problemTask } from "../../library/problemTask.ts";
import { parseOrThrow } from "../../protocol/problems.ts";
import { counted } from "../../protocol/quantities.ts";
import { z } from "../../protocol/zod.ts";
import type { QuestionAnswer } from "../../rl/data/problemList.ts";
import { heldOutOf } from "../../rl/data/problems.ts";
import { type PlacedProblem, repeatedProblems } from "../../rl/data/rows/bringData.ts";
import { ANSWERS, problemOf, QUESTIONS } from "../../rl/data/rows/problemRows.ts";
import { DATA_ENDINGS, rowsOf } from "../../rl/data/rows/readRows.ts";
import { checkBad, DataError, type FoundRows, saidOfBad, takenRows } from "../../rl/data/rows/row.ts";
import type { Task } from "../../rl/tasks/task.ts";
import { CommandError, failedFile } from "../lab/exit.ts";
import { withinLimit } from "../lab/readingLimit.ts";
import { datasetFiles, namesDataset } from "./hubData.ts";

const column = (what: string) => z.string().min(1).exactOptional().describe(what);
export const dataSchema = z.strictObject({
  file: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      "The problems, a row each: .jsonl, .json (a list), .csv or .tsv (cells between commas, semicolons or tabs) or .parquet; text in UTF-8 or UTF-16.",
    ),
  dataset: z
    .string()
    .refine(namesDataset, "must be OWNER/NAME")
    .exactOptional()
    .describe("In the place of file: OWNER/NAME of a data set of the Hugging Face hub, which is brought once, into datasets/."),
  config: z.string().min(1).exactOptional().describe("With dataset: which of its configurations (main of openai/gsm8k)."),
  split: z.string().min(1).exactOptional().describe("With dataset: the rows to train on (train)."),
  heldOut: z
    .string()
    .min(1)
    .exactOptional()
    .describe(
      "Problems to evaluate on: another file, or with dataset another split (test where there is one); else one in eight of the rows.",
    ),
  badRows: z
    .enum(["refuse", "leave-out"])
    .exactOptional()
    .describe(
      "What is done with rows that cannot be read, such as one without an answer: refuse the file and say which (refuse), or train without them and say which (leave-out).",
    ),
  question: column(
    `Column of what is asked: a text, or a list of messages with role and content (the first there of ${QUESTIONS.join(", ")}).`,
  ),
  answer: column(
    `Column of what is expected, a text or a number; dots go into an object (the first there of ${ANSWERS.join(", ")}; else the assistant's last turn, where the conversation that asks ends with it). Numbers stay as they are written.`,
  ),
  solution: column("Column of what a good answer says, for kind: supervised; the answer itself where left out."),
  documents: column("Column of a list of texts, which the tool search finds (documents)."),
  system: z.string().exactOptional().describe("What each conversation opens with."),
});
/** Files with absolute paths, and which columns count. */
type DataSource = z.output<typeof dataSchema>;

/** The name that a configuration's task has then. */
export const DATA_TASK = "data";

/** Reads what stands under "data"; paths are relative to the file that names them. */
export function dataSource(given: unknown, from: string): DataSource {
  const input = typeof given === "string" ? (namesDataset(given) ? { dataset: given } : { file: given }) : given;
  const edge = z.object({ data: dataSchema });
  const { data } = parseOrThrow(
    edge,
    { data: input },
    Object.keys(dataSchema.shape).map((key) => `data.${key}`),
  );
  const { file, dataset, config, split } = data;
  if (dataset !== undefined) {
    if (file !== undefined) throw new CommandError(`${from}: data must have file or dataset, not both`);
    if (data.heldOut === (split ?? SPLIT))
      throw new CommandError(`${from}: data.heldOut must be another split than data.split, got ${data.heldOut}`);
    return data;
  }
  if (file === undefined) throw new CommandError(`${from}: data must have file, or dataset for one of the hub`);
  if (config !== undefined || split !== undefined)
    throw new CommandError(`${from}: data.${config === undefined ? "split" : "config"} must stand beside dataset; a file has none`);
  const at = (path: string) => resolve(dirname(from), path);
  if (data.heldOut !== undefined && at(data.heldOut) === at(file))
    throw new CommandError(
      `data.heldOut must be another file than data.file, or be left out to hold one in eight out, got ${data.heldOut}`,
    );
  return { ...data, file: at(file), ...(data.heldOut === undefined ? {} : { heldOut: at(data.heldOut) }) };
}

/** What it comes to; a sentence about data is the command's own. */
async function complaining<T>(work: () => Promise<T> | T): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof DataError ? new CommandError(error.message) : error;
  }
}

/** All rows of a file. Throws a CommandError that names it where it cannot be read. */
async function readRows(path: string): Promise<FoundRows> {
  // A name that says no form is refused before anything is read.
  if (!DATA_ENDINGS.some((ending) => path.toLowerCase().endsWith(ending))) return complaining(() => rowsOf(path, new Uint8Array()));
  const bytes = new Uint8Array(await readFile(path).catch(failedFile("read", path)));
  return complaining(() => withinLimit(path, bytes.length, () => rowsOf(path, bytes)));
}

/** The problems of files, and what is to be said of their rows. */
async function problemsOf(files: readonly string[], source: DataSource, least: number) {
  const read: FoundRows[] = [];
  // One after another: each has its own time.
  for (const file of files) read.push(await readRows(file));
  const rows = read.flatMap((found) => found.rows);
  const bad = read.flatMap((found) => found.bad);
  const [name = "data"] = files;
  return complaining(() => {
    const taken = takenRows(name, rows, (row): PlacedProblem => ({ where: row.where, problem: problemOf(row, source) }));
    const all = { rows: taken.rows, bad: [...bad, ...taken.bad] };
    checkBad(all, source.badRows === "leave-out", "data.badRows: leave-out goes on without them");
    if (all.rows.length < least) throw new DataError(`${name} must have at least ${counted(least, "row")}, got ${all.rows.length}`);
    const { said } = repeatedProblems(all.rows);
    return { problems: all.rows.map(({ problem }) => problem), notes: [...saidOfBad(all.bad), ...(said === null ? [] : [said])] };
  });
}

/** The split of a data set that is trained on, and the one that is held out, where nothing else is said. */
const SPLIT = "train";
const HELD_OUT = "test";

/** The files of what is trained on and what is held out; null where that is a part of the first. */
async function filesOf({ file, dataset, config, split = SPLIT, heldOut }: DataSource) {
  if (dataset === undefined) return { train: [file!], heldOut: heldOut === undefined ? null : [heldOut] };
  const rows = { dataset, ...(config === undefined ? {} : { config }) };
  const train = (await datasetFiles({ ...rows, split }))!;
  const isTest = split === HELD_OUT && heldOut === undefined;
  return { train, heldOut: isTest ? null : await datasetFiles({ ...rows, split: heldOut ?? HELD_OUT }, heldOut === undefined) };
}

/** What a file gives a task. */
export interface OfFile extends Pick<ProblemTaskDefinition, "heldOut" | "system"> {
  readonly problems: readonly QuestionAnswer[];
}

/** The problems of a file, and what is to be said of its rows. */
interface LoadedProblems extends OfFile {
  readonly notes: readonly string[];
}

/** How many rows there are, which of those that are held out are trained on as well, and all that somebody should know of them. */
export function saidOfData({ problems, heldOut, notes }: LoadedProblems): {
  readonly rows: string;
  readonly overlap: string | null;
  readonly notes: readonly string[];
} {
  if (!heldOut) return { rows: `${problems.length} rows, ${heldOutOf(problems.length)} of them held out`, overlap: null, notes };
  const asked = new Set(problems.map(({ question }) => question));
  const shared = heldOut.filter(({ question }) => asked.has(question)).length;
  const overlap =
    shared === 0
      ? null
      : `${shared} of the ${heldOut.length} held-out questions are asked in training as well: accuracy on them is no accuracy on unseen ones`;
  const rows = `${problems.length} rows to train on, ${heldOut.length} held out`;
  return { rows, overlap, notes: overlap === null ? notes : [...notes, overlap] };
}

/** The problems of a data file. Throws a CommandError that names the row where one is wrong. */
export async function loadProblems(source: DataSource): Promise<LoadedProblems> {
  const { system } = source;
  const { train, heldOut } = await filesOf(source);
  const training = await problemsOf(train, source, heldOut === null ? 2 : 1);
  const evaluated = heldOut === null ? null : await problemsOf(heldOut, source, 1);
  return {
    problems: training.problems,
    ...(evaluated ? { heldOut: evaluated.problems } : {}),
    ...(system === undefined ? {} : { system }),
    notes: [...training.notes, ...(evaluated?.notes ?? [])],
  };
}

/** A task, and whether nobody says what its worked conversations of several turns say. */
export interface LoadedTask {
  readonly task: Task;
  readonly isSpeechless: boolean;
}

/** What a task takes of them. */
export const problemsAlone = ({ notes: _, ...given }: LoadedProblems): OfFile => given;

/** The task of a data file, with tools where some are named. */
export function dataTask(source: DataSource, given: OfFile, tools: readonly string[] = []): LoadedTask {
  const task = problemTask({
    id: DATA_TASK,
    title: "Questions of a file",
    summary: `Answers the questions of ${source.dataset ?? source.file}.`,
    ...(tools.length > 0 ? { tools } : {}),
    ...given,
  });
  return { task, isSpeechless: tools.length > 0 };
}
