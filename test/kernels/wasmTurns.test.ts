// Several turns on the kernels: the same bits however they are computed, and memory that nobody else may
// use meanwhile. That they are right is the suite's business.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { WasmBackend, WasmBackendOptions } from "../../src/model/wasm/wasmBackend.ts";
import type { SampleResult } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { asked, converse } from "../support/conversationSuite.ts";
import { createKernelBackend } from "../support/kernels.ts";
import { criticConfig as config } from "../support/liveBackend.ts";
import { fixedGradients, linearObjective, sharpWeights } from "../support/tokenBatches.ts";

const draws = (count: number) => {
  const random = new Random(1);
  return Float32Array.from({ length: count }, () => random.uniform());
};

async function conversation(options: WasmBackendOptions, expectedTokens = asked.expectedTokens) {
  const backend = await createKernelBackend(config, options);
  await backend.setWeights("policy", sharpWeights(config, 4));
  const lines = await converse(backend, { ...asked, expectedTokens });
  backend.dispose();
  return lines;
}

describe.each(["relaxed", "plain"] as const)("turns on the %s kernels give the same bits", (build) => {
  const first = conversation({ threads: 1, build, tile: 6 });

  it.each([
    ["with a tile of 4 rows", { threads: 1, build, tile: 4 }],
    ["on two threads", { threads: 2, build }],
    ["on more threads than sequences that take a turn", { threads: 5, build }],
  ] as const)("%s", async (_, options) => {
    expect(await conversation(options)).toEqual(await first);
  });

  it("where sequences outgrow what was expected, at each turn anew", async () => {
    for (const expectedTokens of [0, 7, 1000]) expect(await conversation({ threads: 2, build }, expectedTokens)).toEqual(await first);
  });
});

describe("open sequences", () => {
  let backend: WasmBackend;
  const weights_N = sharpWeights(config, 4);
  beforeAll(async () => {
    backend = await createKernelBackend(config, { threads: 1 });
    await backend.setWeights("policy", weights_N);
  });
  afterAll(() => backend.dispose());
  const all = Int32Array.of(0, 1, 2, 3, 4, 5);
  const rule = { temperature: 1.2, topK: 0, topP: 0.95, minP: 0, stopTokens: [] };
  const turn = { ...rule, sequences_B: all, maxNewTokens: 12, uniforms_BT: draws(6 * 12) };

  it("take a turn to the same bits in one or in two", async () => {
    const open = backend.open(asked);
    const whole = await open.sample(turn);
    open.close();
    const halves = backend.open(asked);
    const parts: SampleResult[] = [];
    for (const from of [0, 6]) {
      const uniforms_BT = turn.uniforms_BT.filter((_, i) => Math.floor((i % 12) / 6) === from / 6);
      parts.push(await halves.sample({ ...turn, maxNewTokens: 6, uniforms_BT }));
    }
    halves.close();
    for (const key of ["tokens_BT", "logprobs_BT", "entropies_BT"] as const)
      expect(Array.from(whole[key])).toEqual(
        Array.from(all).flatMap((b) => parts.flatMap((part) => Array.from(part[key].subarray(6 * b, 6 * b + 6)))),
      );
  });

  it("refuse every other request once a turn was taken, until they are closed", async () => {
    const batch = packGroups([{ promptTokens: [1, 2], completions: [[3, 4]] }], 1);
    const objective = linearObjective(fixedGradients(batch, 2, ["logprobs"]), true);
    await backend.accumulate(batch, objective, 64);
    const scores = await backend.score(batch, "policy");
    const alone = await converse(backend, asked);
    const open = backend.open(asked);
    const second = backend.open(asked);
    await open.sample(turn);
    const refusal = "internal: sequences are open";
    await expect(backend.score(batch, "policy")).rejects.toThrow(refusal);
    await expect(backend.accumulate(batch, objective, 64)).rejects.toThrow(refusal);
    await expect(backend.getGradient()).rejects.toThrow(refusal);
    await expect(backend.clearGradient()).rejects.toThrow(refusal);
    await expect(backend.setWeights("reference", weights_N)).rejects.toThrow(refusal);
    await expect(second.sample(turn)).rejects.toThrow(refusal);
    second.close();
    await expect(backend.score(batch, "policy")).rejects.toThrow(refusal);
    open.close();
    expect(await backend.score(batch, "policy")).toEqual(scores);
    expect(await converse(backend, asked)).toEqual(alone);
    await backend.clearGradient();
  });

  it("refuse a turn that the model has no positions for, but for the last of them", async () => {
    const lastTurn = async (maxNewTokens: number) => {
      const open = backend.open({ ...asked, expectedTokens: 10_000 });
      try {
        await open.sample(turn);
        open.extend(0, Array(config.maxPositions - 5 - 12 - 3).fill(1));
        return await open.sample({ ...turn, sequences_B: Int32Array.of(0), maxNewTokens });
      } finally {
        open.close();
      }
    };
    expect((await lastTurn(3)).lengths_B).toEqual(Int32Array.of(3));
    await expect(lastTurn(4)).rejects.toThrow("sequence length must be <= 64 (the model's maxPositions), got 65");
  });

  it("take what memory their longest sequence needs, and no more for having grown to it", async () => {
    const bytesAfter = async (expectedTokens: number) => {
      await converse(backend, { ...asked, expectedTokens });
      return backend.memoryBytes();
    };
    const [grown, whole] = [await bytesAfter(3), await bytesAfter(24)];
    expect(grown).toBeLessThanOrEqual(whole);
    expect(grown).toBeGreaterThan(0.98 * whole);
  });
});
