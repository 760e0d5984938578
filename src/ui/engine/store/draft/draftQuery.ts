// The draft as an address: the version of the configuration, the preset's id and only what differs from it
// ("?version=3&preset=digit-sum-table&groupSize=16&task.length=3&reward.sumCloseness=0.5"). Reward rules and
// gates are written whole, as JSON, and take the place of the preset's (rewardGates={"boxedForm":0}). What an
// address says is checked like any other input from outside; what cannot be used is left out and said.

import type { Catalog } from "../../../../protocol/catalog.ts";
import { RECORDS } from "../../../../protocol/config/configFacts.ts";
import type { Field } from "../../../../protocol/config/fields.ts";
import { CONFIG_VERSION, migrateConfig } from "../../../../protocol/config/migrations.ts";
import type { RunConfigInput } from "../../../../protocol/config.ts";
import { asOneMessage, InputError, isRecord, orElse, unknownField, unknownName } from "../../../../protocol/problems.ts";
import { type Draft, presetOf, resolveDraft } from "./draftConfig.ts";

const TASK = "task.";
const REWARD = "reward.";
/** Records that are written entry by entry, under a prefix of their own. */
const BY_ENTRY: ReadonlySet<string> = new Set(["taskOptions", "rewardWeights"]);
/** Records, lists and code that are written as one text. */
const AS_JSON: readonly string[] = [...RECORDS].filter((key) => !BY_ENTRY.has(key)).concat("examples", "rewardTransform");
const JSON_KEYS: ReadonlySet<string> = new Set(AS_JSON);

const isWhole = (key: string): boolean => RECORDS.has(key) || JSON_KEYS.has(key);

/** The query of a draft; empty for the first preset as it is. */
export function draftQuery(catalog: Catalog, draft: Draft): URLSearchParams {
  const query = new URLSearchParams();
  const { taskOptions = {}, rewardWeights = {}, ...others } = draft.edits;
  const entries: readonly (readonly [string, unknown])[] = Object.entries(others);
  const plain = entries.filter(([key]) => !JSON_KEYS.has(key));
  if (draft.presetId && draft.presetId !== catalog.presets[0]?.id) query.set("preset", draft.presetId);
  for (const [key, value] of plain) query.set(key, String(value));
  for (const [key, value] of Object.entries(taskOptions)) query.set(`${TASK}${key}`, String(value));
  for (const [key, value] of Object.entries(rewardWeights)) query.set(`${REWARD}${key}`, String(value));
  for (const [key, value] of entries) if (JSON_KEYS.has(key) && value) query.set(key, JSON.stringify(value));
  return query.size === 0 ? query : new URLSearchParams([["version", String(CONFIG_VERSION)], ...query]);
}

/** Text as a field's kind of value; text that is none stays text, for the schema to refuse by name. */
export function readValue(kind: Field["kind"], text: string): number | string | boolean {
  if (kind === "choice" || kind === "text") return text;
  if (kind === "flag") return text === "true" ? true : text === "false" ? false : text;
  return text.trim() !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
}

/** Text of a field that only an earlier version knew, by its looks. */
function guessValue(text: string): number | string | boolean {
  const flag = readValue("flag", text);
  return typeof flag === "boolean" ? flag : readValue("number", text);
}

/** JSON of a record; text that is none stays text, for the schema to refuse by name. */
const readRecord = (text: string): unknown => orElse(() => JSON.parse(text), text);

/** What a query says, unchecked and in the present form. Without a version it is of the first, which had none. */
function editsOf(catalog: Catalog, said: ReadonlyMap<string, string>, taskId: string): Record<string, unknown> {
  const kinds = new Map(catalog.fields.map(({ key, kind }) => [key, kind]));
  const options = new Map(catalog.tasks.find(({ id }) => id === taskId)?.fields.map(({ key, kind }) => [key, kind]));
  const plain: [string, unknown][] = [];
  const taskOptions: [string, unknown][] = [];
  const rewardWeights: [string, unknown][] = [];
  const read = (kind: Field["kind"] | undefined, text: string) => (kind ? readValue(kind, text) : guessValue(text));
  for (const [key, text] of said) {
    if (JSON_KEYS.has(key)) plain.push([key, readRecord(text)]);
    if (key === "preset" || isWhole(key)) continue;
    if (key.startsWith(TASK)) taskOptions.push([key.slice(TASK.length), read(options.get(key.slice(TASK.length)), text)]);
    else if (key.startsWith(REWARD)) rewardWeights.push([key.slice(REWARD.length), readValue("number", text)]);
    else plain.push([key, read(kinds.get(key), text)]);
  }
  for (const [name, entries] of Object.entries({ taskOptions, rewardWeights }))
    if (entries.length > 0) plain.push([name, Object.fromEntries(entries)]);
  return migrateConfig(Object.fromEntries(plain), 1) as Record<string, unknown>;
}

/** Names of the edits as problems use them: "groupSize", "taskOptions.length". */
function namesOf(edits: RunConfigInput): readonly string[] {
  return Object.entries(edits).flatMap(([key, value]) => (isRecord(value) ? Object.keys(value).map((entry) => `${key}.${entry}`) : [key]));
}

function without(edits: RunConfigInput, names: readonly string[]): RunConfigInput {
  const left = Object.entries(edits).flatMap(([key, value]) => {
    if (!isRecord(value)) return names.includes(key) ? [] : [[key, value]];
    const entries = Object.entries(value).filter(([entry]) => !names.includes(`${key}.${entry}`));
    // No rules at all is something to say: it takes the place of the preset's.
    return entries.length > 0 || (JSON_KEYS.has(key) && Object.keys(value).length === 0) ? [[key, Object.fromEntries(entries)]] : [];
  });
  return Object.fromEntries(left);
}

interface Usable {
  readonly draft: Draft;
  /** What was left out, as the rules that it breaks. */
  readonly problems: readonly string[];
}

/** A draft without the edits that break a rule. */
function usable(catalog: Catalog, draft: Draft): Usable {
  const { problems } = resolveDraft(catalog, draft);
  const names = namesOf(draft.edits);
  const first = problems[0];
  const last = names.at(-1);
  if (!first || last === undefined) return { draft, problems: problems.map(({ message }) => message) };
  const leftOut = (dropped: readonly string[]): Draft => ({ ...draft, edits: without(draft.edits, dropped) });
  // What is wrong inside an entry takes the entry with it.
  const nameOf = (field: string) => names.find((name) => field === name || field.startsWith(`${name}.`));
  const named = problems.filter(({ field }) => nameOf(field) !== undefined);
  if (named.length > 0) {
    const rest = usable(catalog, leftOut(named.flatMap(({ field }) => nameOf(field) ?? [])));
    return { draft: rest.draft, problems: [...named.map(({ message }) => message), ...rest.problems] };
  }
  // A rule between two fields may name the one that is not in the address; then the other goes.
  const culprit = names.findLast((name) => resolveDraft(catalog, leftOut([name])).problems.length < problems.length) ?? last;
  const rest = usable(catalog, leftOut([culprit]));
  return { draft: rest.draft, problems: [`${first.message}, so ${culprit} is left out`, ...rest.problems] };
}

export interface AddressDraft {
  readonly draft: Draft;
  /** What of the address was not used and why, in sentences; null if all of it was. */
  readonly problem: string | null;
}

/** What was left out of an address, as one sentence; null for nothing. */
export function refusalText(refused: readonly string[]): string | null {
  return refused.length > 0 ? `Not everything in the address was used: ${asOneMessage(refused)}. The rest was used.` : null;
}

/** The draft an address describes, without what cannot be used of it. @param others rules that other parts of the address break. */
export function draftFromQuery(catalog: Catalog, query: URLSearchParams, others: readonly string[] = []): AddressDraft {
  // Of two values of one name the last counts.
  const said = new Map(query);
  const wanted = said.get("preset");
  const preset = presetOf(catalog, wanted ?? "");
  const task = catalog.tasks.find(({ id }) => id === said.get("task"))?.id ?? preset.config.task ?? "";
  const refused: string[] = [];
  if (wanted !== undefined && preset.id !== wanted) {
    const presets = catalog.presets.map(({ id }) => id);
    refused.push(unknownName("preset", wanted, presets));
  }
  let settings: Record<string, unknown>;
  try {
    settings = editsOf(catalog, said, task);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { draft: { presetId: presetOf(catalog, "").id, edits: {} }, problem: `The address was not used: ${error.message}.` };
  }
  const isField = (key: string) => catalog.fields.some((field) => field.key === key);
  // The other records have no form as one text; they come entry by entry.
  const unknown = Object.keys(settings).filter((key) => !isField(key) && !isWhole(key) && key !== "version");
  unknown.push(...[...said.keys()].filter((key) => RECORDS.has(key) && !JSON_KEYS.has(key)));
  const known = catalog.fields.map(({ key }) => key);
  refused.push(...unknown.map((key) => unknownField(key, known)));
  const edits = Object.fromEntries(Object.entries(settings).filter(([key]) => isField(key) || isWhole(key)));
  const { draft, problems } = usable(catalog, { presetId: preset.id, edits });
  refused.push(...problems);
  return { draft, problem: refusalText([...refused, ...others]) };
}
