// Adapters beside a frozen base on the project's own shaders: PEFT's numbers on every architecture.
import { afterAll, describe, expect, it, vi } from "vitest";
import type { TransformerBackend } from "../../../src/model/backend.ts";
import { GGML_TYPES } from "../../../src/model/folder/ggmlTypes.ts";
import { adaptedLayout, initialAdapters, LORA_TARGETS } from "../../../src/model/lora/adapters.ts";
import type { FrozenBase } from "../../../src/model/lora/frozenBase.ts";
import { checkBackend } from "../../../src/model/selfCheck.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import type { EngineLimits } from "../../../src/model/webgpu/engine.ts";
import { createWebgpuBackend } from "../../../src/model/webgpu/webgpuBackend.ts";
import { sampleCompletions } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { gpuForTests } from "../../support/gpu.ts";
import { countGpu } from "../../support/gpuCounts.ts";
import { createKernelBackend } from "../../support/kernels.ts";
import { criticConfig, tiedConfig } from "../../support/liveBackend.ts";
import { isLong } from "../../support/long.ts";
import { describeLora, LORA_ARCHITECTURES, LORA_FOLDERS } from "../../support/loraSuite.ts";
import { shareDevice } from "../../support/sharedGpu.ts";
import { randomBase, storedBase } from "../../support/storedBase.ts";
import { difference, fixedGradients, linearObjective, randomGroups, sharpWeights } from "../../support/tokenBatches.ts";

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 });
const { gpu, skip } = await gpuForTests();
const shared = gpu ? shareDevice(gpu) : null;
/** The same adapter as one that has no subgroups would be. */
const plain = shared?.without("subgroups");
const hasSubgroups = (await gpu?.requestAdapter())?.features.has("subgroups") ?? false;
afterAll(() => {
  shared?.destroy();
});

describe.skipIf(skip !== undefined)(skip ? `a frozen base on WebGPU (skipped: ${skip})` : "a frozen base on WebGPU", () => {
  const devices = [
    ...(hasSubgroups ? [["WebGPU with subgroups", shared?.gpu] as const] : []),
    ["WebGPU without subgroups", plain] as const,
  ];
  for (const [name, device] of devices)
    describeLora(
      name,
      (config, adapted, base_N) =>
        createWebgpuBackend(
          config,
          { gpu: device ?? null },
          { onLost: () => undefined, frozen: { tensors: storedBase(config, base_N), adapted } },
        ),
      (config) => createKernelBackend(config, { threads: 1 }),
      // On a GPU in software the other seeds take a minute; the own kernels try them every time.
      isLong ? LORA_FOLDERS : LORA_ARCHITECTURES,
    );
});

/** Rows are whole blocks of every type, and a head is an odd number of tiles. */
const blockConfig: TransformerConfig = {
  ...{ ...tiedConfig, vocabularySize: 173, hiddenSize: 64, layers: 2, heads: 4, kvHeads: 2, headSize: 16, intermediateSize: 96 },
};
const lora = { rank: 3, alpha: 6, rankStabilized: false, targets: LORA_TARGETS["all-linear"] } as const;
const adapted = adaptedLayout(blockConfig, lora);
const batch = packGroups(randomGroups(blockConfig, 5, 3, 3), 0.8);

/** Adapters that change something. */
const drawnAdapters = (layout = adapted): Float32Array =>
  initialAdapters(layout, null, new Random(3)).map((value, i) => value || 0.1 * Math.sin(7 * i));

const onGpu = (config: TransformerConfig, frozen: FrozenBase, limits: EngineLimits = {}, device = shared?.gpu) =>
  createWebgpuBackend(config, { gpu: device ?? null }, { onLost: () => undefined, frozen, ...limits });

async function gradientsOf(backend: TransformerBackend, start_N: Float32Array, scored = batch, parts = ["logprobs", "entropies"] as const) {
  await backend.setWeights("policy", start_N);
  const objective = linearObjective(fixedGradients(scored, 4, parts), backend.config.valueHead);
  const scores = await backend.accumulate(scored, objective, 4096);
  return { scores, gradient_N: await backend.getGradient() };
}

async function expectAlike(one: TransformerBackend, other: TransformerBackend, start_N: Float32Array, scored = batch): Promise<void> {
  const [a, b] = [await gradientsOf(one, start_N, scored), await gradientsOf(other, start_N, scored)];
  for (const name of ["logprobs_K", "entropies_K", "values_K"] as const)
    if (a.scores[name]) expect(difference(a.scores[name], b.scores[name]!).largest, name).toBeLessThan(1e-5);
  const { largest, scale } = difference(a.gradient_N, b.gradient_N);
  expect(largest).toBeLessThan(1e-5 * scale);
}

/** Samples two prompts in turns of 5 tokens; the largest gaps between what was sampled and what is scored. */
async function gapsOfSampling(
  backend: TransformerBackend,
  copies: number,
): Promise<{ logprobs: number; entropies: number; tokens: Int32Array; sampled: Float32Array }> {
  const prompts = [
    [1, 2, 3],
    [4, 5],
  ];
  const T = 5;
  const random = new Random(2);
  const uniforms_BT = Float32Array.from({ length: 2 * copies * T }, () => random.uniform());
  const request = { prompts, copies, maxNewTokens: T, temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [], uniforms_BT };
  const { tokens_BT, logprobs_BT, entropies_BT } = await sampleCompletions(backend, request);
  const groups = prompts.map((promptTokens, p) => ({
    promptTokens,
    completions: Array.from({ length: copies }, (_, c) => Array.from(tokens_BT.subarray((p * copies + c) * T, (p * copies + c + 1) * T))),
  }));
  const scores = await backend.score(packGroups(groups, 1), "policy");
  return {
    logprobs: difference(scores.logprobs_K, logprobs_BT).largest,
    entropies: difference(scores.entropies_K, entropies_BT).largest,
    tokens: tokens_BT,
    sampled: logprobs_BT,
  };
}

describe.skipIf(skip !== undefined)(skip ? `stored types on WebGPU (skipped: ${skip})` : "stored types on WebGPU", () => {
  // The test below mixes all types in one base; each by itself is for the long run.
  it.each(GGML_TYPES.filter(({ name }) => isLong || name === "F16" || name === "Q4_1"))(
    "$name is sampled with the log-probs that are scored, and has the gradients of the WASM kernels",
    async (type) => {
      const tensors = randomBase(blockConfig, sharpWeights(blockConfig, 5), type, new Random(8));
      const [gpuBackend, wasm] = [
        await onGpu(blockConfig, { tensors, adapted }),
        await createKernelBackend(blockConfig, { threads: 1, frozen: { tensors, adapted } }),
      ];
      await expectAlike(gpuBackend, wasm, drawnAdapters());
      const gaps = await gapsOfSampling(gpuBackend, 4);
      expect(gaps.logprobs).toBeLessThan(1e-5);
      expect(gaps.entropies).toBeLessThan(1e-5);
      expect(await gpuBackend.wholeWeights()).toEqual(await wasm.wholeWeights());
      gpuBackend.dispose();
      wasm.dispose();
    },
  );
});

describe.skipIf(skip !== undefined)(
  skip ? `parts of a frozen base on WebGPU (skipped: ${skip})` : "parts of a frozen base on WebGPU",
  () => {
    const tensors = randomBase(blockConfig, sharpWeights(blockConfig, 5), GGML_TYPES[1]!, new Random(8));

    it("may have a type each, and are cut where a binding holds fewer ids than there are", async () => {
      const config = { ...blockConfig, vocabularySize: 500, layers: 1, tiedEmbeddings: false };
      const beside = adaptedLayout(config, { ...lora, targets: LORA_TARGETS.attention });
      const ofType = GGML_TYPES.map((type) => randomBase(config, sharpWeights(config, 5), type, new Random(8)));
      const mixed = new Map([...ofType[0]!.keys()].map((name, i) => [name, ofType[i % ofType.length]!.get(name)!]));
      const frozen = { tensors: mixed, adapted: beside };
      const whole = await createKernelBackend(config, { threads: 1, frozen });
      // A buffer holds 384 of the 500 ids in half precision; gate and up, which differ and are widened, fill one.
      const cut = await onGpu(config, frozen, { bindingBytes: 192 * 64 * 4 });
      await expectAlike(cut, whole, drawnAdapters(beside), packGroups(randomGroups(config, 5, 3, 3), 0.8));
      expect((await gapsOfSampling(cut, 3)).logprobs).toBeLessThan(1e-5);
      cut.dispose();
      whole.dispose();
    });

    it("go beside a value head that is trained", async () => {
      const beside = adaptedLayout(criticConfig, { ...lora, rank: 2, targets: ["q_proj", "down_proj"] });
      const frozen = { tensors: storedBase(criticConfig, sharpWeights(criticConfig, 5)), adapted: beside };
      const [ours, wasm] = [await onGpu(criticConfig, frozen), await createKernelBackend(criticConfig, { threads: 1, frozen })];
      const start_N = drawnAdapters(beside).map((value, i) => value || Math.sin(i) / 10);
      await expectAlike(ours, wasm, start_N, packGroups(randomGroups(criticConfig, 3, 2, 3), 1));
      ours.dispose();
      wasm.dispose();
    });

    it("never have an id sampled that the tokenizer does not know", async () => {
      const backend = await onGpu(blockConfig, { tensors, adapted, tokenizerSize: 20 });
      await backend.setWeights("policy", drawnAdapters());
      for (const filters of [{}, { temperature: 0 }, { topK: 5 }, { topP: 0.9 }]) {
        const random = new Random(2);
        const uniforms_BT = Float32Array.from({ length: 60 }, () => random.uniform());
        const request = { prompts: [[1, 2]], copies: 10, maxNewTokens: 6, stopTokens: [], uniforms_BT };
        const { tokens_BT } = await sampleCompletions(backend, { ...request, temperature: 1, topK: 0, topP: 1, minP: 0, ...filters });
        expect(tokens_BT.every((token) => token >= 0 && token < 20)).toBe(true);
      }
      backend.dispose();
    });

    it("are refused in a sentence where a tensor is missing or a binding holds no product", async () => {
      const without = new Map(tensors);
      without.delete("model.layers.1.mlp.up_proj.weight");
      await expect(onGpu(blockConfig, { tensors: without, adapted })).rejects.toThrow(
        'the base: tensor "model.layers.1.mlp.up_proj.weight" [96, 64] is missing',
      );
      await expect(onGpu(blockConfig, { tensors, adapted }, { bindingBytes: 16_384 })).rejects.toThrow(
        "the base's gateUp 0 needs 24576 bytes, a binding of this GPU holds 16384",
      );
    });

    it.skipIf(!hasSubgroups)("have the same log-probs, entropies and gradients with subgroups as without", async () => {
      const backends = [await onGpu(blockConfig, { tensors, adapted }), await onGpu(blockConfig, { tensors, adapted }, {}, plain)] as const;
      await expectAlike(...backends, drawnAdapters());
      const [one, other] = [await gapsOfSampling(backends[0], 4), await gapsOfSampling(backends[1], 4)];
      expect(one.tokens).toEqual(other.tokens);
      expect(difference(one.sampled, other.sampled).largest).toBeLessThan(1e-5);
      for (const backend of backends) backend.dispose();
    });

    it("pass the check of a backend with the adapters beside them", async () => {
      const backend = await onGpu(blockConfig, { tensors, adapted });
      expect(await checkBackend(backend)).toEqual({ ok: true, reason: "scores, sampling and gradient agree with the plain reference" });
      backend.dispose();
    });
  },
);

describe.skipIf(skip !== undefined)(skip ? `dispatches beside a frozen base (skipped: ${skip})` : "dispatches beside a frozen base", () => {
  // Of a layer with Llama's parts: forward 9, back 16, of which the first layer needs two fewer. Around them: the
  // embedding, the head and its scores; back two for the head and one for the norm; and the optimizer's two.
  it.each([
    { layers: 3, rank: 1, headNorm: false },
    { layers: 2, rank: 24, headNorm: true },
    ...(isLong ? [2, 24].map((rank) => ({ layers: 2, rank, headNorm: false })) : []),
  ])("follow from layers and parts, not from the rank: %o", async ({ layers, rank, headNorm }) => {
    const config = { ...tiedConfig, layers, headNorm };
    const beside = adaptedLayout(config, { ...lora, rank });
    const backend = await onGpu(config, { tensors: storedBase(config, sharpWeights(config, 5)), adapted: beside });
    const scored = packGroups(randomGroups(config, 3, 2, 3), 1);
    const update = async () => {
      await gradientsOf(backend, drawnAdapters(beside), scored);
      await backend.step({ kind: "adamw", learningRate: 0.01, beta1: 0.9, beta2: 0.99, eps: 1e-8, weightDecay: 0, maxGradNorm: 1 });
    };
    await update();
    const more = Number(headNorm);
    const { counts } = await countGpu(update);
    expect(counts.dispatches).toBe((9 + more) * layers + 3 + (16 + more) * layers - 2 + 3 + 3);
    const asked = { prompts: [[1, 2], [3]], copies: 2, maxNewTokens: 17, temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] };
    const uniforms_BT = new Float32Array(4 * 17).fill(0.4);
    const sample = () => sampleCompletions(backend, { ...asked, uniforms_BT });
    await sample();
    // A token: the layers, logits, and the draw with its embedding; the first one comes with the prompts, for one embedding more.
    expect((await countGpu(sample)).counts.dispatches).toBe(17 * ((9 + more) * layers + 2) + 1);
    backend.dispose();
  });
});
