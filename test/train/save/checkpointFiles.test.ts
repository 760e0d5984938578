// Arrays of a checkpoint that stay where they are, since they have not changed.
import { expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { packCheckpoint } from "../../../src/train/save/checkpointFiles.ts";
import { liveSettingsOf } from "../../../src/train/save/manifest.ts";
import { SaveBuilder } from "../../../src/train/save/saveBuilder.ts";
import { setOf } from "../../support/tensorSets.ts";

it("an array stays where it is if it is the same, and not where one value is another", () => {
  const pack = (step: number, values: Float32Array, before: Parameters<typeof packCheckpoint>[1]) => {
    const set = setOf(values.slice());
    const model = { policy: set, reference: set, first: set, second: set, optimizerSteps: step };
    const trainer = { step, random: [1, 2, 3, 4] as const, loader: 0, controllers: {} };
    return packCheckpoint({ trainer, tokenizer: "11-00000000", model, critic: null }, before);
  };
  const first = pack(1, Float32Array.of(1, 2), null);
  const same = pack(2, Float32Array.of(1, 2), first.header);
  expect([...same.put.keys()]).not.toContain("checkpoint/2/model.reference");
  for (const name of ["policy", "reference", "first", "second"])
    expect([...pack(3, Float32Array.of(1, 2.0000002), same.header).put.keys()]).toContain(`checkpoint/3/model.${name}`);
});

it("a reference that has not changed stays where it was first written; what a step changes is written with each checkpoint", () => {
  const config = runConfigSchema.parse({ task: "digit-sum" });
  const set = setOf(Float32Array.of(1, 2, 3));
  const at = (step: number) => ({
    ...{ settings: liveSettingsOf(config), tokenizer: "11-00000000", critic: null },
    trainer: { step, random: [1, 2, 3, 4] as const, loader: 0, controllers: {} },
    model: { policy: setOf(Float32Array.of(step, 2, 3)), reference: set, first: set, second: set, optimizerSteps: step },
  });
  const log = { steps: [], evaluations: [], baselines: [], probes: [] };
  const builder = new SaveBuilder("run", log, config);
  builder.whole({ config, checkpoint: at(7), kept: new Map() });
  const { put, removed } = builder.next({ config, log, kept: { put: new Map(), removed: [] }, checkpoint: at(9) });
  const changed = (step: number) => ["policy", "first", "second"].map((name) => `checkpoint/${step}/model.${name}`);
  expect([...put.keys()]).toEqual([...changed(9), "run"]);
  expect(removed).toEqual(changed(7));
});
