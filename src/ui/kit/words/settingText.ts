// A setting in words: what its field is called, what its value says, and what was changed on the way.
import type { Catalog } from "../../../protocol/catalog.ts";
import { RECORDS } from "../../../protocol/config/configFacts.ts";
import { choiceTitle, type Field } from "../../../protocol/config/fields.ts";
import { type RunConfig, type RunConfigKey, runConfigSchema } from "../../../protocol/config.ts";
import { isRecord } from "../../../protocol/problems.ts";
import { formatExact } from "../charts/format.ts";

/** Title of a configuration field, or its key. */
export function fieldTitle(key: RunConfigKey): string {
  const { title } = (runConfigSchema.shape[key].meta() ?? {}) as { title?: unknown };
  return typeof title === "string" ? title : key;
}

/** A setting's value in words, its field unknown: "on", "constant length", 0.28. */
export function valueText(value: unknown): string {
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "number") return String(value);
  return typeof value === "string" ? value.replaceAll("-", " ") : JSON.stringify(value);
}

/** A setting in the words of the form. */
export function fieldValueText(field: Field | undefined, value: unknown): string {
  if (typeof value === "number") return formatExact("number", value);
  if (typeof value === "boolean") return value ? "on" : "off";
  return field ? choiceTitle(field, String(value)) : String(value);
}

/** A change of settings on the way, in words. */
export interface SettingsChange {
  readonly afterStep: number;
  /** "Learning rate 0.0005, Temperature 0.8". */
  readonly text: string;
}

/** The rewards that a change brings, by name; the records of one change are one thing to a reader. */
function rewardsText({ customRewards, rewardRules, rewardWeights }: RunConfig["changes"][number]["settings"]): string {
  const names = [customRewards, rewardRules, rewardWeights].flatMap((record) => (isRecord(record) ? Object.keys(record) : []));
  const weightOf = (name: string) =>
    isRecord(rewardWeights) && typeof rewardWeights[name] === "number" ? ` × ${rewardWeights[name]}` : "";
  return `Rewards ${[...new Set(names)].map((name) => `${name}${weightOf(name)}`).join(", ") || "of the task alone"}`;
}

/** What was changed while the run went on. Steps that were added change nothing that a chart could show. */
export function settingsChanges(catalog: Catalog, { changes }: Pick<RunConfig, "changes">): readonly SettingsChange[] {
  return changes.flatMap(({ afterStep, settings }) => {
    const said = Object.entries(settings).filter(([key]) => key !== "steps");
    const fieldOf = (key: string) => catalog.fields.find((each) => each.key === key);
    const title = (key: string) => fieldOf(key)?.title ?? key;
    const plain = said.filter(([key]) => !RECORDS.has(key)).map(([key, value]) => `${title(key)} ${fieldValueText(fieldOf(key), value)}`);
    const text = [...plain, ...(plain.length < said.length ? [rewardsText(settings)] : [])].join(", ");
    return said.length > 0 && afterStep > 0 ? [{ afterStep, text }] : [];
  });
}
