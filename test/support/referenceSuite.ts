// Against transformers in float64: every number of test/reference/hf-llama-*.

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Objective, PackedBatch, TokenScores, TransformerBackend } from "../../src/model/backend.ts";
import { parameterLayout } from "../../src/model/transformerConfig.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import type { CreateBackend } from "./liveBackend.ts";
import { type ReferenceNumbers, readExpected, readReferenceModel } from "./referenceFolder.ts";
import { allLogprobs, difference, packWhole } from "./tokenBatches.ts";

interface Loaded {
  readonly backend: TransformerBackend;
  readonly weights_N: Float32Array;
  readonly expected: ReferenceNumbers;
  /** Every token but the first of each sequence is scored. */
  readonly batch: PackedBatch;
}

async function load(folder: string, create: CreateBackend): Promise<Loaded> {
  const { config, weights_N } = await readReferenceModel(folder);
  const expected = await readExpected<ReferenceNumbers>(folder);
  const backend = await create(config);
  await backend.setWeights("policy", weights_N);
  const batch = packWhole(
    expected.inputIds,
    expected.inputIds.map(() => 1),
  );
  return { backend, weights_N, expected, batch };
}

/** loss = -sum(weights * log-probs) / sum(mask), as expected.json defines it. */
function weightedLoss({ weights, mask }: ReferenceNumbers) {
  const weights_K = weights.flat();
  const count = mask.flat().reduce((sum, one) => sum + one, 0);
  const objective: Objective = (scores, { firstToken }) => ({
    logprobs_K: Float32Array.from(scores.logprobs_K, (_, k) => -weights_K[firstToken + k]! / count),
    entropies_K: null,
    values_K: null,
  });
  const loss = ({ logprobs_K }: TokenScores) => logprobs_K.reduce((sum, logprob, k) => sum - weights_K[k]! * logprob, 0) / count;
  return { objective, loss };
}

function logSoftmax(logits: readonly number[]): number[] {
  const max = Math.max(...logits);
  const norm = max + Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit - max), 0));
  return logits.map((logit) => logit - norm);
}

/** Declares the tests for one reference folder; on a slow device the logits of one sequence stand for all. */
export function describeReference(name: string, create: CreateBackend, slow: boolean): void {
  describe(`agrees with transformers on ${name}`, () => {
    let loaded: Loaded;
    beforeAll(async () => {
      loaded = await load(name, create);
    });
    afterAll(() => loaded?.backend.dispose());

    it("in log-probs and entropies", async () => {
      const { backend, batch, expected } = loaded;
      const scores = await backend.score(batch, "policy");
      expect(difference(scores.logprobs_K, expected.tokenLogprobs.flat()).largest).toBeLessThan(2e-5);
      expect(difference(scores.entropies_K, expected.tokenEntropies.flat()).largest).toBeLessThan(2e-5);
      expect(scores.values_K).toBeNull();
    });

    it("in the logits of the last position", async () => {
      const { backend, expected } = loaded;
      const logprobs = await allLogprobs(backend, slow ? expected.inputIds.slice(0, 1) : expected.inputIds);
      for (const [i, row] of logprobs.entries()) {
        expect(difference(row, logSoftmax(expected.logitsLastPosition[i]!)).largest).toBeLessThan(2e-5);
      }
    });

    it("in the greedy continuation", async () => {
      const { backend, expected } = loaded;
      const { prompt, continuation } = expected.greedyContinuation;
      const { tokens_BT } = await sampleCompletions(backend, {
        prompts: [prompt],
        copies: 1,
        maxNewTokens: continuation.length,
        temperature: 0,
        topK: 0,
        topP: 1,
        minP: 0,
        stopTokens: [],
        uniforms_BT: new Float32Array(continuation.length),
      });
      expect(Array.from(tokens_BT)).toEqual(continuation);
    });

    it("in the loss and every gradient", async () => {
      const { backend, batch, expected } = loaded;
      const { objective, loss } = weightedLoss(expected);
      const scores = await backend.accumulate(batch, objective, 4096);
      expect(Math.abs(loss(scores) / expected.loss - 1)).toBeLessThan(1e-5);
      const gradient_N = await backend.getGradient();
      for (const { name: tensor, offset, size } of parameterLayout(backend.config)) {
        const { largest, scale } = difference(gradient_N.subarray(offset, offset + size), expected.grads[tensor]!);
        expect(largest, tensor).toBeLessThan(1e-4 * scale);
      }
    });

    it("in three clipped AdamW steps", async () => {
      await checkAdamSteps(loaded);
    });
  });
}

/** Three steps from the folder's weights with fresh moments. */
async function checkAdamSteps({ backend, batch, expected, weights_N }: Loaded): Promise<void> {
  const { adamw } = expected;
  const { objective, loss } = weightedLoss(expected);
  const size = weights_N.length;
  await backend.setWeights("policy", weights_N);
  await backend.setOptimizer({ step: 0, first_N: new Float32Array(size), second_N: new Float32Array(size) });
  const options = { kind: "adamw", learningRate: adamw.lr, beta1: adamw.betas[0], beta2: adamw.betas[1], eps: adamw.eps } as const;
  await backend.step({ ...options, learningRate: 0, weightDecay: 0, maxGradNorm: 0 }); // clears what other tests left
  await backend.setOptimizer({ step: 0, first_N: new Float32Array(size), second_N: new Float32Array(size) });
  for (const [i, lossBefore] of adamw.lossBeforeEachStep.entries()) {
    const scores = await backend.accumulate(batch, objective, 4096);
    expect(Math.abs(loss(scores) - lossBefore), `loss before step ${i + 1}`).toBeLessThan(1e-4);
    const { gradNorm } = await backend.step({ ...options, weightDecay: adamw.weightDecay, maxGradNorm: adamw.maxGradNorm });
    if (i === 0) expect(Math.abs(gradNorm / expected.gradGlobalNorm - 1)).toBeLessThan(1e-5);
  }
  const after = await backend.score(batch, "policy");
  expect(difference(after.logprobs_K, adamw.tokenLogprobsAfter3.flat()).largest).toBeLessThan(1e-3);
  expect((await backend.getOptimizer()).step).toBe(adamw.lossBeforeEachStep.length);
}
