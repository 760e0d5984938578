// Lists and types of fields that follow from what each field declares about itself in config.ts. A field
// that becomes live, say, is so for the engine, the page and every schema at once.
import type { TaskEntry } from "../catalog.ts";
import { type RunConfig, type RunConfigKey, runConfigSchema } from "../config.ts";
import { isRecord } from "../problems.ts";
import { z } from "../zod.ts";
import { FIELD_GROUPS, type FieldFacts } from "./field.ts";
import { holds, type NoEffect } from "./noEffect.ts";

/** The fields of a configuration with their schemas. */
export type ConfigShape = typeof runConfigSchema.shape;
/** Facts that are either declared or not. */
export type FieldMark = "aside" | "live" | "fixed" | "inReward" | "inAdvantages" | "inObjective" | "weighsTokens";

/** Names of the fields that declare a fact. */
export type KeysWith<Fact extends FieldMark> = {
  [K in RunConfigKey]: ConfigShape[K] extends { readonly facts: { readonly [F in Fact]: true } | undefined } ? K : never;
}[RunConfigKey];

const keys: readonly RunConfigKey[] = runConfigSchema.keyof().options;

function factsOf(key: RunConfigKey): FieldFacts {
  return runConfigSchema.shape[key].facts ?? {};
}

/** The fields that declare a fact, in the order of the configuration. */
export function keysWith<Fact extends FieldMark>(fact: Fact): readonly KeysWith<Fact>[] {
  return keys.filter((key): key is KeysWith<Fact> => factsOf(key)[fact] === true);
}

/** Fields fixed once a run has started. */
export const fixedKeys: ReadonlySet<RunConfigKey> = new Set(keysWith("fixed"));

/** Settings that the objective depends on. */
export type ObjectiveConfig = Pick<RunConfig, KeysWith<"inObjective"> | "innerEpochs" | "minibatches">;

/** Settings that may change while a run goes on. */
export type LiveSettings = Partial<Pick<RunConfig, KeysWith<"live">>>;
export const liveKeys = keysWith("live");

/** Live settings as they may arrive from outside: any of them, none filled in. */
export const liveSettingsSchema: z.ZodType<LiveSettings> = z.strictObject(
  Object.fromEntries(liveKeys.map((key) => [key, runConfigSchema.shape[key].unwrap().exactOptional()])),
);

/** Settings of how a run is computed and kept, which make no other run of it. */
export const asideKeys: ReadonlySet<string> = new Set(keysWith("aside"));

/** Whether a run begins with the weights of another, which no setting holds. */
export function beginsWithRun({ model, startFrom }: Pick<RunConfig, "model" | "startFrom">): boolean {
  return model === "transformer" && startFrom === "run";
}

interface InertField {
  readonly key: RunConfigKey;
  /** Completes "has no effect: ...". */
  readonly reason: string;
}

/** When a field changes nothing: what its section says, then what it says itself. */
export function noEffectOf(key: RunConfigKey): readonly NoEffect[] {
  const { noEffect: ofSection = [] } = FIELD_GROUPS[runConfigSchema.shape[key].group];
  return [...ofSection, ...(factsOf(key).noEffect ?? [])];
}

/** Fields that change nothing in this configuration, each once, with the first reason that holds. */
export function inertFields(config: RunConfig, tasks: readonly TaskEntry[]): readonly InertField[] {
  const facts = tasks.find(({ id }) => id === config.task)?.facts ?? {};
  const values = { ...config, ...Object.fromEntries(Object.entries(facts).map(([name, value]) => [`task.${name}`, value])) };
  return keys.flatMap((key) => {
    const reason = noEffectOf(key).find((each) => holds(each, values));
    return reason ? [{ key, reason: reason.why }] : [];
  });
}

type RecordKey = { [K in RunConfigKey]: RunConfig[K] extends Readonly<Record<string, unknown>> ? K : never }[RunConfigKey];
/** Fields that hold named values of their own. */
export const RECORD_KEYS = keys.filter((key): key is RecordKey => isRecord(runConfigSchema.shape[key].parse(undefined)));
export const RECORDS: ReadonlySet<string> = new Set(RECORD_KEYS);

/** Whether two values of plain JSON say the same, in whatever order their keys were written. */
export function isSame(a: unknown, b: unknown): boolean {
  // Of two configurations that stand beside each other most values are one and the same; this runs at every step.
  if (Object.is(a, b)) return true;
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((value, i) => isSame(value, b[i]));
  if (!isRecord(a)) return false;
  const keys = Object.keys(a);
  return isRecord(b) && keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

function recordChanges(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>, prefix: string): readonly string[] {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].filter((key) => !isSame(a[key], b[key])).map((key) => `${prefix}${key}`);
}

/** The value of a field by its dotted name. */
export function valueNamed(config: RunConfig, name: string): unknown {
  const [key = "", ...entry] = name.split(".");
  const value: unknown = config[key as RunConfigKey];
  return entry.length === 0 ? value : (value as Readonly<Record<string, unknown>> | undefined)?.[entry.join(".")];
}

/** Dotted names of the fields in which two configurations differ. */
export function changedFields(a: RunConfig, b: RunConfig): readonly string[] {
  const plain = recordChanges(a, b, "").filter((key) => !RECORDS.has(key));
  return [...plain, ...RECORD_KEYS.flatMap((key) => recordChanges(a[key], b[key], `${key}.`))];
}
