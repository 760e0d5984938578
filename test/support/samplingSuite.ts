// Sampling tells the truth: its log-probs are those of the scoring forward, its tokens those that the
// plain choice would have made from them, and it stops where it should.

import { describe, expect, it } from "vitest";
import type { TransformerBackend } from "../../src/model/backend.ts";
import { plainForward, plainLogSoftmax } from "../../src/model/plainForward.ts";
import { type SampleRequest, type SampleResult, sampleCompletions } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { mostLikelyToken, sampleToken } from "../../src/rl/rollout/sampleToken.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { type CreateBackend, criticConfig, tiedConfig, useBackend } from "./liveBackend.ts";
import { difference } from "./tokenBatches.ts";

const prompts = [[3, 1, 4, 1, 5], [9], [2, 6, 5]];

const combinations: [string, Partial<SampleRequest>][] = [
  ["without filters", {}],
  ["with temperature", { temperature: 1.7 }],
  ["with top-k", { topK: 3 }],
  ["with top-p", { topP: 0.6 }],
  ["with min-p", { minP: 0.3 }],
  ["with all of them", { temperature: 1.3, topK: 9, topP: 0.9, minP: 0.05 }],
];

function request(over: Partial<SampleRequest> = {}): SampleRequest {
  const base = { prompts, copies: 3, maxNewTokens: 6, temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] as number[], ...over };
  const random = new Random(11);
  const uniforms_BT = Float32Array.from({ length: base.prompts.length * base.copies * base.maxNewTokens }, () => random.uniform());
  return { uniforms_BT, ...base };
}

/** Sampled tokens of sequence b. */
function completion(result: SampleResult, b: number): number[] {
  const T = result.tokens_BT.length / result.lengths_B.length;
  return Array.from(result.tokens_BT.subarray(b * T, b * T + result.lengths_B[b]!));
}

async function expectScoredAlike(backend: TransformerBackend, asked: SampleRequest, result: SampleResult): Promise<void> {
  const groups = asked.prompts.map((promptTokens, p) => ({
    promptTokens,
    completions: Array.from({ length: asked.copies }, (_, g) => completion(result, p * asked.copies + g)),
  }));
  const { logprobs_K } = await backend.score(packGroups(groups, asked.temperature || 1), "policy");
  const sampled = Array.from(result.lengths_B).flatMap((length, b) =>
    Array.from(result.logprobs_BT.subarray(b * asked.maxNewTokens, b * asked.maxNewTokens + length)),
  );
  expect(difference(sampled, logprobs_K).largest).toBeLessThan(1e-4);
}

/** Every token must be the plain choice from the plain reference's distribution at that point. */
async function expectPlainChoices(backend: TransformerBackend, asked: SampleRequest): Promise<void> {
  const result = await sampleCompletions(backend, asked);
  const points = Array.from(result.lengths_B).flatMap((length, b) => Array.from({ length }, (_, t) => ({ b, t })));
  const contexts = points.map(({ b, t }) => [...asked.prompts[Math.floor(b / asked.copies)]!, ...completion(result, b).slice(0, t)]);
  const weights_N = await backend.getWeights("policy");
  const logprobs = contexts.map((context) =>
    plainLogSoftmax(plainForward(backend.config, weights_N, context).logits_TV.at(-1)!, asked.temperature),
  );
  const chosen = points.map((_, i) =>
    sampleToken(logprobs[i]!, asked, asked.uniforms_BT[points[i]!.b * asked.maxNewTokens + points[i]!.t]!),
  );
  expect(points.map(({ b, t }) => result.tokens_BT[b * asked.maxNewTokens + t])).toEqual(chosen);
}

/** Declares the sampling tests; on a slow device only one combination of filters. */
export function describeSampling(create: CreateBackend, slow: boolean): void {
  describe("sampling", () => {
    const critic = useBackend(create, criticConfig);
    const tied = useBackend(create, tiedConfig);

    it("reports the log-probs of the scoring forward, tied and untied", async () => {
      for (const backend of [critic(), tied()]) {
        const asked = request({ temperature: 0.8, topK: 7, topP: 0.9 });
        await expectScoredAlike(backend, asked, await sampleCompletions(backend, asked));
      }
    });

    it("decodes greedily at temperature 0 and reports log-probs at temperature 1", async () => {
      const asked = request({ temperature: 0, copies: 1, maxNewTokens: 4 });
      const result = await sampleCompletions(tied(), asked);
      await expectScoredAlike(tied(), asked, result);
      const weights_N = await tied().getWeights("policy");
      const first = asked.prompts.map((prompt) => plainForward(tiedConfig, weights_N, prompt).logits_TV.at(-1)!);
      expect(first.map(mostLikelyToken)).toEqual(asked.prompts.map((_, b) => completion(result, b)[0]));
    });

    it.each(slow ? combinations.slice(-1) : combinations)("chooses as the plain sampler does %s", async (_, over) => {
      await expectPlainChoices(tied(), request({ copies: 2, maxNewTokens: 3, ...over }));
    });

    it("stops after a stop token and marks what follows", async () => {
      const free = await sampleCompletions(tied(), request());
      const stopToken = free.tokens_BT[1]!;
      const result = await sampleCompletions(tied(), request({ stopTokens: [stopToken] }));
      for (let b = 0; b < result.lengths_B.length; b++) {
        const row = Array.from(free.tokens_BT.subarray(b * 6, b * 6 + 6));
        const at = row.indexOf(stopToken);
        const length = at < 0 ? 6 : at + 1;
        expect(result.lengths_B[b]).toBe(length);
        expect(result.stopped_B[b]).toBe(at < 0 ? 0 : 1);
        expect(Array.from(result.tokens_BT.subarray(b * 6, b * 6 + 6))).toEqual(row.map((token, t) => (t < length ? token : -1)));
      }
    });

    it("repeats itself to the bit", async () => {
      expect(await sampleCompletions(critic(), request())).toEqual(await sampleCompletions(critic(), request()));
    });
  });
}
