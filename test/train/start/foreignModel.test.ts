// A pretrained model from elsewhere is trained by its own tokenizer and template, and leaves as a folder that has them.
import { describe, expect, it } from "vitest";
import { trainRun } from "../../../src/library/trainRun.ts";
import { readGguf } from "../../../src/model/folder/gguf.ts";
import { ggufConfig, ggufTokenizer, ggufTokenizerConfig } from "../../../src/model/folder/ggufModel.ts";
import { folderOf } from "../../../src/model/folder/modelFolder.ts";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { estimateRun } from "../../../src/train/memory/memoryCheck.ts";
import { planRun } from "../../../src/train/start/plan.ts";
import { foreignConfig, foreignTexts } from "../../support/foreignModel.ts";
import { ggufFile } from "../../support/ggufFile.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import { sharpWeights } from "../../support/tokenBatches.ts";

const gguf = ggufFile({ config: foreignConfig, weights_N: sharpWeights(foreignConfig, 5) }, foreignTexts, "Q8_0");
const header = readGguf(gguf);
const files: Readonly<Record<string, Uint8Array>> = {
  "config.json": new TextEncoder().encode(ggufConfig(header)),
  "tokenizer.json": new TextEncoder().encode(ggufTokenizer(header)),
  "tokenizer_config.json": new TextEncoder().encode(ggufTokenizerConfig(header)),
  "model.gguf": gguf,
};
const folder = folderOf(async (name) => files[name] ?? Promise.reject(new Error(`${name} is missing`)));
const host = createNodeHost({ openModel: async (name) => (name === "elsewhere" ? folder : null) });
const config: RunConfigInput = {
  ...{ task: "boxed-arithmetic", startFrom: "checkpoint", checkpoint: "elsewhere", backend: "wasm", threads: 1 },
  ...{ steps: 2, promptsPerStep: 2, groupSize: 4, maxCompletionTokens: 12, evalEvery: 0, evalProblems: 4, klCoef: 0.1 },
};

describe("a model from elsewhere", () => {
  it("takes steps on conversations in its own template, and leaves as a folder with its own tokenizer", async () => {
    const { steps, engine } = await trainRun(config, host);
    expect(steps.map(({ step }) => step)).toEqual([1, 2]);
    const { groups } = await engine.ask({ type: "inspect", step: 2 });
    const prompt = groups[0]?.promptPieces.join("");
    expect(prompt).toMatch(/^<\|im_start\|>system\nBe brief\.<\|im_end\|>\n<\|im_start\|>user\n/);
    const left = await engine.ask({ type: "export-model" });
    expect(left.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["config.json", "model.safetensors", "tokenizer.json", "tokenizer_config.json"]),
    );
    expect(left.find(({ name }) => name === "tokenizer.json")?.bytes).toEqual(files["tokenizer.json"]);
  });

  it("is estimated, and is refused for a task whose tools its template does not have", async () => {
    expect((await estimateRun(planRun({ config }), host)).bytes).toBeGreaterThan(0);
    const withTools = estimateRun(planRun({ config: { ...config, task: "calculator" } }), host);
    await expect(withTools).rejects.toThrow("checkpoint must be a model that can be offered tools for the task");
  });
});
