// Tasks that somebody wrote, in a file that a configuration names in the place of a task. What is exported is a
// definition as problemTask takes it, plain data and functions, or a whole task of defineTask.
import { type ProblemTaskDefinition, problemTask } from "../../library/problemTask.ts";
import { isRecord, showValue } from "../../protocol/problems.ts";
import type { Task } from "../../rl/tasks/task.ts";
import { catalog } from "../../train/catalog.ts";
import { CommandError } from "../lab/exit.ts";
import { type CodeReference, loadExport } from "./codeFile.ts";
import type { LoadedTask, OfFile } from "./dataTask.ts";
import { timedTask } from "./timedTask.ts";
import type { TimeLimit } from "./timeLimit.ts";

/** What a configuration gives a custom task. */
interface GivenToTask {
  readonly limit: TimeLimit;
  /** Of a data file: in the place of its problems, through its function fromData where it has one. */
  readonly data?: OfFile;
  /** Names, beside its own. */
  readonly tools?: readonly string[];
}

/** What is wrong with a definition, as half a sentence; null where nothing is. */
function problemWith(given: Readonly<Record<string, unknown>>): string | null {
  const { id, problems } = given;
  if (typeof id !== "string" || id === "") return `must have an id, a text, got ${showValue(id)}`;
  if (catalog.tasks.some((task) => task.id === id)) return `must have another id than ${id}, which the lab has`;
  for (const name of ["env", "score", "success", "speaker"] as const)
    if (given[name] !== undefined && typeof given[name] !== "function") return `${name} must be a function, got ${showValue(given[name])}`;
  if (typeof problems === "function") return null;
  if (!Array.isArray(problems))
    return `must have problems, a list or a function (or data in the configuration), got ${showValue(problems)}`;
  const wrong = problems.findIndex((each) => !isRecord(each) || typeof each.question !== "string" || typeof each.answer !== "string");
  return wrong < 0 ? null : `problems[${wrong}] must have a question and an answer, two texts, got ${showValue(problems[wrong])}`;
}

/** Its own tools and those of the configuration. */
function withTools(own: unknown, named: readonly string[]): { readonly tools?: unknown } {
  return named.length === 0 ? {} : { tools: [...(Array.isArray(own) ? own : []), ...named] };
}

/** The task. Throws a CommandError that says what the file must export. */
export async function loadTask(reference: CodeReference, { limit, data, tools = [] }: GivenToTask): Promise<LoadedTask> {
  const { fromData, ...own } = (await loadExport(reference, "object")) as Readonly<Record<string, unknown>>;
  if (isRecord(own.entry) && typeof own.create === "function") {
    if (data || tools.length > 0)
      throw new CommandError(`${reference.path}: ${reference.name} must be a definition to take data or tools, got a whole task`);
    return { task: timedTask(own as unknown as Task, limit), isSpeechless: false };
  }
  if (fromData !== undefined && typeof fromData !== "function")
    throw new CommandError(`${reference.path}: ${reference.name} fromData must be a function, got ${showValue(fromData)}`);
  const problems = data ? (fromData ? await fromData(data.problems) : data.problems) : own.problems;
  const found = { ...own, ...data, ...(problems === undefined ? {} : { problems }), ...withTools(own.tools, tools) };
  const problem = problemWith(found);
  if (problem) throw new CommandError(`${reference.path}: ${reference.name} ${problem}`);
  const definition = found as unknown as ProblemTaskDefinition;
  const { tools: its = [], maxTurns = 1, speaker } = definition;
  return { task: timedTask(problemTask(definition), limit), isSpeechless: !speaker && (its.length > 0 || maxTurns > 1) };
}
