// What Qwen2 and Qwen3 have beside Llama: biases of queries, keys and values, norms of the heads of queries and keys,
// and heads whose width does not follow from the model's.
import { describe, expect, it } from "vitest";
import type { TransformerBackend } from "../../src/model/backend.ts";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { expectEveryGradient, smallConfig } from "./gradientSuite.ts";
import type { CreateBackend } from "./liveBackend.ts";
import { readExpected, readReferenceModel } from "./referenceFolder.ts";
import { difference, packWhole, sharpWeights } from "./tokenBatches.ts";

interface BaseNumbers {
  readonly inputIds: readonly (readonly number[])[];
  /** Log-probs without an adapter. */
  readonly referenceLogprobs: readonly (readonly number[])[];
}

const bothConfig: TransformerConfig = { ...smallConfig, heads: 3, qkvBias: true, headNorm: true };

async function withBackend(create: CreateBackend, config: TransformerConfig, look: (backend: TransformerBackend) => Promise<void>) {
  const backend = await create(config);
  try {
    await look(backend);
  } finally {
    backend.dispose();
  }
}

/** Samples two copies of two prompts in turns and scores what came out. */
async function expectSampledAsScored(backend: TransformerBackend): Promise<void> {
  await backend.setWeights("policy", sharpWeights(backend.config, 5));
  const prompts = [[1, 2, 3, 4], [5]];
  const [copies, T] = [2, 6];
  const filters = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] };
  const uniforms_BT = Float32Array.from({ length: prompts.length * copies * T }, (_, i) => (i * 0.37 + 0.11) % 1);
  const { tokens_BT, logprobs_BT } = await sampleCompletions(backend, { prompts, copies, maxNewTokens: T, ...filters, uniforms_BT });
  const groups = prompts.map((promptTokens, p) => ({
    promptTokens,
    completions: Array.from({ length: copies }, (_, c) => Array.from(tokens_BT.subarray((p * copies + c) * T, (p * copies + c + 1) * T))),
  }));
  const { logprobs_K } = await backend.score(packGroups(groups, 1), "policy");
  expect(difference(logprobs_K, logprobs_BT).largest).toBeLessThan(1e-5);
}

/** Declares the tests of these architectures for one backend. */
export function describeQwen(create: CreateBackend): void {
  describe("with the biases of Qwen2 and the head norms of Qwen3", () => {
    it.each(["lora-qwen2-bias", "lora-qwen3-qknorm"])("agrees with transformers on the model of %s", async (folder) => {
      const { config, weights_N } = await readReferenceModel(folder);
      const { inputIds, referenceLogprobs } = await readExpected<BaseNumbers>(folder);
      await withBackend(create, config, async (backend) => {
        await backend.setWeights("policy", weights_N);
        const scored = packWhole(
          inputIds,
          inputIds.map(() => 1),
        );
        const { logprobs_K } = await backend.score(scored, "policy");
        expect(difference(logprobs_K, referenceLogprobs.flat()).largest).toBeLessThan(1e-5);
      });
    });

    it("has the plain derivative in every tensor by its name", async () => {
      await withBackend(create, { ...bothConfig, kvHeads: 1, layers: 1 }, expectEveryGradient);
    });

    it("samples with the log-probs that it scores", async () => {
      await withBackend(create, { ...bothConfig, kvHeads: 3 }, expectSampledAsScored);
    });
  });
}
