// Lists and types of fields that follow from what each field declares about itself in config.ts. A field
// that becomes live, say, is so for the engine, the page and every schema at once.
import { z } from "zod";
import { type RunConfig, type RunConfigKey, runConfigSchema } from "./config.ts";

type Shape = typeof runConfigSchema.shape;
/** Facts that are either declared or not. */
type Mark = "live";

/** Names of the fields that declare a fact. */
export type KeysWith<Fact extends Mark> = {
  [K in RunConfigKey]: Shape[K] extends { readonly facts: { readonly [F in Fact]: true } | undefined } ? K : never;
}[RunConfigKey];

/** The fields that declare a fact, in the order of the configuration. */
function keysWith<Fact extends Mark>(fact: Fact): readonly KeysWith<Fact>[] {
  const declares = (key: RunConfigKey): key is KeysWith<Fact> => {
    const field = runConfigSchema.shape[key];
    return "facts" in field && field.facts !== undefined && fact in field.facts;
  };
  return runConfigSchema.keyof().options.filter(declares);
}

/** Settings that may change while a run goes on. */
export type LiveSettings = Partial<Pick<RunConfig, KeysWith<"live">>>;
export const liveKeys = keysWith("live");

/** Live settings as they may arrive from outside: any of them, none filled in. */
export const liveSettingsSchema: z.ZodType<LiveSettings> = z.strictObject(
  Object.fromEntries(liveKeys.map((key) => [key, runConfigSchema.shape[key].unwrap().exactOptional()])),
);
