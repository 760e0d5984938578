// What a configuration brings beside its fields, under "reward", "task" and "data": files, loaded as tasks and
// rewards of the host. A run's folder keeps where they lie, so that whoever opens it loads them again.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { RunConfigInput } from "../../protocol/config.ts";
import { readModelName } from "../../protocol/models/modelName.ts";
import { isRecord, parseOrThrow } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import type { Additions } from "../../train/host.ts";
import { CommandError, failedFile } from "../lab/exit.ts";
import { codeReference, codeReferenceSchema, namesCode } from "./codeFile.ts";
import { DATA_TASK, dataSchema, dataSource, dataTask, loadProblems, problemsAlone, saidOfData } from "./dataTask.ts";
import { withOwnFiles } from "./ownFiles.ts";
import { loadReward, withReward } from "./ownReward.ts";
import { loadTask } from "./ownTask.ts";
import { createTimeLimit } from "./timeLimit.ts";

/** Where they lie, as run.json keeps it. */
const namedSchema = z.object({
  reward: codeReferenceSchema.exactOptional(),
  ownTask: codeReferenceSchema.exactOptional(),
  data: dataSchema.exactOptional(),
  /** Names; which ones there are the task says. */
  tools: z.array(z.string().min(1)).min(1).exactOptional(),
  /** What a call of such code may take. */
  callSeconds: z.number().min(0.01).max(100).exactOptional(),
});
type NamedFiles = z.output<typeof namedSchema>;

/** Files that were named, and what they hold. */
export interface Loaded {
  readonly named: NamedFiles;
  readonly additions: Additions;
  /** Whether its task has several turns and nobody who speaks for the policy in worked conversations. */
  readonly isSpeechless: boolean;
  /** What is to be said of the problems of a file; null without one. */
  readonly data: ReturnType<typeof saidOfData> | null;
}

async function load(named: NamedFiles): Promise<Loaded | null> {
  if (Object.keys(named).length === 0) return null;
  const { ownTask, data, tools } = named;
  const limit = createTimeLimit(named.callSeconds);
  const found = data ? await loadProblems(data) : null;
  const given = found && problemsAlone(found);
  const own = ownTask
    ? await loadTask(ownTask, { limit, ...(given ? { data: given } : {}), ...(tools ? { tools } : {}) })
    : data && given
      ? dataTask(data, given, tools)
      : null;
  const rewardRules = named.reward ? [await loadReward(named.reward, limit)] : [];
  return {
    named,
    additions: { tasks: own ? [own.task] : [], rewardRules },
    isSpeechless: own?.isSpeechless === true,
    data: found && saidOfData(found),
  };
}

/** A transform that is named by its file, as the text in it: it is part of the configuration then, wherever that goes. */
async function withTransform(input: Readonly<Record<string, unknown>>, from: string): Promise<Readonly<Record<string, unknown>>> {
  const { rewardTransform } = input;
  if (typeof rewardTransform !== "string") return input;
  if (!/\.[cm]?[jt]s$/.test(rewardTransform))
    throw new CommandError(
      `${from}: rewardTransform must be a file, such as ./transform.mjs, or have a source, got ${JSON.stringify(rewardTransform)}`,
    );
  const path = resolve(dirname(from), rewardTransform);
  const source = await readFile(path, "utf8").catch(failedFile("read", path));
  return { ...input, rewardTransform: { source } };
}

/** A model that is named in the place of its kind (model: OWNER/NAME) as the checkpoint to begin with. */
function withModel(input: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { model } = input;
  if (typeof model !== "string" || !model.includes("/") || readModelName(model) === null) return input;
  return { startFrom: "checkpoint", ...input, model: "transformer", checkpoint: model };
}

/** The files of a configuration, and its fields with them in their places. @param from path of the configuration. */
export async function loadGiven(
  whole: Readonly<Record<string, unknown>>,
  from: string,
): Promise<{
  readonly input: RunConfigInput;
  readonly loaded: Loaded | null;
  /** Data that came in files, by its SHA-256. */
  readonly brought: ReadonlyMap<string, Uint8Array>;
}> {
  const { input: own, data: brought } = await withOwnFiles(whole, from);
  const { reward, data, tools, callSeconds, ...given } = own;
  const input = await withTransform(withModel(given), from);
  const isOwn = namesCode(input.task);
  if (typeof input.task === "string" && /\.[cm]?[jt]s$/.test(input.task))
    throw new CommandError(
      `${from}: task must be FILE.ts:NAME, such as ./tasks/mine.ts:task, or a file that the page saved of a task, got ${JSON.stringify(input.task)}`,
    );
  if (data !== undefined && !isOwn && input.task !== undefined && input.task !== DATA_TASK)
    throw new CommandError(
      `${from}: task must be left out beside data, or name a file and what it exports, such as ./mine.mjs:task, got ${JSON.stringify(input.task)}`,
    );
  if (tools !== undefined && data === undefined && !isOwn)
    throw new CommandError(`${from}: tools must stand beside data or a task of a file; tasks of the lab have their own`);
  if (callSeconds !== undefined && reward === undefined && !isOwn)
    throw new CommandError(`${from}: callSeconds must stand beside a reward or a task of a file, whose calls it limits`);
  const loaded = await load({
    ...(reward === undefined ? {} : { reward: codeReference("reward", reward, from) }),
    ...(isOwn ? { ownTask: codeReference("task", input.task, from) } : {}),
    ...(data === undefined ? {} : { data: dataSource(data, from) }),
    ...(tools === undefined ? {} : parseOrThrow(namedSchema.pick({ tools: true }), { tools }, ["tools"])),
    ...(callSeconds === undefined ? {} : parseOrThrow(namedSchema.pick({ callSeconds: true }), { callSeconds }, ["callSeconds"])),
  });
  const tasks = loaded?.additions.tasks ?? [];
  const fields = tasks[0] ? { ...input, task: tasks[0].entry.id } : input;
  const rule = loaded?.named.reward?.name;
  return { input: rule === undefined ? fields : withReward(fields, rule, tasks), loaded, brought };
}

/** The files that the facts of a run's folder name. */
export async function loadNamed(facts: unknown): Promise<Loaded | null> {
  return isRecord(facts) ? load(namedSchema.parse(facts)) : null;
}
