// Configurations of earlier versions, as they lie in saved runs and committed results.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { CONFIG_VERSION, migrateConfig, migrations } from "../../src/protocol/config/migrations.ts";
import { runConfigSchema } from "../../src/protocol/config.ts";
import { catalog } from "../../src/train/catalog.ts";
import { pretrainRecipes } from "../../src/train/pretrainRecipes.ts";
import { resolveConfig } from "../support/resolveConfig.ts";

const root = join(import.meta.dirname, "../..");
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));
const stored = readJson("test/protocol/config.version1.json");

describe("a configuration of version 1", () => {
  it("passes the present schema once it is brought up to date, with every value kept", () => {
    expect(() => runConfigSchema.parse(stored)).toThrow();
    const { batchSequences, changes: _, version: __, ...same } = stored;
    const config = runConfigSchema.parse(migrateConfig(stored));
    expect(config).toMatchObject({ ...same, version: 3, demonstrationsPerStep: batchSequences });
    expect(config.changes).toEqual([{ afterStep: 4, settings: { demonstrationsPerStep: 8, learningRate: 0.05 } }]);
  });

  it("resolves to the same run as its present form", () => {
    const config = resolveConfig(stored, catalog.tasks, catalog.algorithms);
    expect(config).toEqual(runConfigSchema.parse(migrateConfig(stored)));
    expect(resolveConfig(config, catalog.tasks, catalog.algorithms)).toEqual(config);
  });

  it("is not touched itself", () => {
    const before = structuredClone(stored);
    migrateConfig(stored);
    expect(stored).toEqual(before);
  });

  it("is what a stored one without a version is", () => {
    const { version: _, ...unversioned } = stored;
    expect(migrateConfig(unversioned, 1)).toEqual(migrateConfig(stored));
    expect(() => resolveConfig(unversioned, catalog.tasks, catalog.algorithms)).toThrow('unknown field "batchSequences"');
  });
});

describe("the version", () => {
  it("has one migration for each step to the present", () => {
    expect(migrations).toHaveLength(CONFIG_VERSION - 1);
    expect(migrateConfig({ groupSize: 4 })).toEqual({ groupSize: 4, version: CONFIG_VERSION });
  });

  it.each([
    [CONFIG_VERSION + 1, "version must be <= 3, got 4: a newer version of the lab wrote this configuration"],
    [0, "version must be a whole number from 1 to 3, got 0"],
    [1.5, "version must be a whole number from 1 to 3, got 1.5"],
    ["two", 'version must be a whole number from 1 to 3, got "two"'],
  ])("%s is refused in a sentence", (version, sentence) => {
    expect(() => resolveConfig({ ...stored, version }, catalog.tasks, catalog.algorithms)).toThrow(sentence);
  });

  it.each([null, 3, "text", [1]])("is not asked of %s, which is no configuration", (value) => {
    expect(migrateConfig(value)).toBe(value);
  });
});

it("every committed result, and the recipe of every shipped model, holds a configuration that still resolves", () => {
  const files = readdirSync(join(root, "results"), { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".json"));
  expect(files.length).toBeGreaterThan(50);
  for (const file of files) {
    const { config } = readJson(`results/${file}`);
    expect(() => resolveConfig(migrateConfig(config, 1), catalog.tasks, catalog.algorithms), file).not.toThrow();
  }
  for (const [name, { config, tasks }] of Object.entries(pretrainRecipes)) {
    const record = readJson(`public/models/${name}/recipe.json`);
    // What computed it was chosen where it was made, and stands beside the recipe too.
    const { backend, ...recipe } = resolveConfig(migrateConfig(record.recipe, 1), catalog.tasks, catalog.algorithms);
    expect({ ...recipe, backend: config.backend }, name).toMatchObject(config);
    expect(backend, name).toBe(record.backend);
    expect(record.tasks, name).toEqual(tasks);
  }
});
