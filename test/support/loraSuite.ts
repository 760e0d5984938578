// Adapters over any backend against PEFT in float64: every number of test/reference/lora-*.
import { readFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Objective, PackedBatch, TokenScores, TransformerBackend } from "../../src/model/backend.ts";
import { readAdapterFolder } from "../../src/model/folder/adapterFolder.ts";
import { adaptedBackend } from "../../src/model/lora/adaptedBackend.ts";
import { type AdaptedLayout, adaptedLayout, initialAdapters, mergeAdapters } from "../../src/model/lora/adapters.ts";
import { type TensorLayout, valuesFor } from "../../src/model/tensors.ts";
import type { TransformerConfig } from "../../src/model/transformerConfig.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import type { CreateBackend } from "./liveBackend.ts";
import { type ReferenceNumbers, readExpected, readReferenceModel } from "./referenceFolder.ts";
import { allLogprobs, difference, packWhole } from "./tokenBatches.ts";

/** Of each architecture one. */
export const LORA_ARCHITECTURES = ["lora-llama-tied", "lora-llama-rank1-rslora", "lora-qwen2-bias", "lora-qwen3-qknorm"] as const;
/** Each on three seeds. */
export const LORA_FOLDERS: readonly string[] = LORA_ARCHITECTURES.flatMap((name) => [name, `${name}-2`, `${name}-3`]);

interface LoraNumbers extends ReferenceNumbers {
  /** Log-probs with the adapter off. */
  readonly referenceLogprobs: readonly (readonly number[])[];
  /** How far PyTorch's own float32 is from these numbers: of a gradient's largest element, and of log-probs before and after three steps. */
  readonly float32: { readonly logprobs: number; readonly gradients: number; readonly afterSteps: number };
}

/** As far from float64 as rounding alone may be: nats of a log-prob or entropy, a share of a gradient's largest element, nats after three steps. */
const ROUNDING = { scores: 2e-5, gradients: 1e-5, afterSteps: 1e-4 };
/** So many times as far as PyTorch's float32 is on the same model, where that is more. */
const TIMES = 4;

const tolerances = ({ float32 }: LoraNumbers) => ({
  scores: Math.max(ROUNDING.scores, TIMES * float32.logprobs),
  gradients: Math.max(ROUNDING.gradients, TIMES * float32.gradients),
  afterSteps: Math.max(ROUNDING.afterSteps, TIMES * float32.afterSteps),
});

/** The adapters of a reference folder. */
export const readReferenceAdapters = (folder: string) =>
  readAdapterFolder(async (name) => new Uint8Array(await readFile(new URL(`../reference/${folder}/adapter/${name}`, import.meta.url))));

interface Loaded {
  readonly backend: TransformerBackend;
  /** The same weights without adapters, on a backend of their own. */
  readonly merged: TransformerBackend;
  readonly start_N: Float32Array;
  readonly off_N: Float32Array;
  readonly expected: LoraNumbers;
  readonly batch: PackedBatch;
  /** Base and adapters as one. */
  readonly whole_N: Float32Array;
}

/** A backend over a base of that shape and the adapters beside it. */
export type CreateAdapted = (config: TransformerConfig, adapted: AdaptedLayout, base_N: Float32Array) => Promise<TransformerBackend>;

/** Adapters over a backend that computes whole weights. */
export const mergedOver =
  (create: CreateBackend): CreateAdapted =>
  async (config, adapted, base_N) =>
    adaptedBackend(await create(config), adapted, base_N);

async function load(folder: string, create: CreateAdapted, whole: CreateBackend): Promise<Loaded> {
  const { config, weights_N } = await readReferenceModel(folder);
  const { lora, values } = await readReferenceAdapters(folder);
  const adapted = adaptedLayout(config, lora);
  const start_N = valuesFor(adapted.layout, values, folder) as Float32Array;
  const off_N = initialAdapters(adapted, weights_N, new Random(1));
  const backend = await create(config, adapted, weights_N);
  const merged = await whole(config);
  const whole_N = mergeAdapters(adapted, weights_N, start_N);
  await merged.setWeights("policy", whole_N);
  await backend.setWeights("policy", start_N);
  await backend.setWeights("reference", off_N);
  const expected = await readExpected<LoraNumbers>(folder);
  const batch = packWhole(
    expected.inputIds,
    expected.inputIds.map(() => 1),
  );
  return { backend, merged, start_N, off_N, expected, batch, whole_N };
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

const peftName = (name: string) => `base_model.model.${name}`;

/** A tensor's place in PEFT's gradients. */
function expectGradients(layout: TensorLayout, gradient_N: Float32Array, expected: ReferenceNumbers["grads"], tolerance: number): void {
  expect(layout.map(({ name }) => peftName(name)).sort()).toEqual(Object.keys(expected).sort());
  for (const { name, offset, size } of layout) {
    const { largest, scale } = difference(gradient_N.subarray(offset, offset + size), expected[peftName(name)]!);
    expect(largest, name).toBeLessThan(tolerance * scale);
  }
}

async function checkSteps({ backend, expected, batch, start_N }: Loaded, afterSteps: number): Promise<void> {
  const { adamw } = expected;
  const { objective, loss } = weightedLoss(expected);
  const size = start_N.length;
  await backend.clearGradient();
  await backend.setWeights("policy", start_N);
  await backend.setOptimizer({ step: 0, first_N: new Float32Array(size), second_N: new Float32Array(size) });
  const [beta1, beta2] = adamw.betas;
  const options = { kind: "adamw", learningRate: adamw.lr, beta1, beta2, eps: adamw.eps, weightDecay: adamw.weightDecay } as const;
  for (const [i, before] of adamw.lossBeforeEachStep.entries()) {
    const scores = await backend.accumulate(batch, objective, 4096);
    expect(Math.abs(loss(scores) - before), `loss before step ${i + 1}`).toBeLessThan(afterSteps);
    const { gradNorm } = await backend.step({ ...options, maxGradNorm: adamw.maxGradNorm });
    if (i === 0) expect(Math.abs(gradNorm / expected.gradGlobalNorm - 1)).toBeLessThan(tolerances(expected).gradients);
  }
  const { logprobs_K } = await backend.score(batch, "policy");
  expect(difference(logprobs_K, adamw.tokenLogprobsAfter3.flat()).largest).toBeLessThan(afterSteps);
  const off = await backend.score(batch, "reference");
  expect(difference(off.logprobs_K, expected.referenceLogprobs.flat()).largest).toBeLessThan(tolerances(expected).scores);
}

/** Declares the tests of adapters over one backend. @param whole makes one of whole weights. @param folders those whose architecture it computes. */
export function describeLora(name: string, create: CreateAdapted, whole: CreateBackend, folders: readonly string[] = LORA_FOLDERS): void {
  describe.each(folders)(`adapters over ${name} agree with PEFT on %s`, (folder) => {
    let loaded: Loaded;
    beforeAll(async () => {
      loaded = await load(folder, create, whole);
    });
    afterAll(() => {
      loaded?.backend.dispose();
      loaded?.merged.dispose();
    });

    it("in log-probs and entropies, with the adapters on and off, and merged", async () => {
      const { backend, merged, batch, expected, whole_N } = loaded;
      const scores = await backend.score(batch, "policy");
      expect(difference(scores.logprobs_K, expected.tokenLogprobs.flat()).largest).toBeLessThan(tolerances(expected).scores);
      expect(difference(scores.entropies_K, expected.tokenEntropies.flat()).largest).toBeLessThan(tolerances(expected).scores);
      const off = await backend.score(batch, "reference");
      expect(difference(off.logprobs_K, expected.referenceLogprobs.flat()).largest).toBeLessThan(tolerances(expected).scores);
      const ofMerged = await merged.score(batch, "policy");
      expect(difference(ofMerged.logprobs_K, expected.tokenLogprobs.flat()).largest).toBeLessThan(tolerances(expected).scores);
      expect(difference(ofMerged.entropies_K, expected.tokenEntropies.flat()).largest).toBeLessThan(tolerances(expected).scores);
      expect(await backend.wholeWeights()).toEqual(whole_N);
    });

    it("in the logits of the last position and the greedy continuation", async () => {
      const { backend, expected } = loaded;
      for (const [i, row] of (await allLogprobs(backend, expected.inputIds)).entries()) {
        const logits = expected.logitsLastPosition[i]!;
        const norm = Math.log(logits.reduce((sum, logit) => sum + Math.exp(logit), 0));
        expect(
          difference(
            row,
            logits.map((logit) => logit - norm),
          ).largest,
        ).toBeLessThan(tolerances(expected).scores);
      }
      const { prompt, continuation } = expected.greedyContinuation;
      const filters = { temperature: 0, topK: 0, topP: 1, minP: 0, stopTokens: [] };
      const maxNewTokens = continuation.length;
      const uniforms_BT = new Float32Array(maxNewTokens);
      const { tokens_BT } = await sampleCompletions(backend, { prompts: [prompt], copies: 1, maxNewTokens, ...filters, uniforms_BT });
      expect(Array.from(tokens_BT)).toEqual(continuation);
    });

    it("in the loss and the gradient of every adapter, and has no other", async () => {
      const { backend, batch, expected } = loaded;
      const { objective, loss } = weightedLoss(expected);
      await backend.clearGradient();
      const scores = await backend.accumulate(batch, objective, 4096);
      expect(Math.abs(loss(scores) - expected.loss)).toBeLessThan(tolerances(expected).scores);
      expectGradients(backend.layout, await backend.getGradient(), expected.grads, tolerances(expected).gradients);
    });

    it("in three clipped AdamW steps, which leave the base as it was", () => checkSteps(loaded, tolerances(loaded.expected).afterSteps));
  });
}
