// A frozen base in the types that files store, with adapters in the kernels' own passes.
import { describe, expect, it } from "vitest";
import type { TransformerBackend } from "../../../src/model/backend.ts";
import { GGML_TYPES, type StoredTensors, stored, widened } from "../../../src/model/folder/ggmlTypes.ts";
import { adaptedBackend } from "../../../src/model/lora/adaptedBackend.ts";
import { adaptedLayout, initialAdapters, LORA_TARGETS } from "../../../src/model/lora/adapters.ts";
import { widenedWeights } from "../../../src/model/lora/frozenBase.ts";
import type { TransformerConfig } from "../../../src/model/transformerConfig.ts";
import type { WasmBackendOptions } from "../../../src/model/wasm/wasmBackend.ts";
import { sampleCompletions } from "../../../src/rl/policy.ts";
import { Random } from "../../../src/rl/random.ts";
import { packGroups } from "../../../src/train/step/update/batch.ts";
import { createKernelBackend } from "../../support/kernels.ts";
import { criticConfig, tiedConfig } from "../../support/liveBackend.ts";
import { describeLora } from "../../support/loraSuite.ts";
import { randomBase, storedBase } from "../../support/storedBase.ts";
import { difference, fixedGradients, linearObjective, packWhole, randomGroups, sharpWeights } from "../../support/tokenBatches.ts";

for (const options of [{ threads: 1, build: "plain" }, { threads: 2 }] as const)
  describeLora(
    `a frozen base on own kernels, ${options.threads} threads`,
    async (config, adapted, base_N) =>
      createKernelBackend(config, { ...options, frozen: { tensors: storedBase(config, base_N), adapted } }),
    (config) => createKernelBackend(config, options),
  );

/** Rows are whole blocks of every type. The vocabulary is wider than a tile of the head, and ends within one. */
const blockConfig: TransformerConfig = {
  ...{ ...tiedConfig, vocabularySize: 173, hiddenSize: 64, layers: 2, heads: 4, kvHeads: 2, headSize: 16, intermediateSize: 96 },
};
const lora = { rank: 3, alpha: 6, rankStabilized: false, targets: LORA_TARGETS["all-linear"] } as const;
const adapted = adaptedLayout(blockConfig, lora);
const filters = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [] };

/** Adapters that change something. */
function drawnAdapters(seed: number): Float32Array {
  const random = new Random(seed);
  return initialAdapters(adapted, null, random).map((value) => value || 0.1 * random.normal());
}

async function frozenOn(tensors: StoredTensors, options: WasmBackendOptions, tokenizerSize?: number): Promise<TransformerBackend> {
  const frozen = { tensors, adapted, ...(tokenizerSize && { tokenizerSize }) };
  const backend = await createKernelBackend(blockConfig, { ...options, frozen });
  await backend.setWeights("policy", drawnAdapters(3));
  return backend;
}

const groups = randomGroups(blockConfig, 5, 3, 3);
const batch = packGroups(groups, 0.8);

async function numbersOf(backend: TransformerBackend) {
  const objective = linearObjective(fixedGradients(batch, 4, ["logprobs", "entropies"]), false);
  const scores = await backend.accumulate(batch, objective, 64);
  return { scores, gradient: await backend.getGradient() };
}

describe.each(GGML_TYPES)("a frozen base of $name", (type) => {
  const tensors = randomBase(blockConfig, sharpWeights(blockConfig, 5), type, new Random(8));

  it("has the bits of the same numbers in single precision, on any number of threads", async () => {
    const [typed, plain] = [await frozenOn(tensors, { threads: 2 }), await frozenOn(asFloats(tensors), { threads: 1 })];
    expect(await numbersOf(typed)).toEqual(await numbersOf(plain));
    expect(await typed.wholeWeights()).toEqual(await plain.wholeWeights());
    typed.dispose();
    plain.dispose();
  });

  it("samples with the log-probs that it scores", async () => {
    const backend = await frozenOn(tensors, { threads: 2 });
    const prompts = [
      [1, 2, 3],
      [4, 5],
    ];
    const [copies, T] = [30, 5];
    const random = new Random(2);
    const uniforms_BT = Float32Array.from({ length: 2 * copies * T }, () => random.uniform());
    const { tokens_BT, logprobs_BT, entropies_BT } = await sampleCompletions(backend, {
      ...{ prompts, copies, maxNewTokens: T, ...filters, uniforms_BT },
    });
    const sequences = Array.from({ length: 2 * copies }, (_, b) => [
      ...prompts[Math.floor(b / copies)]!,
      ...tokens_BT.subarray(b * T, (b + 1) * T),
    ]);
    const scores = await backend.score(
      packWhole(
        sequences,
        sequences.map((_, b) => prompts[Math.floor(b / copies)]!.length),
      ),
      "policy",
    );
    expect(difference(scores.logprobs_K, logprobs_BT).largest).toBeLessThan(1e-5);
    expect(difference(scores.entropies_K, entropies_BT).largest).toBeLessThan(1e-5);
    backend.dispose();
  });
});

function asFloats(tensors: StoredTensors): StoredTensors {
  return new Map([...tensors].map(([name, tensor]) => [name, stored(widened(tensor))]));
}

describe("a frozen base", () => {
  const tensors = randomBase(blockConfig, sharpWeights(blockConfig, 5), GGML_TYPES[1]!, new Random(8));

  it.each([[["logprobs"]], [["entropies"]], [["logprobs", "entropies"]]] as const)(
    "gives the gradients of merged weights, of %j, over several tiles of ids",
    async (which) => {
      const merged = adaptedBackend(
        await createKernelBackend(blockConfig, { threads: 1 }),
        adapted,
        await widenedWeights(blockConfig, tensors),
      );
      const frozen = await frozenOn(tensors, { threads: 2 });
      await merged.setWeights("policy", drawnAdapters(3));
      const objective = linearObjective(fixedGradients(batch, 4, which), false);
      const [expected, got] = [await merged.accumulate(batch, objective, 64), await frozen.accumulate(batch, objective, 64)];
      expect(difference(got.logprobs_K, expected.logprobs_K).largest).toBeLessThan(1e-5);
      const { largest, scale } = difference(await frozen.getGradient(), await merged.getGradient());
      expect(largest).toBeLessThan(1e-5 * scale);
      merged.dispose();
      frozen.dispose();
    },
  );

  it("gives the gradients of merged weights to adapters and a value head", async () => {
    const base_N = sharpWeights(criticConfig, 5);
    const ofCritic = adaptedLayout(criticConfig, { ...lora, rank: 2, targets: ["q_proj", "down_proj"] });
    const start_N = initialAdapters(ofCritic, base_N, new Random(3)).map((value, i) => value || Math.sin(i) / 10);
    const merged = adaptedBackend(await createKernelBackend(criticConfig, { threads: 1 }), ofCritic, base_N);
    const frozen = await createKernelBackend(criticConfig, {
      ...{ threads: 2, frozen: { tensors: storedBase(criticConfig, base_N), adapted: ofCritic } },
    });
    const scored = packGroups(randomGroups(criticConfig, 3, 2, 3), 1);
    const gradients = [];
    for (const backend of [merged, frozen]) {
      await backend.setWeights("policy", start_N);
      await backend.accumulate(scored, linearObjective(fixedGradients(scored, 4, ["logprobs", "entropies", "values"]), true), 4096);
      gradients.push(await backend.getGradient());
      backend.dispose();
    }
    const { largest, scale } = difference(gradients[1]!, gradients[0]!);
    expect(largest).toBeLessThan(1e-5 * scale);
  });

  it("samples the same on any number of threads, which share products until every row has ended", async () => {
    const random = new Random(2);
    const [prompts, copies, T] = [[[1, 2], [3, 4, 5], [6]], 5, 12];
    const uniforms_BT = Float32Array.from({ length: prompts.length * copies * T }, () => random.uniform());
    const stopTokens = Array.from({ length: 40 }, (_, id) => id);
    const sampled = [];
    for (const threads of [1, 2, 3, 7]) {
      const backend = await frozenOn(tensors, { threads });
      const request = { prompts, copies, maxNewTokens: T, ...filters, stopTokens, uniforms_BT };
      sampled.push(await sampleCompletions(backend, request), await sampleCompletions(backend, { ...request, prompts: [[9]], copies: 1 }));
      backend.dispose();
    }
    for (let i = 2; i < sampled.length; i++) expect(sampled[i]).toEqual(sampled[i % 2]);
    expect(new Set(sampled[0]!.lengths_B).size).toBeGreaterThan(3);
  });

  it("never samples an id past the tokenizer's", async () => {
    const backend = await frozenOn(tensors, { threads: 1 }, 20);
    for (const temperature of [0, 1]) {
      const random = new Random(2);
      const uniforms_BT = Float32Array.from({ length: 200 }, () => random.uniform());
      const { tokens_BT } = await sampleCompletions(backend, {
        ...{ prompts: [[1, 2]], copies: 20, maxNewTokens: 10, ...filters, temperature, uniforms_BT },
      });
      expect(tokens_BT.every((token) => token >= 0 && token < 20)).toBe(true);
    }
    backend.dispose();
  });

  it("is one for policy and reference, which with adapters that change nothing is the base", async () => {
    const backend = await createKernelBackend(blockConfig, { threads: 1, frozen: { tensors, adapted } });
    const off_N = initialAdapters(adapted, null, new Random(1));
    await backend.setWeights("policy", drawnAdapters(3));
    const before = backend.memoryBytes();
    await backend.setWeights("reference", off_N);
    expect(backend.memoryBytes() - before).toBeLessThan(4 * off_N.length + 128);
    const start = await backend.score(batch, "reference");
    await backend.setWeights("policy", off_N);
    expect(await backend.score(batch, "policy")).toEqual(start);
    expect(await backend.getWeights("reference")).toEqual(off_N);
    backend.dispose();
  });

  it("gives a reference of its own adapters room for them, packed too", async () => {
    const backend = await createKernelBackend(blockConfig, { threads: 2, frozen: { tensors, adapted } });
    await backend.setWeights("policy", drawnAdapters(3));
    const scores = await backend.score(batch, "policy");
    await backend.setWeights("policy", drawnAdapters(4));
    await backend.setWeights("reference", drawnAdapters(3));
    expect(await backend.score(batch, "reference")).toEqual(scores);
    expect(await backend.score(batch, "policy")).not.toEqual(scores);
    backend.dispose();
  });

  it("is refused in a sentence where a tensor is missing or has another shape", async () => {
    const without = new Map(tensors);
    without.delete("model.layers.1.mlp.up_proj.weight");
    await expect(frozenOn(without, { threads: 1 })).rejects.toThrow(
      'the base: tensor "model.layers.1.mlp.up_proj.weight" [96, 64] is missing',
    );
    const other = new Map(tensors).set("model.norm.weight", stored({ shape: [3], data: new Float32Array(3) }));
    await expect(frozenOn(other, { threads: 1 })).rejects.toThrow('tensor "model.norm.weight" must have shape [64], got [3]');
  });
});
