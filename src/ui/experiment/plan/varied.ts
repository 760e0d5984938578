// What can vary between the combinations of an experiment, what a value of it sets and is called, and values to begin with. Pure.

import type { Catalog } from "../../../protocol/catalog.ts";
import { beginsWithRun, valueNamed } from "../../../protocol/config/configFacts.ts";
import { choiceTitle, type Field } from "../../../protocol/config/fields.ts";
import type { RunConfig, RunConfigKey } from "../../../protocol/config.ts";
import { capital, roundedSetting } from "../../../protocol/quantities.ts";
import type { ExperimentPlan, Setting } from "../../../protocol/run/experimentPlan.ts";
import { settingsUnder } from "../../../rl/otherwise/algorithmSwitches.ts";
import { sweepableFields } from "../../../rl/race/sweptField.ts";
import { resolveInput } from "../../engine/store/draft/draftConfig.ts";
import { valueText } from "../../kit/words/settingText.ts";

/** Groups of fields that decide what is learnt rather than on what; a race varies one of them. */
const VARIED_GROUPS: ReadonlySet<string> = new Set(["sampling", "advantage", "objective", "kl", "critic", "optimizer"]);
const VARIED_ALSO: ReadonlySet<string> = new Set(["seed", "hiddenSize", "layers", "loraRank"]);

const isAlgorithm = ({ key }: Field) => key === "algorithm";

/** Fields in which a few configurations differ, the algorithm first. */
export function variedFields(catalog: Catalog, isFork: boolean): readonly Field[] {
  const others = catalog.fields.filter(({ key, group }) => VARIED_GROUPS.has(group) || VARIED_ALSO.has(key));
  return [...catalog.fields.filter(isAlgorithm), ...others].filter(({ fixed }) => !isFork || !fixed);
}

/** All fields that can be swept from these settings: the configuration's, the task's options, the rewards' weights. */
export function sweptFields(catalog: Catalog, base: Pick<RunConfig, "task" | "rewardWeights"> | null): readonly Field[] {
  const own = sweepableFields(catalog.fields);
  const task = catalog.tasks.find(({ id }) => id === base?.task);
  const options = sweepableFields(task?.fields ?? []).map((field) => ({ ...field, key: `taskOptions.${field.key}` }));
  const parts = new Map([
    ...(task?.rewards ?? []).map(({ name, weight }) => [name, weight] as const),
    ...Object.entries(base?.rewardWeights ?? {}),
  ]);
  const weights = [...parts].map(
    ([name, preset]): Field => ({
      key: `rewardWeights.${name}`,
      kind: "number",
      group: "task",
      preset,
      live: true,
      fixed: false,
      advanced: false,
      title: `Weight of ${task?.rewards.find((each) => each.name === name)?.title ?? name}`,
      help: "How much this part counts.",
    }),
  );
  return [...catalog.fields.filter(isAlgorithm), ...own.filter((field) => !isAlgorithm(field)), ...options, ...weights];
}

/** A setting's value as people read it. */
export function settingText(catalog: Catalog, key: string, value: unknown): string {
  if (key === "algorithm") return catalog.algorithms.find(({ id }) => id === value)?.title ?? String(value);
  const field = catalog.fields.find((each) => each.key === key);
  return field?.kind === "choice" && typeof value === "string" ? choiceTitle(field, value) : valueText(value);
}

/** Fields and values by which a combination is told from the others; none for the settings that all share. */
function tellingOf({ over }: Pick<ExperimentPlan, "over">, { values, settings }: Pick<PlannedCombination, "values" | "settings">) {
  if (over.length > 0) return over.map(({ field }, i) => [field, values[i]] as const);
  return settings.algorithm === undefined ? Object.entries(settings) : [["algorithm", settings.algorithm] as const];
}
type PlannedCombination = ExperimentPlan["combinations"][number];

/** What a combination is called: in full, and its values alone. */
export function combinationName(
  catalog: Catalog,
  plan: Pick<ExperimentPlan, "base" | "over">,
  combination: Pick<PlannedCombination, "values" | "settings">,
): { readonly label: string; readonly short: string } {
  const fields = sweptFields(catalog, plan.base);
  const parts = tellingOf(plan, combination).map(([key, value]) => {
    const text = settingText(catalog, key, value);
    return { text, full: key === "algorithm" ? text : `${fields.find((each) => each.key === key)?.title ?? key} ${text}` };
  });
  if (parts.length === 0) return { label: "the run", short: "the run" };
  return { label: parts.map(({ full }) => full).join(", "), short: parts.map(({ text }) => text).join(", ") };
}

/** What an experiment is called and about: "Sweep 3: Learning rate and Group size". */
export function experimentTitle(catalog: Catalog, plan: ExperimentPlan): string {
  const fields = sweptFields(catalog, plan.base);
  const keys = new Set(plan.combinations.flatMap((combination) => tellingOf(plan, combination).map(([key]) => key)));
  const titles = [...keys].map((key) => fields.find((each) => each.key === key)?.title ?? key);
  return `${capital(plan.name)}: ${titles.join(" and ")}`;
}

/** Why runs of a configuration can be compared with nothing; null where they can. */
export function unrepeatable(config: RunConfig): string | null {
  if (!beginsWithRun(config)) return null;
  return "This run began with the weights of another run. No setting holds those weights, so no other run can begin with them. Choose a preset to race. The Train screen shows what this run learns.";
}

/** How often a batch is passed over: no part of what an algorithm is, and so equal for all unless asked otherwise. */
const PASSES: ReadonlySet<string> = new Set(["innerEpochs", "minibatches"]);

/**
 * Settings that make a configuration run another algorithm: every switch that algorithm sets, and those
 * the present one sets go back to what the task has under the other.
 * @param ownEpochs whether how often a batch is passed over is one of them.
 */
export function algorithmSettings(catalog: Catalog, base: RunConfig, id: string, ownEpochs: boolean): Record<string, Setting> {
  const other = catalog.algorithms.find((entry) => entry.id === id)?.config ?? {};
  const { shown } = resolveInput(catalog, { task: base.task, algorithm: id });
  const changed = Object.entries(settingsUnder(base, other, catalog.algorithms, shown)).filter(
    ([key, value]) => value !== undefined && value !== base[key as RunConfigKey] && (ownEpochs || !PASSES.has(key)),
  );
  return { algorithm: id, ...(Object.fromEntries(changed) as Record<string, Setting>) };
}

/** All that a value of a field sets. */
export function settingsFor(
  catalog: Catalog,
  base: RunConfig,
  key: string,
  value: Setting,
  ownEpochs: boolean,
): Readonly<Record<string, Setting>> {
  if (key === "algorithm") return value === base.algorithm ? {} : algorithmSettings(catalog, base, String(value), ownEpochs);
  return { [key]: value };
}

/** Two values to begin with: the base's own and another that differs visibly. */
export function suggestedValues(base: RunConfig, field: Field): readonly Setting[] {
  const own = (valueNamed(base, field.key) ?? field.preset) as Setting;
  return [...new Set([own, otherValue(field, own)])];
}

/** A value of the field that is not `own`. */
export function otherValue(field: Field, own: Setting): Setting {
  if (field.key === "algorithm") return own === "dr-grpo" ? "grpo" : "dr-grpo";
  if (field.kind === "flag") return own !== true;
  if (field.kind === "choice") return field.choices?.find((choice) => choice !== own) ?? own;
  if (typeof own !== "number") return own;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field;
  if (field.key === "seed") return own + 1;
  const doubled = own === 0 ? (field.kind === "integer" ? 1 : Math.min(max, 0.1)) : own * 2;
  const value = doubled <= max ? doubled : own / 2;
  return Math.max(min, field.kind === "integer" ? Math.floor(value) : roundedSetting(value, 6));
}
