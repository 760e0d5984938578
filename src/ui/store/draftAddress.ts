// The draft as an address: the preset's id and only what differs from it ("?preset=digit-sum-table&
// groupSize=16&task.length=3&reward.sum-closeness=0.5"). What an address says is checked like any
// other input from outside.
import type { Catalog } from "../../protocol/catalog.ts";
import type { Field } from "../../protocol/fields.ts";
import { type Draft, presetOf, resolveDraft } from "./draftConfig.ts";

type Value = number | string | boolean;

const TASK = "task.";
const REWARD = "reward.";

/** The query of a draft. */
export function draftQuery(catalog: Catalog, draft: Draft): URLSearchParams {
  const query = new URLSearchParams();
  const { taskOptions = {}, rewardWeights = {}, ...plain } = draft.edits;
  if (draft.presetId && draft.presetId !== catalog.presets[0]?.id) query.set("preset", draft.presetId);
  for (const [key, value] of Object.entries(plain)) query.set(key, String(value));
  for (const [key, value] of Object.entries(taskOptions)) query.set(`${TASK}${key}`, String(value));
  for (const [key, value] of Object.entries(rewardWeights)) query.set(`${REWARD}${key}`, String(value));
  return query;
}

/** Text as a field's kind of value; text that is none stays text, for the schema to refuse by name. */
function readValue(field: Field | undefined, text: string): Value {
  if (!field || field.kind === "choice" || field.kind === "text") return text;
  if (field.kind === "flag") return text === "true" ? true : text === "false" ? false : text;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

export interface AddressDraft {
  readonly draft: Draft;
  /** Why the address was not used, null if it was. */
  readonly problem: string | null;
}

/** The draft an address describes, or the default preset and the reason why not. */
export function draftFromQuery(catalog: Catalog, query: URLSearchParams): AddressDraft {
  const wanted = query.get("preset");
  const preset = presetOf(catalog, wanted ?? "");
  const fallback: Draft = { presetId: presetOf(catalog, "").id, edits: {} };
  if (wanted !== null && preset.id !== wanted) {
    const choices = catalog.presets.map(({ id }) => JSON.stringify(id)).join(", ");
    return { draft: fallback, problem: `preset must be one of ${choices}, got ${JSON.stringify(wanted)}` };
  }
  const task = catalog.tasks.find(({ id }) => id === (query.get("task") ?? preset.config.task));
  const edits: Record<string, unknown> = {};
  const taskOptions: Record<string, Value> = {};
  const rewardWeights: Record<string, Value> = {};
  const unknown: string[] = [];
  for (const [key, text] of query) {
    if (key === "preset") continue;
    if (key.startsWith(TASK)) {
      const name = key.slice(TASK.length);
      taskOptions[name] = readValue(
        task?.fields.find((field) => field.key === name),
        text,
      );
    } else if (key.startsWith(REWARD)) rewardWeights[key.slice(REWARD.length)] = Number(text);
    else {
      const field = catalog.fields.find((entry) => entry.key === key);
      // Records such as taskOptions have no form as one text; they come entry by entry.
      if (field) edits[key] = readValue(field, text);
      else unknown.push(`unknown field ${JSON.stringify(key)}`);
    }
  }
  if (Object.keys(taskOptions).length > 0) edits.taskOptions = taskOptions;
  if (Object.keys(rewardWeights).length > 0) edits.rewardWeights = rewardWeights;
  const draft: Draft = { presetId: preset.id, edits };
  const problems = [...resolveDraft(catalog, draft).problems, ...optionProblems(task?.fields ?? [], task?.id ?? "", taskOptions)];
  const messages = [...unknown, ...problems.map(({ message }) => message)];
  if (messages.length > 0) return { draft: fallback, problem: messages.join("; ") };
  return { draft, problem: null };
}

/** What is wrong with a task's options, in the engine's sentences. */
export function optionProblems(
  fields: readonly Field[],
  taskId: string,
  options: Readonly<Record<string, unknown>>,
): readonly { readonly field: string; readonly message: string }[] {
  return Object.entries(options).flatMap(([name, value]) => {
    const key = `taskOptions.${name}`;
    const field = fields.find((entry) => entry.key === name);
    const rule = field ? brokenRule(field, value) : `is not an option of the task ${taskId}`;
    return rule ? [{ field: key, message: `${key} ${rule}, got ${JSON.stringify(value)}` }] : [];
  });
}

function brokenRule(field: Field, value: unknown): string | null {
  if (field.kind === "choice")
    return field.choices?.includes(String(value))
      ? null
      : `must be one of ${field.choices?.map((each) => JSON.stringify(each)).join(", ") ?? ""}`;
  if (field.kind === "flag") return typeof value === "boolean" ? null : "must be a boolean";
  if (field.kind === "text") return typeof value === "string" ? null : "must be a string";
  if (typeof value !== "number" || Number.isNaN(value)) return "must be a number";
  if (field.kind === "integer" && !Number.isInteger(value)) return "must be a whole number";
  if (field.min !== undefined && value < field.min) return `must be >= ${field.min}`;
  if (field.max !== undefined && value > field.max) return `must be <= ${field.max}`;
  return null;
}
