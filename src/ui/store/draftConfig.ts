// From a preset and the user's edits to a checked configuration, with the same layers and the same
// sentences as the engine: schema defaults < task < algorithm < preset < edits. Pure functions.
import type { Catalog, PresetEntry } from "../../protocol/catalog.ts";
import { type RunConfig, type RunConfigInput, type RunConfigKey, runConfigSchema } from "../../protocol/config.ts";
import { type Problem, problemsOf, showValue } from "../../protocol/problems.ts";

export interface Draft {
  /** Id of the preset that is edited. */
  readonly presetId: string;
  /** Only what the user set. */
  readonly edits: RunConfigInput;
}

export interface ResolvedDraft {
  /** What is sent to the engine. */
  readonly input: RunConfigInput;
  /** The full configuration, or null while something is wrong with it. */
  readonly config: RunConfig | null;
  /** Values to show, whether or not they are allowed. */
  readonly shown: RunConfigInput;
  readonly problems: readonly Problem[];
}

/** The preset of that id, or the first one. */
export function presetOf(catalog: Catalog, id: string): PresetEntry {
  const preset = catalog.presets.find((entry) => entry.id === id) ?? catalog.presets[0];
  if (!preset) throw new Error("internal: the catalog has no presets");
  return preset;
}

function unknownId(field: string, id: string, choices: readonly { readonly id: string }[]): Problem {
  return { field, message: `${field} must be one of ${choices.map((entry) => showValue(entry.id)).join(", ")}, got ${showValue(id)}` };
}

/** Resolves a configuration as the engine does; problems name the field, the rule and the value. */
export function resolveInput(catalog: Catalog, input: RunConfigInput): Omit<ResolvedDraft, "input"> {
  const defaults = runConfigSchema.parse({});
  const taskId = input.task ?? defaults.task;
  const task = catalog.tasks.find((entry) => entry.id === taskId);
  const algorithmId = input.algorithm ?? task?.config.algorithm ?? defaults.algorithm;
  const algorithm = catalog.algorithms.find((entry) => entry.id === algorithmId);
  const layered = { ...task?.config, ...algorithm?.config, ...input, task: taskId, algorithm: algorithmId };
  const problems: Problem[] = [];
  if (!task) problems.push(unknownId("task", taskId, catalog.tasks));
  if (!algorithm) problems.push(unknownId("algorithm", algorithmId, catalog.algorithms));
  const parsed = runConfigSchema.safeParse(layered);
  if (!parsed.success) problems.push(...problemsOf(parsed.error, layered));
  return { config: parsed.success && problems.length === 0 ? parsed.data : null, shown: { ...defaults, ...layered }, problems };
}

/** The draft's configuration. */
export function resolveDraft(catalog: Catalog, draft: Draft): ResolvedDraft {
  const preset = presetOf(catalog, draft.presetId).config;
  const input: RunConfigInput = {
    ...preset,
    ...draft.edits,
    ...(preset.taskOptions || draft.edits.taskOptions ? { taskOptions: { ...preset.taskOptions, ...draft.edits.taskOptions } } : {}),
    ...(preset.rewardWeights || draft.edits.rewardWeights
      ? { rewardWeights: { ...preset.rewardWeights, ...draft.edits.rewardWeights } }
      : {}),
  };
  return { input, ...resolveInput(catalog, input) };
}

function without(edits: RunConfigInput, keys: readonly string[]): RunConfigInput {
  return Object.fromEntries(Object.entries(edits).filter(([key]) => !keys.includes(key)));
}

/**
 * Edits after one field was set. Choosing a task drops edits that belong to the old one; choosing an
 * algorithm fills its switches over whatever was there. Back at the preset's value, an edit is dropped.
 */
export function withEdit(catalog: Catalog, draft: Draft, key: RunConfigKey, value: unknown): Draft {
  const preset = presetOf(catalog, draft.presetId);
  if (key === "task")
    return { ...draft, edits: { ...without(draft.edits, ["task", "taskOptions", "rewardWeights"]), task: String(value) } };
  if (key === "algorithm") {
    const switches = catalog.algorithms.find((entry) => entry.id === value)?.config ?? {};
    const old = catalog.algorithms.flatMap((entry) => Object.keys(entry.config));
    return { ...draft, edits: { ...without(draft.edits, old), ...switches, algorithm: String(value) } };
  }
  const rest = without(draft.edits, [key]);
  const base = resolveDraft(catalog, { presetId: preset.id, edits: rest }).shown[key];
  return { ...draft, edits: Object.is(base, value) ? rest : { ...rest, [key]: value } };
}

/** Edits after an option of the task, or a reward weight, was set. */
export function withEntry(draft: Draft, record: "taskOptions" | "rewardWeights", name: string, value: number | string | boolean): Draft {
  return { ...draft, edits: { ...draft.edits, [record]: { ...draft.edits[record], [name]: value } } };
}

const RECORDS: ReadonlySet<string> = new Set(["taskOptions", "rewardWeights"]);

function recordChanges(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>, prefix: string): readonly string[] {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].filter((key) => !Object.is(a[key], b[key])).map((key) => `${prefix}${key}`);
}

/** Dotted names of the fields in which two configurations differ. */
export function changedFields(a: RunConfig, b: RunConfig): readonly string[] {
  const plain = recordChanges(a, b, "").filter((key) => !RECORDS.has(key));
  return [
    ...plain,
    ...recordChanges(a.taskOptions, b.taskOptions, "taskOptions."),
    ...recordChanges(a.rewardWeights, b.rewardWeights, "rewardWeights."),
  ];
}
