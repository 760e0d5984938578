// From a preset and the user's edits to a checked configuration, with the same layers and the same
// sentences as the engine: schema defaults < task < algorithm < preset < edits. Pure functions.

import type { Catalog, PresetEntry, TaskEntry } from "../../../../protocol/catalog.ts";
import { changedFields, isSame, RECORDS } from "../../../../protocol/config/configFacts.ts";
import { schemaOfRecord } from "../../../../protocol/config/fields.ts";
import { serverSettings } from "../../../../protocol/config/serverRules.ts";
import { type RunConfig, type RunConfigInput, type RunConfigKey, runConfigSchema } from "../../../../protocol/config.ts";
import { InputError, isRecord, type Problem, problemsOf } from "../../../../protocol/problems.ts";
import { z } from "../../../../protocol/zod.ts";
import { resolveConfig } from "../../../../rl/resolveConfig.ts";
import { rulesOf } from "../../../../rl/rewards/ruleProblems.ts";

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

/** Resolves a configuration as the engine does; problems name the field, the rule and the value. */
export function resolveInput(catalog: Catalog, input: RunConfigInput): Omit<ResolvedDraft, "input"> {
  const defaults = runConfigSchema.parse({});
  const task = catalog.tasks.find((entry) => entry.id === (input.task ?? defaults.task));
  const algorithm = catalog.algorithms.find((entry) => entry.id === (input.algorithm ?? task?.config.algorithm ?? defaults.algorithm));
  const shown = { ...defaults, ...task?.config, ...algorithm?.config, ...input };
  const ofOptions = (options: Readonly<Record<string, unknown>> = {}) => (task ? optionProblems(task, options) : []);
  try {
    const config = resolveConfig(input, catalog.tasks, catalog.algorithms, rulesOf(catalog));
    const problems = ofOptions(config.taskOptions);
    return { config: problems.length > 0 ? null : config, shown: config, problems };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { config: null, shown, problems: [...error.problems, ...ofOptions(shown.taskOptions)] };
  }
}

function schemaOfOptions({ fields }: TaskEntry) {
  return z.object({ taskOptions: schemaOfRecord(fields) });
}

/** Making a schema takes longer than reading with it. */
const optionSchemas = new WeakMap<TaskEntry, ReturnType<typeof schemaOfOptions>>();

/** What is wrong with a task's options, in the engine's sentences. */
function optionProblems(task: TaskEntry, options: Readonly<Record<string, unknown>>): readonly Problem[] {
  const schema = optionSchemas.get(task) ?? schemaOfOptions(task);
  optionSchemas.set(task, schema);
  const parsed = schema.safeParse({ taskOptions: options });
  const known = task.fields.map(({ key }) => `taskOptions.${key}`);
  return parsed.success ? [] : problemsOf(parsed.error, { taskOptions: options }, known);
}

/** What drafts come to; a draft is never changed, and many parts of the page ask for the same one. */
const resolved = new WeakMap<Draft, { readonly catalog: Catalog; readonly found: ResolvedDraft }>();

/** The draft's configuration, worked out once. */
export function resolveDraft(catalog: Catalog, draft: Draft): ResolvedDraft {
  const known = resolved.get(draft);
  if (known?.catalog === catalog) return known.found;
  const found = resolveAnew(catalog, draft);
  resolved.set(draft, { catalog, found });
  return found;
}

/** A preset as it stands is one draft, which is worked out once: names of runs and lists of them ask for all presets again and again. */
const plainDrafts = new WeakMap<PresetEntry, Draft>();

function resolvePreset(catalog: Catalog, preset: PresetEntry): RunConfig | null {
  const draft = plainDrafts.get(preset) ?? { presetId: preset.id, edits: {} };
  plainDrafts.set(preset, draft);
  return resolveDraft(catalog, draft).config;
}

function resolveAnew(catalog: Catalog, draft: Draft): ResolvedDraft {
  const preset = presetOf(catalog, draft.presetId).config;
  const { edits } = draft;
  const rewardWeights = { ...presetWeights(preset, edits), ...edits.rewardWeights };
  const input: RunConfigInput = {
    ...preset,
    ...edits,
    ...(preset.taskOptions || edits.taskOptions ? { taskOptions: { ...preset.taskOptions, ...edits.taskOptions } } : {}),
    ...(preset.rewardWeights || edits.rewardWeights ? { rewardWeights } : {}),
  };
  return { input, ...resolveInput(catalog, input) };
}

/** A preset's weights, without those of its rules that the edits leave out. */
function presetWeights(preset: RunConfigInput, edits: RunConfigInput): Readonly<Record<string, number>> {
  const gone = (name: string) => edits.rewardRules && name in (preset.rewardRules ?? {}) && !(name in edits.rewardRules);
  return Object.fromEntries(Object.entries(preset.rewardWeights ?? {}).filter(([name]) => !gone(name)));
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
  if (key === "task") return { ...draft, edits: { ...without(draft.edits, ["task", ...RECORDS]), task: String(value) } };
  if (key === "algorithm") {
    const switches = catalog.algorithms.find((entry) => entry.id === value)?.config ?? {};
    const old = catalog.algorithms.flatMap((entry) => Object.keys(entry.config));
    const rest = without(draft.edits, ["algorithm", ...old]);
    if (resolveDraft(catalog, { presetId: preset.id, edits: rest }).shown.algorithm === value) return { ...draft, edits: rest };
    return { ...draft, edits: { ...rest, ...switches, algorithm: String(value) } };
  }
  const { config } = key === "backend" && value === "tinker" ? resolveDraft(catalog, draft) : { config: null };
  // Choosing a server fills in what it asks for, as an algorithm fills its switches.
  if (config)
    return Object.entries(serverSettings(config)).reduce((changed, [field, fine]) => withField(catalog, changed, field, fine), draft);
  return withField(catalog, draft, key, value);
}

function withField(catalog: Catalog, draft: Draft, key: string, value: unknown): Draft {
  const rest = without(draft.edits, [key]);
  const base = resolveDraft(catalog, { presetId: draft.presetId, edits: rest }).shown[key as RunConfigKey];
  return { ...draft, edits: isSame(base, value) ? rest : { ...rest, [key]: value } };
}

/** Edits after an option of the task, or a reward weight, was set. */
export function withEntry(draft: Draft, record: "taskOptions" | "rewardWeights", name: string, value: number | string | boolean): Draft {
  return { ...draft, edits: { ...draft.edits, [record]: { ...draft.edits[record], [name]: value } } };
}

const KIND: readonly RunConfigKey[] = ["kind", "task", "model", "algorithm"];

/** Whether two configurations are about the same kind of run. */
export function isSameKind(a: RunConfig, b: RunConfig): boolean {
  return KIND.every((key) => a[key] === b[key]);
}

/**
 * A configuration that says each option of its task that a preset sets: one that it leaves out stands at its default,
 * not at the preset's.
 */
function withDefaults(catalog: Catalog, config: RunConfig, preset: RunConfigInput): RunConfig {
  const fields = catalog.tasks.find(({ id }) => id === config.task)?.fields ?? [];
  const left = fields.filter(({ key }) => key in (preset.taskOptions ?? {}) && !(key in config.taskOptions));
  const defaults = Object.fromEntries(left.map(({ key, preset: value }) => [key, value]));
  return { ...config, taskOptions: { ...config.taskOptions, ...defaults } };
}

/** A draft that resolves to an existing configuration: the preset that needs the fewest edits, and those. */
export function draftOf(catalog: Catalog, config: RunConfig): Draft {
  let best: { readonly draft: Draft; readonly changes: number } | null = null;
  for (const preset of catalog.presets) {
    const base = resolvePreset(catalog, preset);
    if (!base) continue;
    const whole = withDefaults(catalog, config, preset.config);
    const changed = changedFields(base, whole);
    const keys = new Set(changed.map((name) => name.split(".")[0] ?? name));
    const edits = Object.fromEntries(Object.entries(whole).filter(([key]) => keys.has(key)));
    // A preset of another task describes another run, however little else differs.
    const changes = changed.length + (base.task === config.task ? 0 : catalog.fields.length);
    if (!best || changes < best.changes) best = { draft: { presetId: preset.id, edits }, changes };
  }
  return best?.draft ?? { presetId: presetOf(catalog, "").id, edits: config };
}

/** Fields that do not make another run of a preset: how far and from which seed. */
const SAME_RUN: ReadonlySet<string> = new Set(["steps", "seed"]);

/** Whether a configuration has all that a preset sets, as far as that makes the run. */
function hasWhatIsSet(config: RunConfig, preset: RunConfigInput, same: ReadonlySet<string>): boolean {
  return Object.entries(preset).every(([key, set]) => {
    if (same.has(key)) return true;
    const value: unknown = config[key as RunConfigKey];
    if (!isRecord(set) || !isRecord(value)) return isSame(set, value);
    const wanted: Readonly<Record<string, unknown>> = set;
    return Object.keys(wanted).every((name) => isSame(wanted[name], value[name]));
  });
}

/**
 * The preset of which a run is one as it stands, however far and from whichever seed; null where it is of none.
 * @param same fields that make no other run.
 */
export function presetOfRun(catalog: Catalog, config: RunConfig, same = SAME_RUN): PresetEntry | null {
  const plain = { ...config, changes: [] };
  // Working out every preset would hold up the page when a run starts; what a preset sets rules most of them out.
  const isOne = (preset: PresetEntry) => {
    if (!hasWhatIsSet(plain, preset.config, same)) return false;
    const whole = resolvePreset(catalog, preset);
    return whole !== null && changedFields(whole, plain).every((key) => same.has(key));
  };
  return catalog.presets.find(isOne) ?? null;
}
