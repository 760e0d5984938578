// The registry of tasks: one line each.
import { boxedArithmetic } from "./boxedArithmetic.ts";
import { digitSum } from "./digitSum.ts";
import type { Task } from "./task.ts";

export const tasks: readonly Task[] = [digitSum, boxedArithmetic];

/** The task with this id; throws a sentence that lists the choices. */
export function taskById(id: string): Task {
  const task = tasks.find((candidate) => candidate.entry.id === id);
  if (!task) throw new Error(`unknown task ${JSON.stringify(id)}, choose from ${tasks.map((each) => each.entry.id).join(", ")}`);
  return task;
}
