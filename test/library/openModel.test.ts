// A model by itself: of a configuration, of a save, of a run's or a Hugging Face folder, and of a run just trained.
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readModelFiles } from "../../src/cli/folder/saveFile.ts";
import { type OpenedModel, openModel } from "../../src/library/openModel.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import { unpackFiles } from "../../src/train/save/rollout/packedFiles.ts";
import { createNodeHost } from "../support/nodeHost.ts";

const config: RunConfigInput = {
  ...{ task: "digit-sum", model: "transformer", startFrom: "random", backend: "wasm", threads: 1, klEstimator: "k3" },
  ...{ hiddenSize: 16, layers: 1, heads: 2, kvHeads: 1, intermediateSize: 16, groupSize: 4, promptsPerStep: 1, steps: 3, evalEvery: 0 },
};

async function policyOf(opened: OpenedModel): Promise<ArrayLike<number>> {
  const { policy } = await opened.model.save();
  opened.close();
  return policy.values;
}

describe("a trained run", async () => {
  const run = await trainRun(config, createNodeHost());
  const trained = await policyOf(await run.openModel());
  const save = await run.engine.ask({ type: "export-save" });

  it("hands over its model, which samples", async () => {
    const opened = await run.openModel();
    const { model, renderer } = opened;
    const result = await sampleCompletions(model.policy(), {
      ...{ prompts: [[10]], copies: 2, maxNewTokens: 4, temperature: 1, topK: 0, topP: 1, minP: 0 },
      ...{ stopTokens: renderer.stopTokens, uniforms_BT: new Float32Array(8).fill(0.5) },
    });
    expect(Array.from(result.lengths_B)).toEqual([4, 4]);
    opened.close();
    const start = await policyOf(await openModel(config, createNodeHost()));
    expect(trained).not.toEqual(start);
  });

  it("is opened from its one file, and from its folder", async () => {
    expect(await policyOf(await openModel({ files: [save] }, createNodeHost()))).toEqual(trained);
    const folder = mkdtempSync(join(tmpdir(), "run-"));
    mkdirSync(join(folder, "save"));
    const files = [...unpackFiles(save.bytes)];
    for (const [i, [, bytes]] of files.entries()) writeFileSync(join(folder, "save", `${i}.bin`), bytes);
    const list = { runId: "run", files: Object.fromEntries(files.map(([name], i) => [name, `${i}.bin`])) };
    writeFileSync(join(folder, "save", "save.json"), JSON.stringify(list));
    expect(await policyOf(await openModel({ files: await readModelFiles(folder) }, createNodeHost()))).toEqual(trained);
  });

  it("is opened from its Hugging Face folder, for a task that it fits alone", async () => {
    const folder = mkdtempSync(join(tmpdir(), "model-"));
    for (const { name, bytes } of await run.engine.ask({ type: "export-model" })) writeFileSync(join(folder, name), bytes);
    const files = await readModelFiles(folder);
    expect(
      await policyOf(await openModel({ files, config: { task: "digit-sum", backend: "wasm", klEstimator: "k3" } }, createNodeHost())),
    ).toEqual(trained);
    await expect(openModel({ files, config: { task: "boxed-arithmetic", backend: "wasm" } }, createNodeHost())).rejects.toThrow(
      "the weights to start from do not fit the task boxed-arithmetic: their vocabularySize must be 512, got 11",
    );
  });

  it("is not there where the path holds something else", async () => {
    const folder = mkdtempSync(join(tmpdir(), "nothing-"));
    await expect(readModelFiles(folder)).rejects.toThrow("holds neither a saved run nor a model");
    const file = { name: "notes.txt", bytes: new Uint8Array(4) };
    await expect(openModel({ files: [file] }, createNodeHost())).rejects.toThrow("it is no saved run");
  });
});

it("a configuration that begins with a run's weights is refused where there are none", async () => {
  await expect(openModel({ ...config, startFrom: "run" }, createNodeHost())).rejects.toThrow(
    'startFrom must be "checkpoint" or "random" where no run hands its weights on, got "run"',
  );
});
