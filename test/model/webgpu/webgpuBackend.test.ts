// The fused WebGPU backend: the suite of all backends; then how it spends dispatches, submits and reads, and how it behaves at a device's limits.

import { afterAll, describe, expect, it, vi } from "vitest";
import type { Objective, TransformerBackend } from "../../../src/model/backend.ts";
import type { EngineLimits } from "../../../src/model/webgpu/engine.ts";
import { createWebgpuBackend } from "../../../src/model/webgpu/webgpuBackend.ts";
import { type SampleRequest, type SampleResult, sampleCompletions } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { describeBackend } from "../../support/backendSuite.ts";
import { asked as askedOf, converse } from "../../support/conversationSuite.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { countGpu } from "../../support/gpuCounts.ts";
import { sharedConfig as config, shareDevice } from "../../support/sharedGpu.ts";
import { difference, fixedGradients, linearObjective, randomGroups, sharpWeights } from "../../support/tokenBatches.ts";

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });
const { gpu, skip } = await gpuForTests();

const adam = { kind: "adamw", learningRate: 0.01, beta1: 0.9, beta2: 0.99, eps: 1e-8, weightDecay: 0.1, maxGradNorm: 1 } as const;
const shared = gpu ? shareDevice(gpu) : null;
/** The same adapter as one that has no subgroups would be. */
const plain = shared?.without("subgroups");
const opened: TransformerBackend[] = [];

async function open(layers: number, limits: EngineLimits = {}): Promise<TransformerBackend> {
  const options = { onLost: () => undefined, ...limits };
  const backend = await createWebgpuBackend({ ...config, layers }, { gpu: shared?.gpu ?? null }, options);
  await backend.setWeights("policy", sharpWeights(backend.config, 5));
  opened.push(backend);
  return backend;
}

function request(over: Partial<SampleRequest> = {}): SampleRequest {
  const base = { prompts: [[3, 1, 4, 1, 5], [9], [2, 6, 5]], copies: 3, maxNewTokens: 20, temperature: 1, topK: 0, topP: 1, minP: 0 };
  const asked = { ...base, stopTokens: [7], ...over };
  const random = new Random(11);
  const draws = asked.prompts.length * asked.copies * asked.maxNewTokens;
  return { uniforms_BT: Float32Array.from({ length: draws }, () => random.uniform()), ...asked };
}

const batch = packGroups(randomGroups(config, 3, 3, 3), 1.1);
const gradients = fixedGradients(batch, 4, ["logprobs", "entropies"]);
const objective: Objective = linearObjective(gradients, false);

async function update(backend: TransformerBackend): Promise<void> {
  await backend.accumulate(batch, objective, 4096);
  await backend.step(adam);
}

async function expectScoredAlike(backend: TransformerBackend, asked: SampleRequest, result: SampleResult): Promise<void> {
  const T = asked.maxNewTokens;
  const tokens = (b: number) => Array.from(result.tokens_BT.subarray(b * T, b * T + result.lengths_B[b]!));
  const groups = asked.prompts.map((promptTokens, p) => ({
    promptTokens,
    completions: Array.from({ length: asked.copies }, (_, g) => tokens(p * asked.copies + g)),
  }));
  const { logprobs_K } = await backend.score(packGroups(groups, 1), "policy");
  const sampled = Array.from(result.lengths_B).flatMap((n, b) => Array.from(result.logprobs_BT.subarray(b * T, b * T + n)));
  expect(difference(sampled, logprobs_K).largest).toBeLessThan(1e-4);
}

afterAll(() => {
  for (const backend of opened) backend.dispose();
  shared?.destroy();
});

for (const [name, device] of [
  ["webgpu", shared?.gpu],
  ["webgpu without subgroups", plain],
] as const)
  describeBackend(name, (asked) => createWebgpuBackend(asked, { gpu: device ?? null }, { onLost: () => undefined }), {
    skip,
    fewDerivatives: true,
  });

describe.skipIf(skip !== undefined)(skip ? `webgpu phases (skipped: ${skip})` : "webgpu phases", () => {
  it.each([2, 3])("train and decode within the dispatch budget with %i layers", async (layers) => {
    const backend = await open(layers);
    await update(backend);
    const train = (await countGpu(() => update(backend))).counts;
    expect(train).toMatchObject({ dispatches: 17 * layers + 10, passes: 3, submits: 3, reads: 2 });
    expect(train.dispatches).toBeLessThanOrEqual(20 * layers + 14);
    const asked = request({ stopTokens: [], maxNewTokens: 33 });
    await sampleCompletions(backend, asked);
    const decode = (await countGpu(() => sampleCompletions(backend, asked))).counts;
    // The first token comes with the prompts, for one embedding more.
    expect(decode).toMatchObject({ dispatches: 33 * (5 * layers + 2) + 1, submits: 5, reads: 4 });
    expect(decode.dispatches / 33).toBeLessThanOrEqual(5 * layers + 4);
  });

  it("go on with an extended turn in one pass over what is new and the steps of any other", async () => {
    const backend = opened[0]!;
    const promptOf_B = Int32Array.of(0, 0, 1);
    const sequences = backend.open({
      prompts: [
        [3, 1, 4],
        [1, 5],
      ],
      promptOf_B,
      expectedTokens: 30,
    });
    const turn = request({ stopTokens: [], maxNewTokens: 16 });
    await sequences.sample({ ...turn, sequences_B: Int32Array.of(0, 1, 2), maxNewTokens: 9 });
    sequences.extend(0, [8, 9, 7]);
    sequences.extend(2, [9]);
    const { counts } = await countGpu(() => sequences.sample({ ...turn, sequences_B: Int32Array.of(0, 2) }));
    sequences.close();
    expect(counts).toMatchObject({ dispatches: 16 * (5 * 2 + 2) + 1, submits: 3, reads: 2 });
  });

  it.each([{ bindingBytes: 10_240 }, { workgroups: 2 }])("take turns in several waves as in one for %o", async (limits) => {
    const split = await open(2, limits);
    await opened[0]!.setWeights("policy", sharpWeights(split.config, 5));
    // Two of the prompts together are longer than a pass of few workgroups.
    const prompts = askedOf.prompts.map((prompt) => Array<readonly number[]>(6).fill(prompt).flat());
    const conversation = { ...askedOf, prompts, expectedTokens: 40 };
    const whole = await countGpu(() => converse(opened[0]!, conversation));
    const { result, counts } = await countGpu(() => converse(split, conversation));
    expect(result.map(({ tokens }) => tokens)).toEqual(whole.result.map(({ tokens }) => tokens));
    for (const channel of ["logprobs", "entropies"] as const) {
      const values = (lines: typeof result) => lines.flatMap((line) => line[channel]);
      expect(difference(values(result), values(whole.result)).largest).toBeLessThan(1e-4);
    }
    expect(counts.reads).toBeGreaterThan(whole.counts.reads);
  });

  it("samples on after some sequences have stopped, as scoring sees it", async () => {
    const backend = opened[0]!;
    const asked = request({ maxNewTokens: 40 });
    const result = await sampleCompletions(backend, asked);
    const lengths = Array.from(result.lengths_B);
    expect(lengths.some((length) => length < 16)).toBe(true);
    expect(lengths.some((length) => length > 16)).toBe(true);
    await expectScoredAlike(backend, asked, result);
  });

  it("asks less of the GPU once sequences have stopped", async () => {
    const backend = opened[0]!;
    const { counts, result } = await countGpu(() =>
      sampleCompletions(backend, request({ maxNewTokens: 60, stopTokens: [1, 3, 5, 7, 9, 11, 13] })),
    );
    expect(Math.max(...result.lengths_B)).toBeLessThan(44);
    expect(counts.dispatches).toBeLessThan(45 * (5 * 2 + 4));
  });

  it.each([{ bindingBytes: 10_240 }, { workgroups: 2 }])("gives the same results when everything is split for %o", async (limits) => {
    const whole = opened[0]!;
    const asked = request({ maxNewTokens: 20 });
    const split = await open(2, limits);
    await whole.setWeights("policy", sharpWeights(whole.config, 5));
    const score = await whole.score(batch, "policy");
    expect((await split.score(batch, "policy")).logprobs_K).toEqual(score.logprobs_K);
    await whole.setOptimizer({ step: 0, ...zeroMoments(await whole.getOptimizer()) });
    const sampled = await countGpu(() => sampleCompletions(whole, asked));
    const { result, counts } = await countGpu(() => sampleCompletions(split, asked));
    expect(result).toEqual(sampled.result);
    // In more than one wave.
    expect(counts.reads).toBeGreaterThan(sampled.counts.reads);
    await update(whole);
    await update(split);
    expect(difference(await split.getWeights("policy"), await whole.getWeights("policy")).largest).toBeLessThan(1e-5);
  });

  it("gives the same results where a binding holds a part of the trained embedding, tied or beside a head", async () => {
    for (const tiedEmbeddings of [true, false]) {
      const wide = { ...config, layers: 1, vocabularySize: 600, tiedEmbeddings };
      const openWide = async (limits: EngineLimits) => {
        const backend = await createWebgpuBackend(wide, { gpu: shared?.gpu ?? null }, { onLost: () => undefined, ...limits });
        await backend.setWeights("policy", sharpWeights(wide, 5));
        return backend;
      };
      // Of 600 ids a binding holds 256, and a gradient makes the logits of fewer at once.
      const [whole, split] = [await openWide({}), await openWide({ bindingBytes: 20_480 })];
      const scored = packGroups(randomGroups(wide, 3, 3, 3), 1.1);
      const given = linearObjective(fixedGradients(scored, 4, ["logprobs", "entropies"]), false);
      const scores = [await whole.accumulate(scored, given, 4096), await split.accumulate(scored, given, 4096)] as const;
      expect(difference(scores[1].logprobs_K, scores[0].logprobs_K).largest).toBeLessThan(1e-5);
      expect(difference(scores[1].entropies_K, scores[0].entropies_K).largest).toBeLessThan(1e-5);
      const { largest, scale } = difference(await split.getGradient(), await whole.getGradient());
      expect(largest).toBeLessThan(1e-5 * scale);
      const asked = request({ maxNewTokens: 4 });
      expect((await sampleCompletions(split, asked)).tokens_BT).toEqual((await sampleCompletions(whole, asked)).tokens_BT);
      for (const backend of [whole, split]) backend.dispose();
    }
  });

  it("names what does not fit", async () => {
    await expect(open(2, { bindingBytes: 1024 })).rejects.toThrow("a binding of this GPU holds 1024");
  });
});

function zeroMoments({ first_N, second_N }: { readonly first_N: Float32Array; readonly second_N: Float32Array }) {
  return { first_N: first_N.map(() => 0), second_N: second_N.map(() => 0) };
}
