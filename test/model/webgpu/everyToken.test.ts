// Every token of the vocabulary at a few places, as answers over time and alternatives ask for them.
import { afterAll, describe, expect, it, vi } from "vitest";
import { GGML_TYPES } from "../../../src/model/folder/ggmlTypes.ts";
import { adaptedLayout, initialAdapters, LORA_TARGETS } from "../../../src/model/lora/adapters.ts";
import { hollowBase } from "../../../src/model/lora/frozenBase.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { countWebgpuMemory } from "../../../src/model/webgpu/memoryCount.ts";
import { rowsAsked } from "../../../src/model/webgpu/scoring/everyToken.ts";
import { createWebgpuBackend } from "../../../src/model/webgpu/webgpuBackend.ts";
import { Random } from "../../../src/rl/random.ts";
import { probeBatch } from "../../../src/train/queries/probes.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { createKernelBackend } from "../../support/kernels.ts";
import { criticConfig, tiedConfig } from "../../support/liveBackend.ts";
import { shareDevice } from "../../support/sharedGpu.ts";
import { storedBase } from "../../support/storedBase.ts";
import { difference, randomGroups, sharpWeights } from "../../support/tokenBatches.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const { gpu, skip } = await gpuForTests();
const shared = gpu ? shareDevice(gpu) : null;
afterAll(() => shared?.destroy());

const lora = { rank: 2, alpha: 4, rankStabilized: false, targets: LORA_TARGETS["all-linear"] } as const;
const numbers = (from: number, count: number) => Array.from({ length: count }, (_, i) => from + (i % 11));

describe("the rows of a batch at which many tokens are scored", () => {
  it("are told apart from the tokens that were said", () => {
    const V = 512;
    const asked = rowsAsked(probeBatch([{ promptTokens: [1, 2, 3], tokens: numbers(4, 12) }], V, 1));
    expect(asked?.range_R).toEqual(Array.from({ length: 8 }, (_, r) => [r * V, (r + 1) * V]));
    expect(Array.from(asked!.rows.scoreRow_K)).toEqual([2, 3, 4, 5, 6, 7, 8, 9]);
    expect(Array.from(asked!.others.scoreRow_K)).toEqual([10, 11, 12, 13]);
    expect(Array.from(asked!.place_K)).toEqual([8 * V, 8 * V + 1, 8 * V + 2, 8 * V + 3]);
    expect(Array.from(asked!.others.sequenceStart_Q)).toEqual([0, 4]);
  });

  it("are none where a group's members are scored, though they share their prompt's last row", () => {
    expect(rowsAsked(packGroups([{ promptTokens: [1, 2], completions: Array.from({ length: 20 }, () => [5]) }], 1))).toBeNull();
  });
});

describe("the estimate of a model with 49,152 ids", () => {
  it("has room on any card for the likeliest tokens of an answer of 1,000", () => {
    const config: TransformerConfig = {
      ...{ ...tiedConfig, vocabularySize: 49_152, hiddenSize: 576, layers: 2, heads: 9, kvHeads: 3, headSize: 64 },
      ...{ intermediateSize: 1536, maxPositions: 2048 },
    };
    const limits = { maxBufferSize: 2 ** 28, maxStorageBufferBindingSize: 2 ** 27, maxComputeWorkgroupsPerDimension: 65_535 };
    const batch = packGroups([{ promptTokens: numbers(1, 40), completions: [numbers(5, 20), numbers(9, 20)] }], 1);
    const workload = {
      ...{ rollouts: [], scored: batch, scores: [], updated: batch, microBatchTokens: 512, hasReference: false },
      probed: probeBatch([{ promptTokens: numbers(1, 40), tokens: numbers(5, 1000) }], config.vocabularySize, 1),
    };
    const type = GGML_TYPES.find(({ name }) => name === "Q4_1")!;
    const frozen = { tensors: hollowBase(config, () => type), adapted: adaptedLayout(config, lora) };
    const parts = countWebgpuMemory(config, limits, workload, frozen);
    const { bytes } = parts.find(({ title }) => title.startsWith("Likely tokens"))!;
    // Logits of eight places twice, and the activations of 1,040 rows.
    expect(bytes).toBeGreaterThan(2 * 8 * 49_152 * 4);
    expect(bytes).toBeLessThan(2 ** 26);
  });
});

describe.skipIf(skip !== undefined)(skip ? `every token on WebGPU (skipped: ${skip})` : "every token on WebGPU", () => {
  it.each([
    { name: "a value head", config: criticConfig },
    { name: "a tied head", config: { ...tiedConfig, vocabularySize: 173 } },
  ])("beside a frozen base with $name has the log-probs, entropies and values of the WASM kernels", async ({ config }) => {
    const adapted = adaptedLayout(config, lora);
    const frozen = { tensors: storedBase(config, sharpWeights(config, 5)), adapted };
    const start_N = initialAdapters(adapted, null, new Random(3)).map((value, i) => value || 0.1 * Math.sin(7 * i));
    const backends = [
      await createWebgpuBackend(config, { gpu: shared?.gpu ?? null }, { onLost: () => undefined, frozen }),
      await createKernelBackend(config, { threads: 1, frozen }),
    ] as const;
    const { promptTokens, completions: drawn } = randomGroups(config, 1, 1, 3)[0]!;
    const tokens = Array.from({ length: 3 }, () => drawn[0]!).flat();
    for (const temperature of [1, 0.7]) {
      const batch = probeBatch(
        [
          { promptTokens, tokens },
          { promptTokens: tokens, tokens: promptTokens },
        ],
        config.vocabularySize,
        temperature,
      );
      expect(rowsAsked(batch)).not.toBeNull();
      const scores = [];
      for (const backend of backends) {
        await backend.setWeights("policy", start_N);
        scores.push(await backend.score(batch, "policy"));
      }
      const [ours, wasm] = scores;
      for (const name of ["logprobs_K", "entropies_K", "values_K"] as const) {
        expect(ours![name] === null, name).toBe(wasm![name] === null);
        if (!ours![name]) continue;
        // Two backends' logits differ by so much, and the temperature divides them.
        expect(temperature * difference(ours![name], wasm![name]!).largest, name).toBeLessThan(1e-5);
      }
      // The first place again as so many answers of one token, each scored with a row of its own.
      const completions = Array.from({ length: config.vocabularySize }, (_, token) => [token]);
      const oneByOne = packGroups([{ promptTokens, completions }], temperature);
      expect(rowsAsked(oneByOne)).toBeNull();
      const { logprobs_K } = await backends[0].score(oneByOne, "policy");
      expect(difference(ours!.logprobs_K.subarray(0, config.vocabularySize), logprobs_K).largest).toBeLessThan(1e-5);
    }
    for (const backend of backends) backend.dispose();
  });
});
