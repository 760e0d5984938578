// The configurations that are shipped: one for every task and every algorithm, each of which trains.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { planFile, readConfigFile, readSetting, withSettings } from "../../src/cli/training/configFile.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import { templates } from "../../src/rl/templates/index.ts";
import { catalog } from "../../src/train/catalog.ts";
import { pretrainedPresets } from "../../src/train/pretrainedPresets.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import "../support/kernels.ts";

const root = join(import.meta.dirname, "..", "..", "configs");
const namesIn = (folder: string) => readdirSync(join(root, folder)).flatMap((name) => (name.endsWith(".yaml") ? [join(folder, name)] : []));
const idOf = (path: string) => path.replace(/^.*\//, "").replace(".yaml", "");

/** Those of presets with a pretrained model are named after them. */
const presets = pretrainedPresets.map(({ id }) => id);
/** So are those of templates, which they name. */
const started = templates.map(({ id }) => id);
/** Those of problems in a file, for models of the hub, are named after the form of the problems. */
const ofData = ["gsm8k", "math"];
const ofTasks = namesIn(".").filter((path) => ![...presets, ...started, ...ofData].includes(idOf(path)));

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

  it("has a file for every task, named after it, and one for every algorithm", async () => {
    expect(ofTasks.map(idOf).sort()).toEqual(catalog.tasks.map(({ id }) => id).sort());
    // The readable loop is that of the digit sum.
    const algorithms = catalog.algorithms.map(({ id }) => id).filter((id) => id !== "builtin");
    expect(namesIn("algorithms").map(idOf).sort()).toEqual(algorithms.sort());
    for (const path of ofTasks) expect(planFile(await readConfigFile(join(root, path))).config.task).toBe(idOf(path));
    for (const path of namesIn("algorithms")) expect(planFile(await readConfigFile(join(root, path))).config.algorithm).toBe(idOf(path));
  });

  it.each([...namesIn("."), ...namesIn("algorithms")])("%s begins with what it is for, and trains", async (path) => {
    expect(readFileSync(join(root, path), "utf8")).toMatch(/^# .{10}/);
    const few = ["steps=2", "warmupSteps=0", "evalEvery=0", "evalProblems=2", "evalSamples=1", "promptsPerStep=1", "groupSize=2"];
    // A model of the hub is not at hand; its adapters lie beside one of the lab's own then.
    const named = planFile(await readConfigFile(join(root, path))).config.checkpoint;
    const base = named.includes("/") ? ["checkpoint=base"] : [];
    const file = withSettings(
      await readConfigFile(join(root, path)),
      [...few, ...base, "demonstrationsPerStep=2", "threads=1", "backend=wasm"].map(readSetting),
    );
    const { steps } = await trainRun(planFile(file).config, createNodeHost(file.loaded ? { additions: file.loaded.additions } : {}));
    expect(steps.map(({ step }) => step)).toEqual([1, 2]);
  });
});
