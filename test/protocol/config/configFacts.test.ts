// Each field says what holds for it where it is declared; every list and schema elsewhere follows.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, expectTypeOf, it } from "vitest";
import { commandSchema } from "../../../src/protocol/commands.ts";
import {
  fixedKeys,
  inertFields,
  type LiveSettings,
  liveKeys,
  noEffectOf,
  type ObjectiveConfig,
  RECORDS,
} from "../../../src/protocol/config/configFacts.ts";
import { type RunConfig, type RunConfigKey, runConfigSchema } from "../../../src/protocol/config.ts";
import type { AdvantageConfig } from "../../../src/rl/advantage/types.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { checkChanges } from "../../../src/train/step/settings.ts";
import { variedFields } from "../../../src/ui/experiment/plan/varied.ts";

const keys: readonly RunConfigKey[] = runConfigSchema.keyof().options;
const defaults = runConfigSchema.parse({});

describe("settings that are live", () => {
  const set = (settings: object) => commandSchema.safeParse({ id: 0, type: "set", settings });

  it("are the fields that the catalog marks so", () => {
    const marked = catalog.fields.filter(({ live }) => live).map(({ key }) => key);
    expect(liveKeys.filter((key) => !RECORDS.has(key)).sort()).toEqual([...marked].sort());
    expect(marked).toContain("learningRate");
  });

  it("pass the schema one by one within their range, and no other field does", () => {
    for (const { key, preset, live } of catalog.fields) expect([key, set({ [key]: preset }).success]).toEqual([key, live]);
    for (const key of liveKeys) expect([key, set({ [key]: Number.NaN }).success]).toEqual([key, false]);
  });

  it("are not filled in where they are left out", () => {
    expect(set({ steps: 7 }).data).toEqual({ id: 0, type: "set", settings: { steps: 7 } });
    expect(set({ steps: undefined }).success).toBe(false);
  });

  it("have a type of their own, in which other fields do not exist", () => {
    expectTypeOf<LiveSettings>().toHaveProperty("learningRate").toEqualTypeOf<number | undefined>();
    expectTypeOf<LiveSettings>().not.toHaveProperty("seed");
  });
});

describe("settings that are fixed when a run starts", () => {
  it("are refused among the changes on the way, and all others are taken", () => {
    for (const key of keys) {
      const change = () => checkChanges({ ...defaults, changes: [{ afterStep: 1, settings: { [key]: defaults[key] } }] } as RunConfig);
      if (fixedKeys.has(key)) expect(change).toThrow(`must not change ${key}`);
      else expect(change).not.toThrow();
    }
    expect([fixedKeys.has("seed"), fixedKeys.has("learningRate")]).toEqual([true, false]);
  });

  it("are none that is live, and none that a fork may change", () => {
    expect(liveKeys.filter((key) => fixedKeys.has(key))).toEqual([]);
    expect(variedFields(catalog, true).filter(({ key }) => fixedKeys.has(key as RunConfigKey))).toEqual([]);
    expect(variedFields(catalog, false).map(({ key }) => key)).toContain("criticTrunk");
  });
});

describe("the types of what advantages and objective read", () => {
  it("hold the fields marked so and no others", () => {
    expectTypeOf<ObjectiveConfig>().toHaveProperty("surrogate").toEqualTypeOf<RunConfig["surrogate"]>();
    expectTypeOf<ObjectiveConfig>().not.toHaveProperty("advantageBaseline");
    expectTypeOf<AdvantageConfig>().toHaveProperty("advantageBaseline");
    expectTypeOf<AdvantageConfig>().not.toHaveProperty("surrogate");
  });
});

describe("the conditions under which a field has no effect", () => {
  const conditions = keys.flatMap((key) => noEffectOf(key).map((condition) => ({ key, ...condition })));

  it("name fields with values they can have, or facts that every task states", () => {
    for (const { key, when } of conditions)
      for (const [name, wanted] of Object.entries(when)) {
        if (name.startsWith("task.")) {
          for (const { facts } of catalog.tasks) expect(facts).toHaveProperty(name.slice(5));
          continue;
        }
        expect(keys).toContain(name);
        const values = typeof wanted !== "object" ? [wanted] : "not" in wanted ? [wanted.not] : wanted;
        for (const value of values)
          expect([key, name, runConfigSchema.shape[name as RunConfigKey].safeParse(value).success]).toEqual([key, name, true]);
      }
    expect(conditions.length).toBeGreaterThan(40);
  });

  it("say why in words that complete a sentence", () => {
    for (const { why } of conditions) expect(why).toMatch(/^[a-z].*[a-z0-9]$/);
  });

  it("leave a supervised run no field of the advantage, the objective, the KL or the critic", () => {
    const inert = new Set<string>(inertFields({ ...defaults, kind: "supervised" }, catalog.tasks).map(({ key }) => key));
    const sections: ReadonlySet<string> = new Set(["advantage", "objective", "kl", "critic"]);
    expect(catalog.fields.filter(({ key, group }) => sections.has(group) && !inert.has(key))).toEqual([]);
    expect([inert.has("learningRate"), inert.has("evalEvery")]).toEqual([false, false]);
  });
});

it("no source keeps a list of fields by hand", () => {
  const root = join(import.meta.dirname, "../../../src");
  const sources = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => /\.tsx?$/.test(name));
  const name = `"(?:${keys.join("|")})"`;
  const list = new RegExp(`(?:${name}[\\s,|]+){5}${name}`);
  expect(sources.length).toBeGreaterThan(100);
  expect(sources.filter((source) => list.test(readFileSync(join(root, source), "utf8")))).toEqual([]);
});
