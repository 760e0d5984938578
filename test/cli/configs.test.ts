// The configurations that are shipped, each of which trains; and tasks and algorithms by their names alone, which need no file.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type ConfigFile, planFile, readConfigFile, readSetting, withSettings } from "../../src/cli/training/configFile.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { templates } from "../../src/rl/templates/index.ts";
import { catalog } from "../../src/train/catalog.ts";
import { pretrainedPresets } from "../../src/train/pretrainedPresets.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import "../support/kernels.ts";

const root = join(import.meta.dirname, "..", "..", "configs");
const namesIn = (folder: string) => readdirSync(join(root, folder)).flatMap((name) => (name.endsWith(".yaml") ? [join(folder, name)] : []));
/** The readable loop is that of the digit sum. */
const algorithms = catalog.algorithms.map(({ id }) => id).filter((id) => id !== "builtin");
const idOf = (path: string) => path.replace(/^.*\//, "").replace(".yaml", "");

/** Those of presets with a pretrained model are named after them. */
const presets = pretrainedPresets.map(({ id }) => id);
/** So are those of templates, which they name. */
const started = templates.map(({ id }) => id);
/** Those of problems in a file, for models of the hub, are named after the form of the problems. */
const ofData = ["gsm8k", "math"];
const ofTasks: readonly string[] = namesIn(".").filter((path) => ![...presets, ...started, ...ofData].includes(idOf(path)));

/** Tasks and algorithms with a file of their own. */
const FILES = { tasks: 18, algorithms: 17 };

/** A file that says no more than this. */
const fileOf = (input: RunConfigInput): ConfigFile => ({
  path: "made-up.yaml",
  name: "made-up",
  input,
  loaded: null,
  contents: { read: async () => null },
  whereIs: () => null,
});
const named = (entries: readonly { readonly id: string }[]) => entries.map(({ id }) => [`task: ${id}`, { task: id }] as const);

/** Takes two small steps of what a file says. */
async function trains(file: ConfigFile): Promise<void> {
  const few = ["steps=2", "warmupSteps=0", "evalEvery=0", "evalProblems=2", "evalSamples=1", "promptsPerStep=1", "groupSize=2"];
  // A model of the hub is not at hand; its adapters lie beside one of the lab's own then.
  const base = planFile(file).config.checkpoint.includes("/") ? ["checkpoint=base"] : [];
  const settings = [...few, ...base, "demonstrationsPerStep=2", "threads=1", "backend=wasm"].map(readSetting);
  const { config } = planFile(withSettings(file, settings));
  const { steps } = await trainRun(config, createNodeHost(file.loaded ? { additions: file.loaded.additions } : {}));
  expect(steps.map(({ step }) => step)).toEqual([1, 2]);
}

describe("configs", () => {
  it("has a file for every preset with a pretrained model, which says all that it does", async () => {
    expect(
      namesIn(".")
        .map(idOf)
        .filter((id) => presets.includes(id))
        .sort(),
    ).toEqual([...presets].sort());
    for (const { id, config } of pretrainedPresets)
      expect(planFile(await readConfigFile(join(root, `${id}.yaml`))).config, id).toEqual(planRun({ config }).config);
  });

  it("has a file for every template, which comes to what the page opens", async () => {
    for (const { id, config } of templates)
      expect(planFile(await readConfigFile(join(root, `${id}.yaml`))).config, id).toEqual(planRun({ config }).config);
  });

  it("names every other file after the task or algorithm that it trains", async () => {
    expect(catalog.tasks.map(({ id }) => id)).toEqual(expect.arrayContaining(ofTasks.map(idOf)));
    expect(algorithms).toEqual(expect.arrayContaining(namesIn("algorithms").map(idOf)));
    // What has a file keeps it.
    expect([ofTasks.length, namesIn("algorithms").length]).toEqual([FILES.tasks, FILES.algorithms]);
    for (const path of ofTasks) expect(planFile(await readConfigFile(join(root, path))).config.task).toBe(idOf(path));
    for (const path of namesIn("algorithms")) expect(planFile(await readConfigFile(join(root, path))).config.algorithm).toBe(idOf(path));
  });

  it.each([...namesIn("."), ...namesIn("algorithms")])("%s begins with what it is for, and trains", async (path) => {
    expect(readFileSync(join(root, path), "utf8")).toMatch(/^# .{10}/);
    await trains(await readConfigFile(join(root, path)));
  });

  it.each(named(catalog.tasks))("%s is all that a file must say to be planned", (_, input) => {
    expect(planFile(fileOf(input)).config).toMatchObject(input);
  });

  const unfiled = [
    ...named(catalog.tasks).filter(([, { task }]) => !ofTasks.map(idOf).includes(task)),
    ...algorithms
      .filter((id) => !namesIn("algorithms").map(idOf).includes(id))
      .map((algorithm) => [algorithm, { task: "digit-sum", algorithm }] as const),
  ];
  it.each(unfiled)("%s has no file and trains by its own settings", async (_, input) => {
    await trains(fileOf(input));
  });
});
