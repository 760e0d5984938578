// The registry of tasks: one line each.
import { boxedArithmetic } from "./boxedArithmetic.ts";
import { digitSum } from "./digitSum.ts";
import type { Task } from "./task.ts";

export const tasks: readonly Task[] = [digitSum, boxedArithmetic];
