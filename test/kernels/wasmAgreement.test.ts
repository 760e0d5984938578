// A thousand random shapes and options: both builds, on one thread and on several, agree with each other
// and with the plain float64 forward pass; a part of them with the composed TensorFlow.js path too.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TransformerBackend } from "../../src/model/backend.ts";
import { createTfjsBackend } from "../../src/model/composed/tfjsBackend.ts";
import { plainForward, plainLogSoftmax } from "../../src/model/plainForward.ts";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import type { WasmBackendOptions } from "../../src/model/wasm/wasmBackend.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { createKernelBackend, kernelVariants } from "../support/kernels.ts";
import { tries } from "../support/long.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import { readExpected, readReferenceModel } from "../support/referenceFolder.ts";
import { allLogprobs, difference, fixedGradients, linearObjective, randomGroups, sharpWeights } from "../support/tokenBatches.ts";

const configs: fc.Arbitrary<TransformerConfig> = fc
  .record({
    vocabularySize: fc.integer({ min: 2, max: 70 }),
    hiddenSize: fc.integer({ min: 8, max: 50 }),
    layers: fc.integer({ min: 1, max: 3 }),
    kvHeads: fc.integer({ min: 1, max: 3 }),
    group: fc.integer({ min: 1, max: 3 }),
    half: fc.integer({ min: 1, max: 12 }),
    intermediateSize: fc.integer({ min: 8, max: 90 }),
    tiedEmbeddings: fc.boolean(),
    qkvBias: fc.boolean(),
    headNorm: fc.boolean(),
    valueHead: fc.boolean(),
  })
  .map(({ group, half, ...shape }) => ({
    ...shape,
    heads: shape.kvHeads * group,
    headSize: 2 * half,
    ropeTheta: 10_000,
    rmsNormEps: 1e-5,
    maxPositions: 64,
  }));

const options = fc.record({
  seed: fc.integer({ min: 0, max: 1 << 20 }),
  prompts: fc.integer({ min: 1, max: 6 }),
  copies: fc.integer({ min: 1, max: 5 }),
  // Threads take longest to start, so most cases do without.
  threads: fc.constantFrom(1, 1, 1, 1, 1, 2, 3),
  partitions: fc.integer({ min: 1, max: 5 }),
  tile: fc.constantFrom(6, 4),
  microBatchTokens: fc.integer({ min: 1, max: 200 }),
  temperature: fc.double({ min: 0.3, max: 3, noNaN: true }),
  topK: fc.constantFrom(0, 1, 3, 20),
  topP: fc.constantFrom(1, 0.5, 0.9),
  minP: fc.constantFrom(0, 0.05, 0.3),
  stopTokens: fc.constantFrom([], [0], [0, 1]),
  entropyGradient: fc.boolean(),
});

type Options = typeof options extends fc.Arbitrary<infer T> ? T : never;

/** Everything a path computes for a case; the backend is ended. */
async function computeAll(config: TransformerConfig, asked: Options, opening: Promise<TransformerBackend>) {
  const groups = randomGroups(config, asked.seed, asked.prompts, asked.copies);
  const batch = packGroups(groups, asked.temperature);
  const backend = await opening;
  await backend.setWeights("policy", sharpWeights(config, asked.seed + 1));
  const gradients = fixedGradients(batch, asked.seed + 2, [
    "logprobs",
    "values",
    ...(asked.entropyGradient ? (["entropies"] as const) : []),
  ]);
  const scores = await backend.accumulate(batch, linearObjective(gradients, config.valueHead), asked.microBatchTokens);
  const gradient_N = await backend.getGradient();
  const random = new Random(asked.seed);
  const sampled = await sampleCompletions(backend, {
    prompts: groups.map((group) => group.promptTokens),
    copies: asked.copies,
    maxNewTokens: 5,
    temperature: asked.temperature,
    topK: asked.topK,
    topP: asked.topP,
    minP: asked.minP,
    stopTokens: asked.stopTokens,
    uniforms_BT: Float32Array.from({ length: groups.length * asked.copies * 5 }, () => random.uniform()),
  });
  backend.dispose();
  return { groups, scores, gradient_N, sampled };
}

type Computed = Awaited<ReturnType<typeof computeAll>>;

/** To 1e-4, or that part of the largest number: a low temperature makes log-probs of -30, where float32 is coarser. */
function expectClose(one: Float32Array, other: Float32Array): void {
  const { largest, scale } = difference(one, other);
  expect(largest).toBeLessThan(1e-4 * Math.max(1, scale));
}

function expectAlike(asked: Options, one: Computed, other: Computed): void {
  expectClose(one.scores.logprobs_K, other.scores.logprobs_K);
  expectClose(one.scores.entropies_K, other.scores.entropies_K);
  const { largest, scale } = difference(one.gradient_N, other.gradient_N);
  expect(largest).toBeLessThan(1e-4 * scale + 1e-7);
  expectSampledAlike(asked, one.sampled, other.sampled);
}

describe("own kernels on random shapes", () => {
  it("agree between builds, threads, tiles and the plain forward pass", async () => {
    await fc.assert(
      fc.asyncProperty(configs, options, async (config, asked) => {
        const { threads, partitions, tile } = asked;
        const build: WasmBackendOptions = { build: "relaxed", threads, partitions, tile: tile as 6 | 4 };
        const relaxed = await computeAll(config, asked, createKernelBackend(config, build));
        const plain = await computeAll(config, asked, createKernelBackend(config, { build: "plain", threads: 1, tile: 6 }));
        expectAlike(asked, relaxed, plain);
        expectPlainScores(config, asked, relaxed);
      }),
      { numRuns: tries(100, 1000), seed: 1 },
    );
  }, 300_000);

  it("agree with the composed path", async () => {
    await fc.assert(
      fc.asyncProperty(configs, options, async (config, asked) => {
        const own = await computeAll(config, asked, createKernelBackend(config, { threads: 1 }));
        const composed = await computeAll(config, asked, createTfjsBackend(config, "wasm", createNodeHost()));
        expectAlike(asked, own, composed);
      }),
      { numRuns: tries(12, 60), seed: 2 },
    );
  }, 300_000);
});

/** The first completion's log-probs against float64. */
function expectPlainScores(config: TransformerConfig, asked: Options, { groups, scores }: Computed): void {
  const { promptTokens, completions } = groups[0]!;
  const tokens = [...promptTokens, ...completions[0]!];
  const { logits_TV } = plainForward(config, sharpWeights(config, asked.seed + 1), tokens);
  for (let t = promptTokens.length; t < tokens.length; t++) {
    const logprob = plainLogSoftmax(logits_TV[t - 1]!, asked.temperature)[tokens[t]!]!;
    expect(Math.abs(scores.logprobs_K[t - promptTokens.length]! - logprob)).toBeLessThan(1e-4 * Math.max(1, Math.abs(logprob)));
  }
}

/** Same tokens until a draw falls within rounding of a boundary, which these seeds do not meet; same log-probs. */
function expectSampledAlike(asked: Options, relaxed: Computed["sampled"], plain: Computed["sampled"]): void {
  expect(relaxed.lengths_B.length).toBe(asked.prompts * asked.copies);
  expect(relaxed.tokens_BT).toEqual(plain.tokens_BT);
  expectClose(relaxed.logprobs_BT, plain.logprobs_BT);
}

interface LogitNumbers {
  readonly inputIds: readonly (readonly number[])[];
  readonly logits: readonly (readonly (readonly number[])[])[];
}

describe.each(kernelVariants)("own kernels, $name, on a bf16 checkpoint", ({ options }) => {
  it("reproduce the log-probs after every token", async () => {
    const { config, weights_N } = await readReferenceModel("llama-bf16");
    const { inputIds, logits } = await readExpected<LogitNumbers>("llama-bf16");
    const backend = await createKernelBackend(config, options);
    await backend.setWeights("policy", weights_N);
    const contexts = inputIds.flatMap((ids) => ids.map((_, t) => ids.slice(0, t + 1)));
    const logprobs = await allLogprobs(backend, contexts);
    const expected = logits.flat().map((row) => plainLogSoftmax(Float64Array.from(row), 1));
    expect(logprobs.length).toBe(24);
    for (const [i, row] of logprobs.entries()) expect(difference(row, expected[i]!).largest).toBeLessThan(1e-4);
    backend.dispose();
  });
});
