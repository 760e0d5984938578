// The reproducible mode: the same bits on every run, for any number of threads and either tile.

import { describe, expect, it } from "vitest";
import type { OptimizerStep } from "../../src/model/backend.ts";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import type { WasmBackendOptions } from "../../src/model/wasm/wasmBackend.ts";
import { type SampleRequest, sampleCompletions } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { createKernelBackend } from "../support/kernels.ts";
import { fixedGradients, linearObjective, randomGroups, sharpWeights } from "../support/tokenBatches.ts";

const config: TransformerConfig = {
  vocabularySize: 45,
  hiddenSize: 44,
  layers: 2,
  heads: 4,
  kvHeads: 2,
  headSize: 10,
  intermediateSize: 70,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tiedEmbeddings: false,
  qkvBias: false,
  headNorm: false,
  maxPositions: 64,
  valueHead: true,
};
const groups = randomGroups(config, 1, 7, 5);
const batch = packGroups(groups, 0.9);
const gradients = fixedGradients(batch, 2, ["logprobs", "entropies", "values"]);
const adam: OptimizerStep = { kind: "adamw", learningRate: 0.01, beta1: 0.9, beta2: 0.99, eps: 1e-8, weightDecay: 0.1, maxGradNorm: 1 };
const random = new Random(3);
const request: SampleRequest = {
  prompts: groups.map((group) => group.promptTokens),
  copies: 3,
  maxNewTokens: 20,
  temperature: 1,
  topK: 0,
  topP: 0.95,
  minP: 0,
  stopTokens: [7, 11],
  uniforms_BT: Float32Array.from({ length: groups.length * 3 * 20 }, () => random.uniform()),
};

/** Two updates, a rollout and a score: everything a backend computes. */
async function everything(options: WasmBackendOptions) {
  const backend = await createKernelBackend(config, options);
  await backend.setWeights("policy", sharpWeights(config, 4));
  const scores = await backend.accumulate(batch, linearObjective(gradients, true), 60);
  const gradient_N = await backend.getGradient();
  const { gradNorm } = await backend.step(adam);
  await backend.accumulate(batch, linearObjective(gradients, true), 4096);
  await backend.step(adam);
  const result = {
    scores,
    gradient_N,
    gradNorm,
    weights_N: await backend.getWeights("policy"),
    sampled: await sampleCompletions(backend, request),
    scored: await backend.score(batch, "policy"),
  };
  backend.dispose();
  return result;
}

describe.each(["relaxed", "plain"] as const)("the %s kernels give the same bits", (build) => {
  const first = everything({ threads: 1, build, tile: 6 });

  it.each([
    ["on a second run", { threads: 1, build, tile: 6 }],
    ["with a tile of 4 rows", { threads: 1, build, tile: 4 }],
    ["on two threads", { threads: 2, build }],
    ["on five threads", { threads: 5, build }],
  ] as const)("%s", async (_, options) => {
    expect(await everything(options)).toEqual(await first);
  });

  it("and ended some sequences early on the way", async () => {
    const { sampled } = await first;
    expect(sampled.stopped_B.some((stopped) => stopped === 1)).toBe(true);
    expect(sampled.stopped_B.some((stopped) => stopped === 0)).toBe(true);
  });
});

it("another number of partitions changes the gradient by rounding only", async () => {
  const one = await everything({ threads: 1, build: "plain", partitions: 1 });
  const four = await everything({ threads: 1, build: "plain", partitions: 4 });
  expect(one.scores).toEqual(four.scores);
  const largest = one.gradient_N.reduce((most, g) => Math.max(most, Math.abs(g)), 0);
  one.gradient_N.forEach((g, i) => void expect(Math.abs(g - four.gradient_N[i]!)).toBeLessThan(1e-5 * largest));
});
