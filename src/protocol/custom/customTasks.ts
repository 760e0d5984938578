// Custom tasks as data in a configuration: their problems, or which content holds them, and the code of an
// environment as text. Links, saves, forks and files carry them as they carry every other setting.

import { declare } from "../config/field.ts";
import { isRecord, type Problem, showValue } from "../problems.ts";
import { z } from "../zod.ts";

/** The version of the contract between code and lab that is written today: what its functions are handed and what they return. */
const TASK_CONTRACT = 1;

const LONGEST_TEXT = 20_000;
/** Problems that stand in the configuration itself; more lie elsewhere, by their content. */
export const MOST_INLINE = 500;

const messageSchema = z.strictObject({ role: z.enum(["system", "user", "assistant"]), content: z.string().max(LONGEST_TEXT) });

export const ownProblemSchema = z.strictObject({
  question: z.string().min(1).max(LONGEST_TEXT),
  answer: z.string().max(LONGEST_TEXT).default(""),
  /** What a good answer says, for supervised training; the answer where left out. */
  solution: z.string().min(1).max(LONGEST_TEXT).exactOptional(),
  /** The whole opening, where it is more than the system's message and the question. */
  messages: z.array(messageSchema).min(1).max(32).exactOptional(),
  /** What the tool "search" finds. */
  documents: z.array(z.string().max(LONGEST_TEXT)).max(200).exactOptional(),
  /** Asked in evaluations alone; where no problem says so, one in eight is, at least eight of 32 or more. */
  heldOut: z.literal(true).exactOptional(),
});

const dataSchema = z.strictObject({
  /** Of the problems as lines of JSON, in hexadecimal digits. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/, "must be 64 hexadecimal digits"),
  /** What people call it, such as the name of the file it came from. */
  name: z.string().min(1).max(120),
  rows: z.int().min(1).max(1_000_000),
  /** How many of them have an answer. */
  answers: z.int().min(0).max(1_000_000),
});

const environmentSchema = z.strictObject({
  /** A module of TypeScript or JavaScript that exports some of draw, start, tools and step. */
  source: z.string().min(1).max(LONGEST_TEXT),
  options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])).default({}),
  /** About so many milliseconds of a usual machine a call may compute. */
  workMs: z.int().min(1).max(1000).default(50),
  /** Most turns of the policy in one conversation, and most calls of tools. */
  turns: z.int().min(1).max(32).default(4),
  calls: z.int().min(0).max(64).default(3),
  /** Whether the system's turn describes the tools. */
  announceTools: z.boolean().default(true),
});

export const customTaskSchema = z.strictObject({
  contract: z.literal(TASK_CONTRACT).default(TASK_CONTRACT),
  title: z.string().min(1).max(60).exactOptional(),
  /** What each conversation opens with. */
  system: z.string().max(4000).default(""),
  problems: z.array(ownProblemSchema).max(MOST_INLINE).default([]),
  /** In place of `problems`: content that is kept elsewhere. */
  data: dataSchema.exactOptional(),
  environment: environmentSchema.exactOptional(),
  /** Where neither answers nor an environment say what is right: the total reward from which on a conversation is. */
  solvedFrom: z.number().min(-1e9).max(1e9).default(1),
});

/** By name. */
export const customTasksField = declare(
  z.record(z.string(), customTaskSchema).default({}),
  "Tasks of your own",
  "By name: problems, or which content holds them, and the code of an environment; task names the one that is trained.",
  { fixed: true, inReward: true },
);

export type CustomTask = z.output<typeof customTaskSchema>;
export type CustomTaskInput = z.input<typeof customTaskSchema>;
export type OwnProblem = z.output<typeof ownProblemSchema>;
export type OwnData = z.output<typeof dataSchema>;
export type CustomEnvironment = z.output<typeof environmentSchema>;

/** Names of custom tasks. */
export const TASK_NAME = /^[a-z][A-Za-z0-9-]{0,39}$/;

/** Those of a draft's own tasks that can be read, unchecked beyond their form. */
export function readCustomTasks(given: Readonly<Record<string, unknown>>): Readonly<Record<string, CustomTask>> {
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, task]) => {
      const read = customTaskSchema.safeParse(task);
      return read.success ? [[name, read.data]] : [];
    }),
  );
}

/** What is wrong with a configuration's own tasks beside their form. @param taken ids of the registry. */
export function customTaskProblems(tasks: Readonly<Record<string, CustomTask>>, taken: readonly string[]): readonly Problem[] {
  return Object.entries(tasks).flatMap(([name, { problems, data, environment }]) => {
    const field = `customTasks.${name}`;
    const wrong = (message: string) => [{ field, message }];
    if (!TASK_NAME.test(name))
      return wrong(`customTasks must be named by a small letter and then letters, digits or hyphens, 40 at most, got ${showValue(name)}`);
    if (taken.includes(name)) return wrong(`${field} must have another name: a task has that one already`);
    if (data && problems.length > 0) return wrong(`${field} must have problems or data, got both`);
    if (!data && problems.length === 0 && !environment)
      return wrong(`${field} must have problems, data, or an environment that draws them`);
    return [];
  });
}

/** The code that a configuration's task brings, unchecked. */
export function environmentCode({ task, customTasks }: { readonly task?: unknown; readonly customTasks?: unknown }): readonly {
  readonly name: string;
  readonly field: string;
  readonly source: string;
}[] {
  if (typeof task !== "string" || !isRecord(customTasks) || !Object.hasOwn(customTasks, task)) return [];
  const own = customTasks[task];
  const environment = isRecord(own) && isRecord(own.environment) ? own.environment : {};
  const { source } = environment;
  return typeof source === "string" ? [{ name: task, field: `customTasks.${task}.environment`, source }] : [];
}
