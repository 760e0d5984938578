// Rewards that somebody wrote, in a JavaScript or TypeScript file that a configuration names with the function
// that it exports. The function becomes the reward of the run; the task's own parts stay
// as metrics, with weight 0 unless the configuration weighs them.
import { dirname, isAbsolute, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type Judged, judgedOf } from "../../library/judged.ts";
import type { RunConfigInput } from "../../protocol/config.ts";
import { isRecord, showValue } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { rewardRules } from "../../rl/rewards/library/index.ts";
import type { LibraryRule } from "../../rl/rewards/library/libraryRule.ts";
import { catalog } from "../../train/catalog.ts";
import type { Additions } from "../../train/host.ts";
import { CommandError } from "../lab/exit.ts";

type RewardFunction = (judged: Judged) => unknown;

/** A file and the name of what it exports. */
export interface CodeReference {
  /** Absolute. */
  readonly path: string;
  readonly name: string;
}

/** Reads the path of a file, a colon and a name; paths are relative to the file that names them. */
export function codeReference(text: unknown, from: string): CodeReference {
  const match = typeof text === "string" ? /^(.+\.[cm]?[jt]s):([A-Za-z_$][\w$]*)$/.exec(text) : null;
  if (!match) throw new CommandError(`reward must be FILE.ts:NAME, such as ./rewards/mine.ts:reward, got ${showValue(text)}`);
  const [, file = "", name = ""] = match;
  return { path: isAbsolute(file) ? file : resolve(dirname(from), file), name };
}

async function loadModule(path: string): Promise<unknown> {
  if (!path.endsWith("ts")) return import(/* @vite-ignore */ pathToFileURL(path).href);
  // Node 20 cannot read types; the bundler that is here anyway can.
  const { runnerImport } = await import("vite");
  const { module } = await runnerImport<unknown>(path, { configFile: false, logLevel: "silent" });
  return module;
}

async function loadFunction({ path, name }: CodeReference): Promise<RewardFunction> {
  let loaded: unknown;
  try {
    loaded = await loadModule(path);
  } catch (error) {
    const [reason] = (error instanceof Error ? error.message : String(error)).split("\n");
    throw new CommandError(`${path} cannot be loaded: ${reason}`);
  }
  const found: unknown = (loaded as Readonly<Record<string, unknown>>)[name];
  if (typeof found === "function") return found as RewardFunction;
  const exported = Object.keys(loaded as object).filter((key) => typeof (loaded as Readonly<Record<string, unknown>>)[key] === "function");
  throw new CommandError(`${path} exports no function ${name}${exported.length > 0 ? `; it exports ${exported.join(", ")}` : ""}`);
}

/** The reward as a rule without settings. Throws a CommandError where its name is taken. */
export async function loadReward(reference: CodeReference): Promise<LibraryRule> {
  const { path, name } = reference;
  const score = await loadFunction(reference);
  if (rewardRules.some((rule) => rule.name === name))
    throw new CommandError(`${path}: the reward must have another name than ${name}, which the library has`);
  const entry = { name, title: name, help: `Of ${path}.`, weight: 1 };
  return {
    ...entry,
    settingsSchema: z.strictObject({}),
    fields: [],
    part: () => ({
      ...entry,
      score(example, trajectory) {
        let value: unknown;
        try {
          value = score(judgedOf(example, trajectory));
        } catch (error) {
          throw new Error(`${path}: ${name} threw ${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`);
        }
        if (value === null || (typeof value === "number" && Number.isFinite(value))) return value;
        throw new Error(`${path}: ${name} must return a number, or null where it cannot judge, got ${showValue(value)}`);
      },
    }),
  };
}

/** A configuration in which that reward counts and the task's own parts are metrics. */
export function withReward(input: RunConfigInput, name: string): RunConfigInput {
  const own = catalog.tasks.find(({ id }) => id === (input.task ?? "digit-sum"))?.rewards ?? [];
  const metrics = Object.fromEntries(own.map((part) => [part.name, 0]));
  return {
    ...input,
    rewardRules: { ...input.rewardRules, [name]: {} },
    rewardWeights: { ...metrics, [name]: 1, ...input.rewardWeights },
  };
}

/** The rewards that the facts of a run's folder name. */
export async function loadNamed(facts: unknown): Promise<Additions | null> {
  const reward = isRecord(facts) ? facts.reward : undefined;
  if (!isRecord(reward) || typeof reward.path !== "string" || typeof reward.name !== "string") return null;
  return { rewardRules: [await loadReward({ path: reward.path, name: reward.name })] };
}
