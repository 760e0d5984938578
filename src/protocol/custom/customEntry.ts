// Tasks of a configuration as the catalog lists those of the registry, so that what is known of tasks is the session's.
import type { TaskEntry } from "../catalog.ts";
import type { CustomTask } from "./customTasks.ts";

type Rewards = TaskEntry["rewards"];

const EARNED = {
  name: "earned",
  title: "Earned",
  weight: 1,
  help: "What the environment gave, all turns together.",
  paysAnswers: true,
} as const;
const ANSWER = { name: "answer", title: "Answer", help: "1 where the last message comes to the answer.", paysAnswers: true } as const;
const FAILED_CALLS = {
  name: "toolErrors",
  title: "Failed calls",
  weight: -0.1,
  help: "How many tool calls failed: malformed, unknown, with wrong arguments, or beyond the limit.",
};
const UNFINISHED = {
  name: "unfinished",
  title: "Unfinished",
  weight: 0,
  help: "1 where a limit of turns, calls or tokens ended the conversation.",
};

/** The parts of a custom task's reward, as far as its problems and its environment give any. */
function rewardsOf({ problems, data, environment }: Pick<CustomTask, "problems" | "data" | "environment">): Rewards {
  const hasAnswers = data ? data.answers > 0 : problems.some(({ answer }) => answer !== "");
  return [
    ...(environment ? [EARNED] : []),
    ...(hasAnswers || environment ? [{ ...ANSWER, weight: environment ? 0 : 1 }] : []),
    ...(environment ? [FAILED_CALLS, UNFINISHED] : []),
  ];
}

/** A custom task as the catalog lists it. */
export function customEntry(name: string, task: CustomTask): TaskEntry {
  const severalTurns = task.environment !== undefined && task.environment.turns > 1;
  return {
    id: name,
    title: task.title ?? name,
    summary: "A custom task, which the configuration holds.",
    isCustom: true,
    facts: { fixedLength: false, severalTurns, severalAgents: false },
    fields: [],
    rewards: rewardsOf(task),
    config: { task: name, model: "transformer", ...(severalTurns ? { maxCompletionTokens: 32 } : {}) },
  };
}

/** The entries of a configuration's own tasks. */
export function customEntries(tasks: Readonly<Record<string, CustomTask>>): readonly TaskEntry[] {
  return Object.entries(tasks).map(([name, task]) => customEntry(name, task));
}
