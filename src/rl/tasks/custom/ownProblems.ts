// The problems of a task of somebody's own: those that its configuration holds, those of content that is kept elsewhere,
// which are lines of JSON named by their SHA-256, or those that its environment draws.
import type { CustomTask, OwnProblem } from "../../../protocol/custom/customTasks.ts";
import { errorText, isRecord, showValue } from "../../../protocol/problems.ts";
import { messagesRead } from "../../tools/chatMessages.ts";
import { jobOf } from "./sandboxEnv.ts";
import type { TaskWorld } from "./world.ts";

/** So many problems an environment draws for a run; those that ask the same are one. */
const DRAWN = 2000;
const LONGEST_TEXT = 20_000;

/** The problems of a content's lines. Throws a sentence that names the line. */
export function readProblemLines(text: string, name: string): readonly OwnProblem[] {
  return text.split("\n").flatMap((line, i) => {
    if (line === "") return [];
    const where = `${name}, row ${i + 1}`;
    let found: unknown;
    try {
      found = JSON.parse(line);
    } catch {
      throw new Error(`${where}: is not JSON`);
    }
    return [readProblem(found, where)];
  });
}

/** A problem from outside. Throws a sentence. @param where what stands before it. */
export function readProblem(found: unknown, where: string): OwnProblem {
  if (!isRecord(found)) throw new Error(`${where}: must be an object, got ${showValue(found)}`);
  const { question, answer = "", solution, messages, documents, heldOut } = found;
  const text = (what: string, value: unknown): string => {
    if (typeof value !== "string" || value.length > LONGEST_TEXT)
      throw new Error(`${where}: ${what} must be a text of at most ${LONGEST_TEXT} characters, got ${showValue(value)}`);
    return value;
  };
  if (question === "") throw new Error(`${where}: question must not be empty`);
  if (documents !== undefined && !(Array.isArray(documents) && documents.every((each) => typeof each === "string")))
    throw new Error(`${where}: documents must be a list of texts, got ${showValue(documents)}`);
  return {
    question: text("question", question),
    answer: text("answer", answer),
    ...(solution === undefined ? {} : { solution: text("solution", solution) }),
    ...(Array.isArray(messages) ? { messages: messagesRead(messages, `${where}: messages`) as NonNullable<OwnProblem["messages"]> } : {}),
    ...(documents === undefined ? {} : { documents }),
    ...(heldOut === true ? { heldOut: true } : {}),
  };
}

async function drawnProblems(name: string, { environment }: CustomTask, { sandbox }: TaskWorld): Promise<readonly OwnProblem[]> {
  if (!environment || !sandbox) throw new Error(`customTasks.${name} needs a sandbox for its environment, and there is none here`);
  const problems = new Map<string, OwnProblem>();
  // One first: where that goes wrong all others would.
  for (const [from, to] of [
    [0, 1],
    [1, DRAWN],
  ] as const) {
    const inputs = Array.from({ length: to - from }, (_, i) => ({ value: '{"does":"draw"}', seed: from + i }));
    for (const answer of await sandbox.runFramed({ job: jobOf(environment), inputs })) {
      if (!("json" in answer)) throw new Error(`customTasks.${name}: draw ${answer.reason}`);
      const problem = readProblem(JSON.parse(answer.json), `customTasks.${name}: what draw returns`);
      problems.set(problem.question, problem);
    }
  }
  return [...problems.values()];
}

async function keptProblems(name: string, data: NonNullable<CustomTask["data"]>, { contents }: TaskWorld): Promise<readonly OwnProblem[]> {
  const bytes = await contents?.read(data.sha256).catch((error) => {
    throw new Error(`customTasks.${name}: ${data.name} cannot be read: ${errorText(error)}`);
  });
  if (!bytes)
    throw new Error(
      `customTasks.${name}: the data ${showValue(data.name)} is not kept here: bring its file again, or a run's file that holds it (SHA-256 ${data.sha256.slice(0, 12)})`,
    );
  return readProblemLines(new TextDecoder().decode(bytes), data.name);
}

/** All problems of a task. Throws a sentence where they cannot be had. */
export async function problemsOf(name: string, task: CustomTask, world: TaskWorld): Promise<readonly OwnProblem[]> {
  if (task.data) return keptProblems(name, task.data, world);
  return task.problems.length > 0 ? task.problems : drawnProblems(name, task, world);
}
