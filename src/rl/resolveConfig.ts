// From what a caller gave to the configuration of a run: fields' defaults, under the task's settings,
// under the algorithm's, under the caller's. Everything that is wrong is said at once, in sentences.

import type { AlgorithmEntry, TaskEntry } from "../protocol/catalog.ts";
import { migrateConfig } from "../protocol/config/migrations.ts";
import { serverProblems } from "../protocol/config/serverRules.ts";
import { type RunConfig, type RunConfigInput, runConfigSchema } from "../protocol/config.ts";
import { customEntries } from "../protocol/custom/customEntry.ts";
import { customTaskProblems } from "../protocol/custom/customTasks.ts";
import {
  InputError,
  isRecord,
  type Problem,
  parseOrThrow,
  problemsOf,
  showValue,
  unknownField,
  unknownName,
} from "../protocol/problems.ts";
import { z } from "../protocol/zod.ts";
import { usesCritic } from "./baselines/index.ts";
import { isKlOverRows, klEstimatorIds } from "./kl/index.ts";
import { nameProblems } from "./rewards/customReward.ts";
import { type CheckedRule, ruleProblems } from "./rewards/ruleProblems.ts";
import { surrogateOf } from "./surrogates/index.ts";

/** Only the names that decide which other settings apply. */
const choiceSchema = runConfigSchema.pick({ task: true, algorithm: true, customTasks: true });

/**
 * The full configuration of a run, from input of any version; without one it is of the present. Records (taskOptions,
 * rewardWeights and the like) are merged key by key.
 * @throws InputError naming every field that is unknown, out of range, or at odds with another.
 */
export function resolveConfig(
  input: unknown,
  tasks: readonly TaskEntry[],
  algorithms: readonly AlgorithmEntry[],
  rules: readonly CheckedRule[],
): RunConfig {
  if (!isRecord(input)) {
    throw new InputError([{ field: "", message: `configuration must be an object, got ${showValue(input)}` }]);
  }
  const unnamed = prototypeFields(input);
  if (unnamed.length > 0) throw new InputError(unnamed.map((field) => ({ field, message: unknownField(field, []) })));
  const given = migrateConfig(input) as RunConfigInput;
  const { customTasks } = given;
  const chosen = parseOrThrow(choiceSchema, { task: given.task, algorithm: given.algorithm, customTasks });
  const registered = tasks.filter(({ isCustom }) => !isCustom);
  const task = find("task", chosen.task, [...registered, ...customEntries(chosen.customTasks)]);
  // The schema fills in its default, which the task's own choice comes before.
  const taskAlgorithm = given.algorithm === undefined ? task.config.algorithm : undefined;
  const algorithm = find("algorithm", taskAlgorithm ?? chosen.algorithm, algorithms);
  const layers = [task.config, algorithm.config, given];
  const merged = {
    ...Object.assign({}, ...layers),
    task: task.id,
    algorithm: algorithm.id,
    ...Object.fromEntries(RECORDS.map((key) => [key, mergeRecords(layers.map((layer) => layer[key]))])),
  };
  const parsed = runConfigSchema.safeParse(merged);
  if (!parsed.success) throw new InputError(problemsOf(parsed.error, merged, runConfigSchema.keyof().options));
  const ids = registered.map(({ id }) => id);
  const problems = [...customTaskProblems(parsed.data.customTasks, ids), ...crossProblems(parsed.data, task, rules)];
  if (problems.length > 0) throw new InputError(problems);
  return parsed.data;
}

/** Fields that are records, to whose entries each layer adds. */
const RECORDS = runConfigSchema.keyof().options.filter((key) => runConfigSchema.shape[key].unwrap() instanceof z.ZodRecord);

/** So deep lie the settings of a change. */
const DEEPEST = 4;

/** Fields that only JSON can have and that every copy would lose without a word, by their dotted names. */
function prototypeFields(value: unknown, path: readonly string[] = []): readonly string[] {
  if (typeof value !== "object" || value === null || path.length === DEEPEST) return [];
  return Object.entries(value).flatMap(([key, entry]) =>
    key === "__proto__" ? [[...path, key].join(".")] : prototypeFields(entry, [...path, key]),
  );
}

function find<T extends { readonly id: string }>(field: "task" | "algorithm", id: string, entries: readonly T[]): T {
  const entry = entries.find((candidate) => candidate.id === id);
  if (entry) return entry;
  const known = entries.map((candidate) => candidate.id);
  throw new InputError([{ field, message: unknownName(field, id, known) }]);
}

/** Later records win key by key; anything that is not a record is passed on for the schema to refuse. */
function mergeRecords(records: readonly unknown[]): unknown {
  const merged: Record<string, unknown> = {};
  for (const record of records) {
    if (record === undefined) continue;
    if (!isRecord(record)) return record;
    Object.assign(merged, record);
  }
  return merged;
}

/** Rules that bind several fields of one configuration. */
function crossProblems(config: RunConfig, task: TaskEntry, rules: readonly CheckedRule[]): readonly Problem[] {
  return [
    ...shapeProblems(config),
    ...adapterProblems(config),
    ...objectiveProblems(config),
    ...rewardProblems(config, task, rules),
    ...serverProblems(config),
  ];
}

function shapeProblems(config: RunConfig): readonly Problem[] {
  if (config.model === "tabular" || config.startFrom === "checkpoint") return [];
  const problems: Problem[] = [];
  const { hiddenSize, heads, kvHeads } = config;
  if (hiddenSize % heads !== 0) problems.push(wrong("heads", `must divide hiddenSize ${hiddenSize}`, heads));
  else if ((hiddenSize / heads) % 2 !== 0) {
    problems.push(
      wrong("heads", `must leave an even head size (hiddenSize ${hiddenSize} / heads)`, `${heads}, a head size of ${hiddenSize / heads}`),
    );
  }
  if (heads % kvHeads !== 0) problems.push(wrong("kvHeads", `must divide heads ${heads}`, kvHeads));
  return problems;
}

function adapterProblems({ model, loraRank, startFrom, referenceSyncEvery, referenceMix }: RunConfig): readonly Problem[] {
  if (model === "tabular" || loraRank === 0) return [];
  return [
    ...(startFrom === "run" ? [wrong("loraRank", 'must be 0 with startFrom "run" (a save keeps no base)', loraRank)] : []),
    ...(referenceSyncEvery > 0 && referenceMix < 1
      ? [wrong("referenceMix", "must be 1 with loraRank > 0 (adapters do not mix)", referenceMix)]
      : []),
  ];
}

function objectiveProblems(config: RunConfig): readonly Problem[] {
  if (config.kind === "supervised") return [];
  const { klCoef, klTarget, advantageBaseline, warmupSteps, steps } = config;
  const needsRows = (klCoef > 0 || klTarget > 0) && isKlOverRows(config);
  const estimators = `must be one of ${klEstimatorIds({ isOverRows: false })
    .map((id) => showValue(id))
    .join(", ")} with`;
  const rules: readonly (readonly [isBroken: boolean, field: keyof RunConfig, rule: string])[] = [
    ...(surrogateOf(config).rules?.(config) ?? []),
    [needsRows && config.model === "transformer", "klEstimator", `${estimators} model "transformer"`],
    [needsRows && config.klPlacement === "reward", "klEstimator", `${estimators} klPlacement "reward"`],
    [klTarget > 0 && klCoef === 0, "klCoef", "must be > 0 with klTarget (the controller multiplies it)"],
    [usesCritic(config) && config.model === "tabular", "advantageBaseline", `must not be "${advantageBaseline}" with model "tabular"`],
    [warmupSteps > 0 && steps > 0 && warmupSteps >= steps, "warmupSteps", `must be < steps ${steps}`],
  ];
  return rules.flatMap(([isBroken, field, rule]) => (isBroken ? [wrong(field, rule, config[field])] : []));
}

function rewardProblems(config: RunConfig, task: TaskEntry, rules: readonly CheckedRule[]): readonly Problem[] {
  const ofTask = task.rewards.map((reward) => reward.name);
  const taken = [...ofTask, ...rules.map(({ name }) => name)];
  const own = Object.keys(config.customRewards);
  const names = [...ofTask, ...Object.keys(config.rewardRules), ...own, ...Object.keys(config.judges)];
  const unknown = (field: "rewardWeights" | "rewardGates") =>
    Object.keys(config[field])
      .filter((name) => !names.includes(name))
      .map((name) => ({
        field: `${field}.${name}`,
        message: `${field} must name rewards of the task ${task.id} (${names.join(", ")}), got ${showValue(name)}`,
      }));
  // Without answers, an environment or a rule nothing says what is better.
  const hasReward = !task.isCustom || names.some((name) => config.rewardWeights[name] !== 0 && name !== "unfinished");
  const rewardless = `customTasks.${task.id} must have answers, an environment, or a reward beside it: nothing says which answer is better`;
  const { trueAnswer = 0 } = config.rewardWeights;
  const trained = trueAnswer === 0 ? [] : [wrong("rewardWeights.trueAnswer", "must be 0 (it is a metric only)", trueAnswer)];
  return [
    ...ruleProblems(config.rewardRules, rules),
    ...nameProblems("customRewards", own, taken),
    ...nameProblems("judges", Object.keys(config.judges), [...taken, ...own]),
    ...unknown("rewardWeights"),
    ...unknown("rewardGates"),
    ...trained,
    ...(hasReward || config.kind === "supervised" ? [] : [{ field: `customTasks.${task.id}`, message: rewardless }]),
  ];
}

function wrong(field: string, rule: string, value: unknown): Problem {
  return { field, message: `${field} ${rule}, got ${typeof value === "string" ? value : showValue(value)}` };
}
