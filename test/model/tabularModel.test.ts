import { describe, expect, it } from "vitest";
import type { Objective, OptimizerStep } from "../../src/model/backend.ts";
import { TabularModel } from "../../src/model/tabularModel.ts";
import { sampleCompletions } from "../../src/rl/policy.ts";
import { Random } from "../../src/rl/random.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { setOf } from "../support/tensorSets.ts";

const T = 3;
const V = 4;
const plain: OptimizerStep = { kind: "sgd", learningRate: 1, beta1: 0.9, beta2: 0.999, eps: 1e-8, weightDecay: 0, maxGradNorm: 0 };
const batch = packGroups(
  [
    {
      promptTokens: [0],
      completions: [
        [1, 2, 3],
        [0, 2],
        [3, 3, 1],
      ],
    },
  ],
  0.8,
);
const K = batch.scoreTarget_K.length;
const weights_K = Float32Array.from({ length: K }, (_, k) => Math.sin(k + 1));
const entropyWeights_K = Float32Array.from({ length: K }, (_, k) => 0.3 * Math.cos(k));
const objective: Objective = () => ({ logprobs_K: weights_K, entropies_K: entropyWeights_K, values_K: null });

async function tableWith(policy: Float64Array, reference: Float64Array | null): Promise<TabularModel> {
  const table = new TabularModel(T, V);
  const named = (values: Float64Array) => setOf(values, "logits", [T, V]);
  const zeros = named(new Float64Array(T * V));
  await table.load({ policy: named(policy), reference: reference && named(reference), first: zeros, second: zeros, optimizerSteps: 0 });
  return table;
}

const random = new Random(5);
const logits = Float64Array.from({ length: T * V }, () => random.normal());
const reference = Float64Array.from({ length: T * V }, () => random.normal());

/** sum(w log p) + sum(h H) + 0.7 KL, from scores in float32 and the exact KL the model reports. */
async function loss(policy: Float64Array): Promise<number> {
  const table = await tableWith(policy, reference);
  const { scores, exactKlNats } = await table.update({
    batch,
    objective,
    exactKlCoef: 0.7,
    optimizer: { ...plain, learningRate: 0 },
    microBatchTokens: 64,
  });
  let total = 0.7 * exactKlNats!;
  for (let k = 0; k < K; k++) total += weights_K[k]! * scores.logprobs_K[k]! + entropyWeights_K[k]! * scores.entropies_K[k]!;
  return total;
}

describe("the tabular policy", () => {
  it("reports the exact KL to its reference, averaged over positions", async () => {
    const table = await tableWith(logits, reference);
    const { exactKlNats } = await table.update({ batch, objective, exactKlCoef: 0, optimizer: plain, microBatchTokens: 64 });
    const logSoftmax = (row: Float64Array) => row.map((logit) => logit - Math.log(row.reduce((sum, each) => sum + Math.exp(each), 0)));
    let expected = 0;
    for (let t = 0; t < T; t++) {
      const p_V = logSoftmax(logits.slice(t * V, (t + 1) * V));
      const q_V = logSoftmax(reference.slice(t * V, (t + 1) * V));
      expected += p_V.reduce((sum, logprob, v) => sum + Math.exp(logprob) * (logprob - q_V[v]!), 0) / T;
    }
    expect(exactKlNats).toBeCloseTo(expected, 12);
  });

  it("steps along the gradient of its objective, entropies and exact KL included", async () => {
    const table = await tableWith(logits, reference);
    await table.update({ batch, objective, exactKlCoef: 0.7, optimizer: plain, microBatchTokens: 64 });
    const { policy } = await table.save();
    for (let i = 0; i < T * V; i++) {
      const h = 1e-2;
      const moved = (by: number) => logits.map((value, j) => (j === i ? value + by : value));
      const slope = ((await loss(moved(h))) - (await loss(moved(-h)))) / (2 * h);
      // One plain step of size 1 from the logits is minus the gradient; scores carry float32 rounding.
      expect(logits[i]! - policy.values[i]!).toBeCloseTo(slope, 3);
    }
  });

  it("samples with the probabilities of its table", async () => {
    const table = await tableWith(logits, null);
    const B = 20_000;
    const uniforms_BT = Float32Array.from({ length: B }, () => random.uniform());
    const sample = await sampleCompletions(table, {
      prompts: [[0]],
      copies: B,
      maxNewTokens: 1,
      temperature: 1,
      topK: 0,
      topP: 1,
      minP: 0,
      stopTokens: [],
      uniforms_BT,
    });
    const norm = [...logits.slice(0, V)].reduce((sum, logit) => sum + Math.exp(logit), 0);
    for (let v = 0; v < V; v++) {
      const share = sample.tokens_BT.filter((token) => token === v).length / B;
      expect(Math.abs(share - Math.exp(logits[v]!) / norm)).toBeLessThan(0.015);
    }
  });

  it("refuses a step whose gradient is not a number", async () => {
    const table = await tableWith(logits, null);
    const broken: Objective = () => ({ logprobs_K: new Float32Array(K).fill(Number.NaN), entropies_K: null, values_K: null });
    const { gradNorm } = await table.update({ batch, objective: broken, exactKlCoef: 0, optimizer: plain, microBatchTokens: 64 });
    expect(gradNorm).toBeNaN();
    expect((await table.save()).policy.values).toEqual(logits);
  });

  it("says which positions it has", async () => {
    const table = new TabularModel(T, V);
    const request = {
      prompts: [[0]],
      copies: 1,
      maxNewTokens: 9,
      temperature: 1,
      topK: 0,
      topP: 1,
      minP: 0,
      stopTokens: [],
      uniforms_BT: new Float32Array(9),
    };
    await expect(sampleCompletions(table, request)).rejects.toThrow("maxCompletionTokens must be <= 3 for this tabular policy, got 9");
  });
});
