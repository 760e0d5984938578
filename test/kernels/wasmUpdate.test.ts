// The update of the own kernels and the head's gradient against their plain references.
import { describe, expect, it } from "vitest";
import type { OptimizerStep } from "../../src/model/backend.ts";
import { parameterLayout } from "../../src/model/transformerConfig.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { createKernelBackend, kernelVariants } from "../support/kernels.ts";
import { criticConfig } from "../support/liveBackend.ts";
import { difference, fixedGradients, linearObjective, randomGroups, sharpWeights } from "../support/tokenBatches.ts";
import { type AdamwState, adamw } from "./reference/adamw.ts";
import { tokenScores, tokenScoresGradient } from "./reference/tokenScores.ts";

const step: OptimizerStep = { kind: "adamw", learningRate: 0.02, beta1: 0.8, beta2: 0.95, eps: 1e-6, weightDecay: 0.3, maxGradNorm: 0.5 };

describe.each(kernelVariants)("own kernels, $name", ({ options }) => {
  it("take clipped AdamW steps as the plain optimizer does", async () => {
    const backend = await createKernelBackend(criticConfig, options);
    const weights_N = sharpWeights(criticConfig, 1);
    await backend.setWeights("policy", weights_N);
    const zeros = () => new Float64Array(weights_N.length);
    let state: AdamwState = { weights_N: Float64Array.from(weights_N), first_N: zeros(), second_N: zeros() };
    for (let i = 1; i <= 4; i++) {
      const batch = packGroups(randomGroups(criticConfig, i, 3, 2), 1);
      const gradients = fixedGradients(batch, i, ["logprobs", "values"]);
      await backend.accumulate(batch, linearObjective(gradients, true), 4096);
      state = adamw(state, Float64Array.from(await backend.getGradient()), i, step);
      await backend.step(step);
    }
    expect(difference(await backend.getWeights("policy"), state.weights_N).largest).toBeLessThan(3e-6);
    const moments = await backend.getOptimizer();
    expect(difference(moments.first_N, state.first_N).largest).toBeLessThan(1e-6);
    expect(difference(moments.second_N, state.second_N).largest).toBeLessThan(1e-7);
    backend.dispose();
  });

  it("carry log-prob and entropy gradients to the output head as the plain scores do", async () => {
    const backend = await createKernelBackend(criticConfig, options);
    const weights_N = sharpWeights(criticConfig, 2);
    await backend.setWeights("policy", weights_N);
    const temperature = 0.7;
    const batch = packGroups([{ promptTokens: [3, 1], completions: [[5]] }], temperature);
    const everyToken = packGroups([{ promptTokens: [3, 1], completions: Array.from({ length: 21 }, (_, v) => [v]) }], 1);
    // Log-probs are logits up to a constant, which no score depends on.
    const logits_V = Float64Array.from((await backend.score(everyToken, "policy")).logprobs_K);
    const [g, h] = [0.8, -0.6];
    const scores = await backend.accumulate(
      batch,
      () => ({ logprobs_K: Float32Array.of(g), entropies_K: Float32Array.of(h), values_K: null }),
      4096,
    );
    const expected = tokenScores(logits_V, 5, temperature);
    expect(Math.abs(scores.logprobs_K[0]! - expected.logprob)).toBeLessThan(2e-5);
    expect(Math.abs(scores.entropies_K[0]! - expected.entropy)).toBeLessThan(2e-5);
    // d loss / d lm_head[v] = dLogit[v] * hidden: its rows are multiples of one vector.
    const { offset } = parameterLayout(criticConfig).find(({ name }) => name === "lm_head.weight")!;
    const gradient_N = await backend.getGradient();
    const dLogits = tokenScoresGradient(logits_V, 5, temperature, g, h);
    const D = criticConfig.hiddenSize;
    const pivot = dLogits.reduce((best, value, v) => (Math.abs(value) > Math.abs(dLogits[best]!) ? v : best), 0);
    for (let v = 0; v < dLogits.length; v++) {
      for (let d = 0; d < D; d++) {
        const hidden = gradient_N[offset + pivot * D + d]! / dLogits[pivot]!;
        expect(Math.abs(gradient_N[offset + v * D + d]! - dLogits[v]! * hidden)).toBeLessThan(2e-5);
      }
    }
    backend.dispose();
  });
});
