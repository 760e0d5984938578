// What the transformer adds to its backend: an update that was refused half-way leaves nothing behind, and
// the reference comes and goes.
import { describe, expect, it } from "vitest";
import type { Objective } from "../../src/model/backend.ts";
import { TransformerModel } from "../../src/model/transformerModel.ts";
import { createWasmBackend, type WasmBackend } from "../../src/model/wasm/wasmBackend.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { criticConfig } from "../support/liveBackend.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import { fixedGradients, linearObjective, randomGroups, sharpWeights } from "../support/tokenBatches.ts";
import "../support/kernels.ts";

const batch = packGroups(randomGroups(criticConfig, 20, 3, 2), 1);
const objective = linearObjective(fixedGradients(batch, 21, ["logprobs"]), false);
const optimizer = { kind: "adamw", learningRate: 0.01, beta1: 0.9, beta2: 0.99, eps: 1e-8, weightDecay: 0.1, maxGradNorm: 1 } as const;
// One prompt with its completions at a time.
const request = { batch, objective, exactKlCoef: 0, optimizer, microBatchTokens: 1 };

async function createBackend(): Promise<WasmBackend> {
  const backend = await createWasmBackend(criticConfig, createNodeHost(), { threads: 1 });
  await backend.setWeights("policy", sharpWeights(criticConfig, 30));
  return backend;
}

const createModel = async () => new TransformerModel(await createBackend(), async () => []);

describe("an update whose objective throws at the second micro-batch", () => {
  it("moves no weight and no moment, and the next update is as if it had not been", async () => {
    const [model, untouched] = [await createModel(), await createModel()];
    let calls = 0;
    const throwing: Objective = (scores, range) => {
      calls += 1;
      if (calls === 2) throw new Error("the loss is NaN");
      return objective(scores, range);
    };
    await expect(model.update({ ...request, objective: throwing })).rejects.toThrow("the loss is NaN");
    expect(await model.save()).toEqual(await untouched.save());
    expect((await model.update(request)).gradNorm).toBe((await untouched.update(request)).gradNorm);
    expect(await model.save()).toEqual(await untouched.save());
    model.dispose();
    untouched.dispose();
  });
});

describe("the reference", () => {
  it("leaves no memory taken when it is dropped", async () => {
    const backend = await createBackend();
    const model = new TransformerModel(backend, async () => []);
    const before = backend.memoryBytes();
    await model.refreshReference(1);
    expect(model.hasReference()).toBe(true);
    expect(backend.memoryBytes()).toBeGreaterThan(before);
    await model.dropReference();
    expect(model.hasReference()).toBe(false);
    expect(backend.memoryBytes()).toBe(before);
    model.dispose();
  });

  it("goes when a state without one is loaded", async () => {
    const backend = await createBackend();
    const model = new TransformerModel(backend, async () => []);
    const bare = await model.save();
    const before = backend.memoryBytes();
    await model.refreshReference(1);
    await model.load(bare);
    expect(model.hasReference()).toBe(false);
    expect(backend.memoryBytes()).toBe(before);
    expect(await model.save()).toEqual(bare);
    model.dispose();
  });
});
