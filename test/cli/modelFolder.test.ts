// Model folders of other programs as the start of a run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { isModelFolder, saveOfModelFolder } from "../../src/cli/runs/modelFolder.ts";
import { writeAdapterFolder } from "../../src/model/folder/adapterFolder.ts";
import { writeModelFolder } from "../../src/model/folder/checkpoint.ts";
import { readModelConfig } from "../../src/model/folder/configFile.ts";
import { initialWeights } from "../../src/model/initialWeights.ts";
import { adaptedLayout, LORA_TARGETS } from "../../src/model/lora/adapters.ts";
import { tensorState } from "../../src/model/model.ts";
import { sizeOf } from "../../src/model/tensors.ts";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import { Random } from "../../src/rl/random.ts";
import { readSave } from "../../src/train/save/readSave.ts";
import { planRun } from "../../src/train/start/plan.ts";
import "../support/kernels.ts";

const path = mkdtempSync(join(tmpdir(), "rollout-lab-folder-"));
afterAll(() => rmSync(path, { recursive: true }));

const shape: TransformerConfig = {
  ...{ vocabularySize: 512, hiddenSize: 16, layers: 1, heads: 2, kvHeads: 1, headSize: 8, intermediateSize: 24 },
  ...{ ropeTheta: 10_000, rmsNormEps: 1e-5, tiedEmbeddings: true, qkvBias: false, headNorm: false, maxPositions: 2048, valueHead: false },
};
const { config } = planRun({ config: { task: "boxed-arithmetic", backend: "webgpu", threads: 1, promptsPerStep: 2, groupSize: 2 } });
const asRun = { path, runId: "there", config, additions: undefined };

async function write(written: TransformerConfig): Promise<Float32Array> {
  const weights_N = await initialWeights(written, new Random(1), async () => {});
  const ids = { bos: null, eos: 2, pad: 0 };
  for (const { name, bytes } of writeModelFolder(written, weights_N, { dtype: "F32", ids })) writeFileSync(join(path, name), bytes);
  return weights_N;
}

it("a model folder becomes the save of a run with its weights and shape, at the step that was told, on any machine", async () => {
  expect(await isModelFolder(path)).toBe(false);
  const weights_N = await write(shape);
  expect(await isModelFolder(path)).toBe(true);
  const steps = [1, 2].map((step) => ({ step, metrics: { reward: step / 4 } }));
  const saved = readSave("there", await saveOfModelFolder({ ...asRun, steps }));
  expect(saved.config).toMatchObject({
    startFrom: "run",
    backend: "wasm",
    hiddenSize: 16,
    layers: 1,
    heads: 2,
    kvHeads: 1,
    intermediateSize: 24,
  });
  expect(saved.checkpoint?.trainer.step).toBe(2);
  expect(saved.steps).toEqual(steps);
  expect(tensorState(saved.checkpoint!.model).policy.values).toEqual(weights_N);
});

it("a folder of PEFT's adapters becomes the save of a run that has them beside the configuration's base", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rollout-lab-adapters-"));
  const lora = { rank: 2, alpha: 8, rankStabilized: true, targets: LORA_TARGETS.attention };
  const { layout } = adaptedLayout(readModelConfig(readFileSync("public/models/base/config.json", "utf8")), lora);
  const values = Float32Array.from({ length: sizeOf(layout) }, (_, i) => Math.sin(i));
  for (const { name, bytes } of writeAdapterFolder(lora, { layout, values }, null, "base")) writeFileSync(join(folder, name), bytes);
  expect(await isModelFolder(folder)).toBe(true);
  const saved = readSave("there", await saveOfModelFolder({ ...asRun, path: folder, steps: [] }));
  const asked = { loraRank: 2, loraAlpha: 8, loraRankStabilized: true, loraTargets: "attention" };
  expect(saved.config).toMatchObject({ startFrom: "checkpoint", checkpoint: "base", ...asked });
  expect(tensorState(saved.checkpoint!.model).policy.values).toEqual(values);
  rmSync(folder, { recursive: true });
});

it("a shape that no configuration can say is refused by its name", async () => {
  await write({ ...shape, ropeTheta: 500_000 });
  await expect(saveOfModelFolder({ ...asRun, steps: [] })).rejects.toThrow(
    `${path} cannot be opened: the weights to start from do not fit the task boxed-arithmetic: their ropeTheta must be 10000, got 500000`,
  );
  await write({ ...shape, vocabularySize: 600 });
  await expect(saveOfModelFolder({ ...asRun, steps: [] })).rejects.toThrow(/their vocabularySize must be 512, got 600/);
});
