// The WebGPU backend at the width of the shipped checkpoint, against the WASM kernels: matrices this
// wide are multiplied in other tiles than those of every smaller test model.

import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { lowTile, tileFor, wideTile } from "../../../src/kernels/webgpu/product/tile.ts";
import type { TokenScores, TransformerBackend } from "../../../src/model/backend.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import { createWebgpuBackend } from "../../../src/model/webgpu/webgpuBackend.ts";
import { type SampleRequest, type SampleResult, sampleCompletions } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { SMALL } from "../../../src/train/pretrainRecipes.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { createKernelBackend } from "../../support/kernels.ts";
import { difference, fixedGradients, linearObjective, sharpWeights } from "../../support/tokenBatches.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const { gpu, skip } = await gpuForTests();

const { hiddenSize, heads, kvHeads, intermediateSize } = SMALL;
const config: TransformerConfig = {
  vocabularySize: 512,
  hiddenSize,
  layers: 2,
  heads,
  kvHeads,
  headSize: hiddenSize / heads,
  intermediateSize,
  ropeTheta: 10_000,
  rmsNormEps: 1e-5,
  tiedEmbeddings: true,
  qkvBias: false,
  headNorm: false,
  maxPositions: 128,
  valueHead: false,
};

const random = new Random(1);
const tokens = (count: number) => Array.from({ length: count }, () => random.below(config.vocabularySize));
// More rows than two tiles hold, and neither rows nor scored tokens a multiple of one.
const groups = [
  { promptTokens: tokens(20), completions: [tokens(30), tokens(17), tokens(1)] },
  { promptTokens: tokens(70), completions: [tokens(9), tokens(22)] },
];
const batch = packGroups(groups, 0.9);
const objective = linearObjective(fixedGradients(batch, 3, ["logprobs", "entropies"]), false);
const asked: SampleRequest = {
  prompts: [tokens(30), tokens(40), tokens(1)],
  copies: 3,
  maxNewTokens: 6,
  ...{ temperature: 0.8, topK: 40, topP: 0.9, minP: 0.01, stopTokens: [2] },
  uniforms_BT: Float32Array.from({ length: 3 * 3 * 6 }, () => random.uniform()),
};

interface Results {
  readonly scores: TokenScores;
  readonly gradient_N: Float32Array;
  readonly sampled: SampleResult;
}

async function resultsOf(backend: TransformerBackend): Promise<Results> {
  await backend.setWeights("policy", sharpWeights(config, 5));
  const scores = await backend.accumulate(batch, objective, 4096);
  return { scores, gradient_N: await backend.getGradient(), sampled: await sampleCompletions(backend, asked) };
}

/** Log-probs are differences of logits of up to 60, which float32 gives to some 4e-6. */
function expectSameNats(actual: ArrayLike<number>, expected: ArrayLike<number>): void {
  expect(difference(actual, expected).largest).toBeLessThan(1e-4);
}

const title = "webgpu at the width of the checkpoint";
describe.skipIf(skip !== undefined)(skip ? `${title} (skipped: ${skip})` : title, () => {
  const opened: TransformerBackend[] = [];
  let ours: Results;
  let wasm: Results;
  beforeAll(async () => {
    opened.push(await createWebgpuBackend(config, { gpu }, { onLost: () => undefined }));
    opened.push(await createKernelBackend(config, { threads: 1 }));
    [ours, wasm] = [await resultsOf(opened[0]!), await resultsOf(opened[1]!)];
  });
  afterAll(() => {
    for (const backend of opened) backend.dispose();
  });

  it("takes wide tiles where there are columns enough, and only there", () => {
    const wide = [3 * hiddenSize, 2 * intermediateSize, intermediateSize, config.vocabularySize];
    expect(wide.map(tileFor)).toEqual(wide.map(() => wideTile));
    expect(tileFor(hiddenSize)).toEqual(lowTile);
  });

  it("scores tokens as the WASM kernels do", () => {
    expectSameNats(ours.scores.logprobs_K, wasm.scores.logprobs_K);
    expectSameNats(ours.scores.entropies_K, wasm.scores.entropies_K);
  });

  it("makes the same gradient of every weight", () => {
    const { largest, scale } = difference(ours.gradient_N, wasm.gradient_N);
    expect(largest).toBeLessThan(1e-5 * scale);
  });

  it("samples the same tokens with the same log-probs", () => {
    expect(ours.sampled.tokens_BT).toEqual(wasm.sampled.tokens_BT);
    expect(ours.sampled.lengths_B).toEqual(wasm.sampled.lengths_B);
    expectSameNats(ours.sampled.logprobs_BT, wasm.sampled.logprobs_BT);
  });
});
