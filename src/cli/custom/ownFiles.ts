// Files that the page saves of a reward or a task, named in a configuration: by their paths under reward and task. What they hold becomes
// part of the configuration, as on the page, so that both compute the same bits and the run's folder holds all of it.
import { readFile } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { RunConfigInput } from "../../protocol/config.ts";
import { customEntries } from "../../protocol/custom/customEntry.ts";
import { readCustomTasks } from "../../protocol/custom/customTasks.ts";
import { isOwnFile, readOwnFile } from "../../protocol/custom/ownFile.ts";
import { dataOf, type OwnThing } from "../../protocol/custom/ownThings.ts";
import { errorText, isRecord } from "../../protocol/problems.ts";
import { CommandError } from "../lab/exit.ts";
import { withMetrics } from "./ownReward.ts";

/** Such files, with or without the name of what they export. */
const FORM = /^(.+\.[cm]?[jt]s)(?::[A-Za-z_$][\w$]*)?$/;

interface Opened {
  readonly thing: OwnThing;
  readonly data: string | null;
}

/** The thing in a file that a configuration names; null where the file is other code, or no file is named. Throws a CommandError. */
async function openedFile(given: unknown, kind: "reward" | "task", from: string): Promise<Opened | null> {
  const [, file] = typeof given === "string" ? (FORM.exec(given) ?? []) : [];
  if (file === undefined) return null;
  const path = resolve(dirname(from), file);
  const text = await readFile(path, "utf8").catch(() => null);
  // What is missing, and what is other code, the loader of code tells.
  if (text === null || !isOwnFile(text)) return null;
  try {
    const read = readOwnFile(text)!;
    if (read.thing.kind !== kind) throw new Error(`it holds a ${read.thing.kind}, and ${kind} must name a ${kind}`);
    return read;
  } catch (error) {
    throw new CommandError(`${path}: ${errorText(error)}`);
  }
}

/** A configuration with what such files hold in their places, and the data that came with them by its SHA-256. */
export async function withOwnFiles(
  given: Readonly<Record<string, unknown>>,
  from: string,
): Promise<{ readonly input: Readonly<Record<string, unknown>>; readonly data: ReadonlyMap<string, Uint8Array> }> {
  const reward = await openedFile(given.reward, "reward", from);
  const task = await openedFile(given.task, "task", from);
  let input = given;
  if (task) {
    const others = isRecord(input.customTasks) ? input.customTasks : {};
    input = { ...input, task: task.thing.name, customTasks: { ...others, [task.thing.name]: task.thing.content } };
  }
  if (reward) {
    const { reward: _, ...rest } = input;
    const { name, content } = reward.thing;
    const others = isRecord(rest.customRewards) ? rest.customRewards : {};
    const own = customEntries(readCustomTasks(isRecord(rest.customTasks) ? rest.customTasks : {}));
    input = withMetrics({ ...(rest as RunConfigInput), customRewards: { ...others, [name]: content } as never }, name, own);
  }
  const sha256 = task && dataOf(task.thing)?.sha256;
  return { input, data: new Map(sha256 && task.data !== null ? [[sha256, new TextEncoder().encode(task.data)]] : []) };
}
