// verl's and TRL's numbers for advantages and critic, asked of the tensors on every tfjs backend.
import * as tf from "@tensorflow/tfjs";
import { describe, it } from "vitest";
import { tensorAdvantages } from "../../src/model/composed/advantage/advantages.ts";
import { tensorObjective } from "../../src/model/composed/objective/gradient.ts";
import { klEstimate } from "../../src/model/composed/objective/kl.ts";
import { runConfigSchema } from "../../src/protocol/config.ts";
import { objectiveTotals } from "../../src/rl/objective.ts";
import { flatten } from "../rl/reference.ts";
import { batchOf, reference, SWITCHES, type Table } from "../rl/verlCases.ts";
import { expectInFloat32 } from "./float32.ts";

/** Every estimator, two rewards, the critic and the KL estimators. */
export function describeVerlCases(title: string): void {
  describe.skipIf(!reference)(title, () => {
    it.each(Object.keys(SWITCHES))("%s", async (name) => {
      const expected = reference!.advantages[name]!;
      const { completion_Q, advantages_K } = await tensorAdvantages(batchOf(reference!), runConfigSchema.parse(SWITCHES[name]!));
      if (Array.isArray(expected[0])) expectInFloat32(advantages_K, flatten(expected as Table), name);
      else expectInFloat32(completion_Q, expected as number[], name);
    });

    it("two weighted rewards, normalised before they are summed", async () => {
      const { rewards, weights, normalizeThenSum } = reference!.twoRewards;
      const parts_Q = rewards.map((row) => row.map((value, i) => ({ name: `r${i}`, value, weight: weights[i]! })));
      const config = runConfigSchema.parse({ rewardAggregation: "normalize-then-sum" });
      const { completion_Q } = await tensorAdvantages({ ...batchOf(reference!), parts_Q }, config);
      expectInFloat32(completion_Q, normalizeThenSum, "advantages");
    });

    const cases = reference?.ppo.cases ?? [];
    it.each(cases.map((one) => [one.gamma, one.lambda_, one] as const))(
      "GAE and value loss with γ %s, λ %s",
      async (discount, gaeLambda, one) => {
        const { values, newValues } = reference!.ppo;
        const batch = { ...batchOf(reference!), values_K: flatten(values) };
        const switches = { advantageBaseline: "critic", whitenAdvantages: true, valueClip: one.clipRangeValue, valueCoef: 1 } as const;
        const config = runConfigSchema.parse({ ...switches, discount, gaeLambda });
        const { advantages_K, returns_K } = await tensorAdvantages(batch, config);
        expectInFloat32(advantages_K, flatten(one.whitenedAdvantages), "whitened advantages");
        // verl leaves rounding dust at untrained tokens; only trained ones mean anything.
        const returns = flatten(one.returns).map((value, k) => (batch.mask_K[k] ? value : 0));
        expectInFloat32(returns_K, returns, "returns");

        const zeros = new Float64Array(batch.mask_K.length);
        const input = { ...batch, logprobs_K: zeros, entropies_K: zeros, advantages_K: zeros, values_K: flatten(newValues) };
        const totals = objectiveTotals({ ...batch, entropies_K: null }, config);
        const result = await tensorObjective({ ...input, oldValues_K: batch.values_K, returns_K, totals }, config);
        expectInFloat32([result.valueLoss], [one.valueLoss], "value loss");
        expectInFloat32(result.gradValues_K, flatten(one.gradNewValues), "gradient by values");
      },
    );

    it.each(["k1", "k2", "k3", "k3+"] as const)("KL estimator %s and its gradient", async (estimator) => {
      const { logprobs, refLogprobs, values, gradLogprobs } = reference!.klEstimators;
      const d = tf.tensor1d(logprobs.map((logprob, i) => logprob - refLogprobs[i]!));
      const estimate = tf.tidy(() => tf.clone(klEstimate(estimator, d)));
      const gradient = tf.grad((moved) => tf.sum(klEstimate(estimator, moved)))(d);
      expectInFloat32(await estimate.data(), values[estimator]!, "values");
      expectInFloat32(await gradient.data(), gradLogprobs[estimator]!, "gradients");
      tf.dispose([d, estimate, gradient]);
    });
  });
}
