// What a request may take: micro-batches and prefill waves must bound it, however many rows there are.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { initialWeights } from "../../src/model/initialWeights.ts";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import type { WasmBackend } from "../../src/model/wasm/wasmBackend.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { cutGroups } from "../../src/train/step/update/cutGroups.ts";
import { createKernelBackend } from "../support/kernels.ts";
import { fixedGradients, linearObjective } from "../support/tokenBatches.ts";

const config: TransformerConfig = {
  vocabularySize: 64,
  hiddenSize: 32,
  layers: 2,
  heads: 2,
  kvHeads: 2,
  headSize: 16,
  intermediateSize: 88,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tiedEmbeddings: true,
  qkvBias: false,
  headNorm: false,
  maxPositions: 128,
  valueHead: false,
};
let backend: WasmBackend;

beforeAll(async () => {
  backend = await createKernelBackend(config, { threads: 1 });
  await backend.setWeights("policy", await initialWeights(config, new Random(1), async () => {}));
});
afterAll(() => backend.dispose());

describe("memory", () => {
  it("of an update is bounded by the micro-batch, for one prompt with many completions too", async () => {
    const oneGroup = (completions: number) => [{ promptTokens: [1, 2], completions: Array(completions).fill(Array(33).fill(3)) }];
    const bytesOf = async (completions: number, microBatch: number) => {
      const batch = packGroups(cutGroups(oneGroup(completions), microBatch), 1);
      await backend.accumulate(batch, linearObjective(fixedGradients(batch, 2, ["logprobs"]), false), microBatch);
      return backend.memoryBytes();
    };
    const before = await bytesOf(1, 256);
    const small = (await bytesOf(8, 256)) - before;
    expect((await bytesOf(64, 256)) - before).toBeLessThan(1.3 * small);
    expect((await bytesOf(64, 65_536)) - before).toBeGreaterThan(5 * small);
  });

  it("of a reference is free once it is dropped, and serves the next one", async () => {
    const weights_N = await initialWeights(config, new Random(2), async () => {});
    const batch = packGroups([{ promptTokens: [1, 2], completions: [[3]] }], 1);
    const refer = async () => {
      await backend.setWeights("reference", weights_N);
      await backend.score(batch, "reference");
      return backend.memoryBytes();
    };
    const first = await refer();
    await backend.dropWeights("reference");
    await backend.score(batch, "policy");
    // The weights, and their matrices in packed form.
    expect(backend.memoryBytes()).toBeLessThan(first - 1.9 * 4 * weights_N.length);
    for (let round = 0; round < 3; round++) {
      expect(await refer()).toBe(first);
      expect(await backend.getWeights("reference")).toEqual(weights_N);
      await backend.dropWeights("reference");
    }
  });

  it("of a rollout grows by the keys and values of its prompts, not by what prefilling them takes", async () => {
    const length = 64;
    const bytesOf = async (prompts: number) => {
      await sampleCompletions(backend, {
        ...{ prompts: Array(prompts).fill(Array(length).fill(3)), copies: 1, maxNewTokens: 1, stopTokens: [] },
        ...{ temperature: 1, topK: 0, topP: 1, minP: 0, uniforms_BT: new Float32Array(prompts).fill(0.5) },
      });
      return backend.memoryBytes();
    };
    const keysAndValues = config.layers * 2 * config.kvHeads * config.headSize * 4;
    // Each prompt's own completion has a block of 8 positions; the rest is one row of everything else.
    const each = (length + 8) * keysAndValues + 16 * config.intermediateSize * 4;
    expect((await bytesOf(512)) - (await bytesOf(128))).toBeLessThan(384 * each);
  });
});
