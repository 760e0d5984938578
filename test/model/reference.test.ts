// The frozen reference of either kind of model: a copy of the policy at first, then mixed with what the
// policy has become, the policy's own weights untouched.
import { describe, expect, it } from "vitest";
import { type Model, tensorState } from "../../src/model/model.ts";
import { TabularModel } from "../../src/model/tabularModel.ts";
import { TransformerModel } from "../../src/model/transformerModel.ts";
import { createWasmBackend } from "../../src/model/wasm/wasmBackend.ts";
import { planRun } from "../../src/train/start/plan.ts";
import { prepareRun } from "../../src/train/start/start.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { tiedConfig } from "../support/liveBackend.ts";
import { createNodeHost } from "../support/nodeHost.ts";
import { sharpWeights } from "../support/tokenBatches.ts";
import "../support/kernels.ts";

const POSITIONS = 3;
const VOCABULARY = 5;
const batch = packGroups([{ promptTokens: [1, 2], completions: [[4, 0, 3]] }], 1);

async function transformer(): Promise<Model> {
  const backend = await createWasmBackend(tiedConfig, createNodeHost(), { threads: 1 });
  await backend.setWeights("policy", sharpWeights(tiedConfig, 0));
  return new TransformerModel(backend, async () => []);
}

const kinds: readonly (readonly [string, () => Promise<Model>, (seed: number) => Float32Array | Float64Array])[] = [
  [
    "a logits table",
    async () => new TabularModel(POSITIONS, VOCABULARY),
    (seed) => Float64Array.from({ length: POSITIONS * VOCABULARY }, (_, i) => Math.sin(seed * 100 + i)),
  ],
  ["a transformer", transformer, (seed) => sharpWeights(tiedConfig, seed)],
];

/** Gives the model other weights and leaves its reference. */
async function setPolicy(model: Model, policy: Float32Array | Float64Array): Promise<void> {
  const state = await model.save();
  await model.load({ ...state, policy: { ...state.policy, values: policy } });
}

describe.each(kinds)("the reference of %s", (_kind, create, weightsOf) => {
  it("is the policy itself at first, whatever the mix", async () => {
    const model = await create();
    await setPolicy(model, weightsOf(1));
    expect((await model.save()).reference).toBeNull();
    await model.refreshReference(0.25);
    const { policy, reference } = await model.save();
    expect(policy.values).toEqual(weightsOf(1));
    expect(reference).toEqual(policy);
    expect((await model.score(batch, "reference")).logprobs_K).toEqual((await model.score(batch, "policy")).logprobs_K);
    model.dispose();
  });

  it("stays while the policy moves, and then takes the share of it that is asked for", async () => {
    const model = await create();
    await setPolicy(model, weightsOf(1));
    await model.refreshReference(1);
    const frozen = await model.score(batch, "reference");
    await setPolicy(model, weightsOf(2));
    expect((await model.save()).reference?.values).toEqual(weightsOf(1));
    expect(await model.score(batch, "reference")).toEqual(frozen);

    await model.refreshReference(0.25);
    const { policy, reference } = await model.save();
    expect(policy.values).toEqual(weightsOf(2));
    const [before, now] = [weightsOf(1), weightsOf(2)];
    // The same arithmetic in float64, rounded as the weights are.
    expect(reference?.values).toEqual(before.map((weight, i) => 0.25 * now[i]! + 0.75 * weight));

    await model.refreshReference(0);
    expect((await model.save()).reference).toEqual(reference);
    await model.refreshReference(1);
    expect((await model.save()).reference?.values).toEqual(weightsOf(2));
    model.dispose();
  });

  it("begins anew from the policy after it was dropped", async () => {
    const model = await create();
    await setPolicy(model, weightsOf(1));
    await model.refreshReference(1);
    await model.dropReference();
    expect(model.hasReference()).toBe(false);
    expect((await model.save()).reference).toBeNull();
    await setPolicy(model, weightsOf(2));
    await model.refreshReference(0.25);
    expect((await model.save()).reference?.values).toEqual(weightsOf(2));
    model.dispose();
  });
});

describe("the reference in training", () => {
  const config = { task: "digit-sum", klCoef: 0.1, learningRate: 0.5, evalEvery: 0, referenceSyncEvery: 3, referenceMix: 0.4 } as const;

  it("is mixed before every third step and never in between", async () => {
    const run = await prepareRun("run", planRun({ config }), createNodeHost(), { onPreparing() {}, async pause() {}, onLost() {} });
    const references: (Float32Array | Float64Array)[] = [];
    const policies: (Float32Array | Float64Array)[] = [tensorState(await run.model.save()).policy.values];
    for (let step = 0; step < 8; step++) {
      const phases = run.trainer.takeStep(() => {});
      while (!(await phases.next()).done);
      const { policy, reference } = tensorState(await run.model.save());
      policies.push(policy.values);
      references.push(reference!.values);
    }
    // The first policy, then mixed before the steps 4 and 7.
    const first = policies[0]!;
    const second = first.map((weight, i) => 0.4 * policies[3]![i]! + 0.6 * weight);
    const third = second.map((weight, i) => 0.4 * policies[6]![i]! + 0.6 * weight);
    expect(references).toEqual([first, first, first, second, second, second, third, third]);
    expect(second).not.toEqual(first);
  });

  it("is not there without a KL", async () => {
    const run = await prepareRun("run", planRun({ config: { ...config, klCoef: 0 } }), createNodeHost(), {
      onPreparing() {},
      async pause() {},
      onLost() {},
    });
    const phases = run.trainer.takeStep(() => {});
    while (!(await phases.next()).done);
    expect(run.model.hasReference()).toBe(false);
  });
});
