// The problems of a custom task: those that its configuration holds, those of content that is kept elsewhere,
// which are lines of JSON named by their SHA-256, or those that its environment draws.
import type { CustomTask, OwnProblem } from "../../../protocol/custom/customTasks.ts";
import { errorText, showValue } from "../../../protocol/problems.ts";
import { readProblem, readProblemLines } from "./problemLines.ts";
import { jobOf } from "./sandboxEnv.ts";
import type { TaskWorld } from "./world.ts";

/** So many problems an environment draws for a run; those that ask the same are one. */
const DRAWN = 2000;

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
