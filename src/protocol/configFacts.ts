// Lists and types of fields that follow from what each field declares about itself in config.ts. A field
// that becomes live, say, is so for the engine, the page and every schema at once.

import type { TaskEntry } from "./catalog.ts";
import { holds, type NoEffect } from "./config/noEffect.ts";
import { type RunConfig, type RunConfigKey, runConfigSchema } from "./config.ts";
import { FIELD_GROUPS, type FieldFacts } from "./field.ts";
import { z } from "./zod.ts";

type Shape = typeof runConfigSchema.shape;
/** Facts that are either declared or not. */
type Mark = "live" | "fixed" | "inAdvantages" | "inObjective" | "weighsTokens";

/** Names of the fields that declare a fact. */
export type KeysWith<Fact extends Mark> = {
  [K in RunConfigKey]: Shape[K] extends { readonly facts: { readonly [F in Fact]: true } | undefined } ? K : never;
}[RunConfigKey];

const keys: readonly RunConfigKey[] = runConfigSchema.keyof().options;

function factsOf(key: RunConfigKey): FieldFacts {
  return runConfigSchema.shape[key].facts ?? {};
}

/** The fields that declare a fact, in the order of the configuration. */
export function keysWith<Fact extends Mark>(fact: Fact): readonly KeysWith<Fact>[] {
  return keys.filter((key): key is KeysWith<Fact> => factsOf(key)[fact] === true);
}

/** Fields fixed once a run has started. */
export const fixedKeys: ReadonlySet<RunConfigKey> = new Set(keysWith("fixed"));

/** Settings that may change while a run goes on. */
export type LiveSettings = Partial<Pick<RunConfig, KeysWith<"live">>>;
export const liveKeys = keysWith("live");

/** Live settings as they may arrive from outside: any of them, none filled in. */
export const liveSettingsSchema: z.ZodType<LiveSettings> = z.strictObject(
  Object.fromEntries(liveKeys.map((key) => [key, runConfigSchema.shape[key].unwrap().exactOptional()])),
);

export interface InertField {
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
