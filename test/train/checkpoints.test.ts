// What the shipped checkpoints promise, held against the records beside them.
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tasks } from "../../src/rl/tasks/index.ts";
import { catalog } from "../../src/train/catalog.ts";
import { pretrainRecipes } from "../../src/train/pretrainRecipes.ts";
import { planRun } from "../../src/train/start/plan.ts";

const models = join(import.meta.dirname, "..", "..", "public", "models");
const recordOf = (name: string) => JSON.parse(readFileSync(join(models, name, "recipe.json"), "utf8"));

/** Whether a checkpoint is a model of the Hugging Face hub, of which nothing was promised here. */
const isOfHub = (checkpoint: string) => checkpoint.includes("/");

describe.each(Object.keys(pretrainRecipes))("the checkpoint %s", (name) => {
  it("is small and was made within an hour", () => {
    const { parameters, seconds } = recordOf(name);
    expect(parameters).toBeLessThanOrEqual(2_000_000);
    expect(seconds).toBeLessThan(3600);
    expect(statSync(join(models, name, "model.safetensors")).size).toBeLessThan(4e6);
  });
});

/** What was measured of a task at the end of its checkpoint's training, once for each of its options. */
function measured(checkpoint: string, task: string): readonly { readonly formRate: number }[] {
  const { recipe, evaluation, evaluations } = recordOf(checkpoint);
  if (evaluation) return recipe.task === task ? [evaluation] : [];
  return Object.entries<{ readonly formRate: number }>(evaluations).flatMap(([label, found]) =>
    label.split(" ")[0] === task ? [found] : [],
  );
}

it("a task starts from a checkpoint that keeps its form", () => {
  for (const { entry } of tasks) {
    const { checkpoint = "base" } = entry.config;
    if (checkpoint === "base" || isOfHub(checkpoint)) continue;
    const found = measured(checkpoint, entry.id);
    expect(found.length, entry.id).toBeGreaterThan(0);
    for (const { formRate } of found) expect(formRate, entry.id).toBeGreaterThan(0.85);
  }
});

it("a preset that starts from a checkpoint names a shipped one, and a task that knows it", () => {
  for (const { id, config } of catalog.presets) {
    const plan = planRun({ config });
    if (plan.config.model !== "transformer" || plan.config.startFrom !== "checkpoint" || isOfHub(plan.config.checkpoint)) continue;
    expect(Object.keys(pretrainRecipes), id).toContain(plan.config.checkpoint);
    if (plan.config.checkpoint !== "base") expect(measured(plan.config.checkpoint, plan.config.task).length, id).toBeGreaterThan(0);
  }
});
