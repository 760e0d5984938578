// Sequences sampled wave by wave are the sequences sampled together, to the bit where a backend's rows do
// not touch each other, over one turn and over several.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { Engine } from "../../src/kernels/wasm/engine.ts";
import type { TransformerBackend } from "../../src/model/backend.ts";
import { composedSampler } from "../../src/model/composed/sampler.ts";
import { startTfjs } from "../../src/model/composed/tfjs.ts";
import { WeightSet } from "../../src/model/composed/weightSet.ts";
import { OpenCount, openSequences, type Sampler } from "../../src/model/openSequences.ts";
import { cutSequences, samplerInWaves, WAVE_BYTES } from "../../src/model/samplerWaves.ts";
import { ModelMemory } from "../../src/model/wasm/modelMemory.ts";
import { wasmSampler } from "../../src/model/wasm/sampler.ts";
import type { OpenRequest } from "../../src/rl/policy.ts";
import { asked, converse } from "../support/conversationSuite.ts";
import { criticConfig } from "../support/liveBackend.ts";
import { difference, sharpWeights } from "../support/tokenBatches.ts";
import "../support/kernels.ts";

const V = criticConfig.vocabularySize;

/** A backend that can only be sampled from, so many sequences at a time. */
function sampling(atOnce: number, start: (request: OpenRequest) => Sampler): TransformerBackend {
  const sizes = () => ({ promptBytes: 0, sequenceBytes: WAVE_BYTES / atOnce });
  const open = (request: OpenRequest) => openSequences(request, V, samplerInWaves(request, sizes, start), new OpenCount());
  return { config: criticConfig, open } as unknown as TransformerBackend;
}

describe("waves on the kernels", () => {
  let engine: Engine;
  let memory: ModelMemory;
  beforeAll(async () => {
    engine = await Engine.start(createNodeHost(), { threads: 2, tile: 6 });
    memory = new ModelMemory(engine, criticConfig, 4);
    memory.setWeights("policy", sharpWeights(criticConfig, 5));
  });
  afterAll(() => engine.dispose());

  it.each([1, 2, 4])("of %i sequences give the same bits as all at once, turn by turn", async (atOnce) => {
    const start = (request: OpenRequest) => wasmSampler(memory, request);
    for (const expectedTokens of [24, 1])
      expect(await converse(sampling(atOnce, start), { ...asked, expectedTokens })).toEqual(
        await converse(sampling(100, start), { ...asked, expectedTokens }),
      );
  });

  it("take less memory than all at once", async () => {
    const start = (request: OpenRequest) => wasmSampler(memory, request);
    const request = { prompts: [[1, 2]], promptOf_B: new Int32Array(500), expectedTokens: 32 };
    const bytesOf = async (atOnce: number) => {
      const open = sampling(atOnce, start).open(request);
      const uniforms_BT = new Float32Array(500 * 32).fill(0.5);
      const rule = { temperature: 1, topK: 0, topP: 1, minP: 0, stopTokens: [], uniforms_BT, maxNewTokens: 32 };
      await open.sample({ ...rule, sequences_B: Int32Array.from({ length: 500 }, (_, b) => b) });
      open.close();
      return engine.arena.used;
    };
    const waves = await bytesOf(50);
    const cache = criticConfig.layers * 2 * criticConfig.kvHeads * criticConfig.headSize * 4 * 32;
    expect((await bytesOf(1000)) - waves).toBeGreaterThan(450 * cache);
  });
});

describe("waves on TensorFlow.js", () => {
  let weights: WeightSet;
  beforeAll(async () => {
    await startTfjs("wasm", createNodeHost());
    weights = new WeightSet(criticConfig, false);
    await weights.write(sharpWeights(criticConfig, 5), async () => {});
  });
  afterAll(() => weights.dispose());

  it.each([1, 4])("of %i sequences say what all at once say, turn by turn", async (atOnce) => {
    const start = (request: OpenRequest) => composedSampler(criticConfig, weights, request, async () => {});
    const [waves, whole] = [await converse(sampling(atOnce, start), asked), await converse(sampling(100, start), asked)];
    for (const [b, { tokens, mask, logprobs, entropies }] of whole.entries()) {
      expect([waves[b]!.tokens, waves[b]!.mask]).toEqual([tokens, mask]);
      expect(difference(waves[b]!.logprobs, logprobs).largest).toBeLessThan(1e-4);
      expect(difference(waves[b]!.entropies, entropies).largest).toBeLessThan(1e-4);
    }
  });
});

describe("the cut into waves", () => {
  const promptOf_B = Int32Array.of(0, 0, 0, 1, 1, 2);

  it("leaves together what fits", () => {
    expect(cutSequences(promptOf_B, { promptBytes: 1, sequenceBytes: 1 })).toEqual([{ first: 0, last: 6 }]);
  });

  it("counts a prompt once in each wave that holds one of its sequences", () => {
    const half = { promptBytes: WAVE_BYTES / 4, sequenceBytes: WAVE_BYTES / 4 };
    expect(cutSequences(promptOf_B, half)).toEqual([
      { first: 0, last: 3 },
      { first: 3, last: 5 },
      { first: 5, last: 6 },
    ]);
  });

  it("has waves of one sequence where none fits", () => {
    expect(cutSequences(promptOf_B, { promptBytes: 0, sequenceBytes: 2 * WAVE_BYTES })).toHaveLength(6);
  });
});
