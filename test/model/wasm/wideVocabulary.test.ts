// Probabilities over as many tokens as pretrained models have: a sum of 49,152 terms in single precision rounds the same way
// for long where they are nearly equal.
import { describe, expect, it } from "vitest";
import type { TransformerBackend } from "../../../src/model/backend.ts";
import { adaptedLayout, initialAdapters, LORA_TARGETS } from "../../../src/model/lora/adapters.ts";
import { plainForward, plainLogSoftmax } from "../../../src/model/plainForward.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { sampleCompletions } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { createKernelBackend } from "../../support/kernels.ts";
import { tiedConfig } from "../../support/liveBackend.ts";
import { storedBase } from "../../support/storedBase.ts";
import { packWhole, sharpWeights } from "../../support/tokenBatches.ts";

const config: TransformerConfig = { ...tiedConfig, vocabularySize: 49_152, hiddenSize: 8, layers: 1, heads: 2, kvHeads: 1, headSize: 4 };
// Most tokens are as likely as others, so that what is added is rounded alike.
const KINDS = 3;
const weights_N = sharpWeights(config, 7);
for (let id = KINDS; id < config.vocabularySize; id++) weights_N.copyWithin(id * 8, (id % KINDS) * 8, (id % KINDS) * 8 + 8);
const adapted = adaptedLayout(config, { rank: 1, alpha: 1, rankStabilized: false, targets: LORA_TARGETS["all-linear"] });
const prompt = [1, 40_000, 3];
// Of numbers from 8 to 16 in single precision.
const UNITS = 2 * 2 ** -20;
const filters = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] };

const backends: readonly [string, () => Promise<TransformerBackend>][] = [
  [
    "whole",
    async () => {
      const backend = await createKernelBackend(config, { threads: 1 });
      await backend.setWeights("policy", weights_N);
      return backend;
    },
  ],
  [
    "frozen",
    async () => {
      const backend = await createKernelBackend(config, { threads: 1, frozen: { tensors: storedBase(config, weights_N), adapted } });
      await backend.setWeights("policy", initialAdapters(adapted, null, new Random(1)));
      return backend;
    },
  ],
];

describe.each(backends)("log-probs and entropies of 49,152 tokens by kernels, %s weights", (_, create) => {
  it("are within two units of the last place of double precision, sampled and scored", async () => {
    const backend = await create();
    const sampled = await sampleCompletions(backend, {
      prompts: [prompt],
      copies: 1,
      maxNewTokens: 3,
      ...filters,
      uniforms_BT: Float32Array.of(0.2, 0.5, 0.9),
    });
    const tokens = [...prompt, ...sampled.tokens_BT];
    const scored = await backend.score(packWhole([tokens], [prompt.length]), "policy");
    const { logits_TV } = plainForward(config, weights_N, tokens);
    for (const [i, token] of [...sampled.tokens_BT].entries()) {
      const logprobs_V = plainLogSoftmax(logits_TV[prompt.length - 1 + i]!, 1);
      const entropy = -logprobs_V.reduce((sum, logprob) => sum + Math.exp(logprob) * logprob, 0);
      for (const logprob of [sampled.logprobs_BT[i]!, scored.logprobs_K[i]!])
        expect(Math.abs(logprob - logprobs_V[token]!)).toBeLessThan(UNITS);
      expect(Math.abs(scored.entropies_K[i]! - entropy)).toBeLessThan(UNITS);
    }
    backend.dispose();
  });
});
