// Arrays of a checkpoint that stay where they are, since they have not changed.
import { expect, it } from "vitest";
import { unnamed } from "../../../src/model/tensors.ts";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { packCheckpoint } from "../../../src/train/save/checkpointFiles.ts";
import { liveSettingsOf } from "../../../src/train/save/manifest.ts";
import { SaveBuilder } from "../../../src/train/save/saveBuilder.ts";
import { crc32 } from "../../../src/train/save/sealed.ts";

/** Two arrays that CRC-32 does not tell apart. */
function alike(): readonly [Float32Array, Float32Array] {
  const seen = new Map<number, Float32Array>();
  for (let i = 0; ; i++) {
    const values = Float32Array.of(Math.sin(i), Math.cos(3 * i));
    const checksum = crc32(new Uint8Array(values.buffer));
    const before = seen.get(checksum);
    if (before) return [before, values];
    seen.set(checksum, values);
  }
}

it("an array stays where it is if it is the same, and not where its checksum of 32 bits alone is", () => {
  const [one, other] = alike();
  expect(crc32(new Uint8Array(one.buffer))).toBe(crc32(new Uint8Array(other.buffer)));
  const hashes = new Map<string, string>();
  const pack = (step: number, values: Float32Array, before: Parameters<typeof packCheckpoint>[1]) => {
    const set = unnamed(values.slice());
    const model = { policy: set, reference: set, first: set, second: set, optimizerSteps: step };
    const trainer = { step, random: [1, 2, 3, 4] as const, loader: 0, controllers: {} };
    return packCheckpoint({ trainer, tokenizer: null, model, critic: null }, before, hashes);
  };
  const first = pack(1, one, null);
  const same = pack(2, one, first.header);
  expect([...same.put.keys()]).not.toContain("checkpoint/2/model.reference");
  for (const name of ["policy", "reference", "first", "second"])
    expect([...pack(3, other, same.header).put.keys()]).toContain(`checkpoint/3/model.${name}`);
});

it("a reference that has not changed stays where it was first written; what a step changes is written with each checkpoint", () => {
  const config = runConfigSchema.parse({ task: "digit-sum" });
  const set = unnamed(Float32Array.of(1, 2, 3));
  const at = (step: number) => ({
    ...{ settings: liveSettingsOf(config), tokenizer: null, critic: null },
    trainer: { step, random: [1, 2, 3, 4] as const, loader: 0, controllers: {} },
    model: { policy: unnamed(Float32Array.of(step, 2, 3)), reference: set, first: set, second: set, optimizerSteps: step },
  });
  const log = { steps: [], evaluations: [], baselines: [], probes: [] };
  const builder = new SaveBuilder("run", log, config);
  builder.whole({ config, checkpoint: at(7), kept: new Map() });
  const { put, removed } = builder.next({ config, log, kept: { put: new Map(), removed: [] }, checkpoint: at(9) });
  const changed = (step: number) => ["policy", "first", "second"].map((name) => `checkpoint/${step}/model.${name}`);
  expect([...put.keys()]).toEqual([...changed(9), "run"]);
  expect(removed).toEqual(changed(7));
});
