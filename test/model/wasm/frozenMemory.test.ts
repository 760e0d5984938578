// What an update of a pretrained model keeps, counted without a weight of it.
import { expect, it } from "vitest";
import { loadKernels } from "../../../src/kernels/wasm/kernelModule.ts";
import { GGML_TYPES } from "../../../src/model/folder/ggmlTypes.ts";
import { adaptedLayout, LORA_TARGETS } from "../../../src/model/lora/adapters.ts";
import { hollowBase } from "../../../src/model/lora/frozenBase.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { countWasmMemory } from "../../../src/model/wasm/memoryCount.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { createNodeHost } from "../../support/nodeHost.ts";
import "../../support/kernels.ts";

/** SmolLM2-135M. */
const shape: TransformerConfig = {
  ...{ vocabularySize: 49152, hiddenSize: 576, layers: 30, heads: 9, kvHeads: 3, headSize: 64, intermediateSize: 1536 },
  ...{ ropeTheta: 100_000, rmsNormEps: 1e-5, tiedEmbeddings: true, qkvBias: false, headNorm: false, maxPositions: 2048, valueHead: false },
};
const adapted = adaptedLayout(shape, { rank: 8, alpha: 32, rankStabilized: false, targets: LORA_TARGETS["all-linear"] });
const tensors = hollowBase(shape, () => GGML_TYPES.find(({ name }) => name === "Q4_1")!);

/** Bytes of an update of so many groups of 4 completions of 48 tokens. */
async function bytesOf(groups: number, microBatchTokens: number): Promise<number> {
  const group = { promptTokens: Array<number>(40).fill(5), completions: Array.from({ length: 4 }, () => Array<number>(48).fill(7)) };
  const updated = packGroups(Array(groups).fill(group), 1);
  const workload = { rollouts: [], scores: [], scored: updated, probed: null, updated, microBatchTokens, hasReference: false };
  const { module } = await loadKernels(createNodeHost(), false);
  const parts = await countWasmMemory(shape, module, { threads: 2 }, workload, { tensors, adapted });
  return parts.reduce((sum, { bytes }) => sum + bytes, 0);
}

it("SmolLM2-135M with adapters of rank 8 is updated within 600 MB, however many groups a micro-batch may have", async () => {
  const four = await bytesOf(4, 2048);
  expect(four).toBeLessThan(600e6);
  expect(await bytesOf(16, 65_536)).toBeLessThan(four + 1e6);
  expect(await bytesOf(4, 256)).toBeLessThan(four - 100e6);
});
