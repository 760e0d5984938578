// What a backend holds: weights, a frozen reference, moments; and how a step changes them.
import { describe, expect, it } from "vitest";
import type { Objective, OptimizerStep, TransformerBackend } from "../../src/model/backend.ts";
import { packGroups } from "../../src/train/step/update/batch.ts";
import { type CreateBackend, criticConfig, useBackend } from "./liveBackend.ts";
import { difference, fixedGradients, linearObjective, randomGroups, sharpWeights } from "./tokenBatches.ts";

const adam: OptimizerStep = { kind: "adamw", learningRate: 0.01, beta1: 0.9, beta2: 0.99, eps: 1e-8, weightDecay: 0.1, maxGradNorm: 1 };
const batch = packGroups(randomGroups(criticConfig, 20, 2, 2), 1);
const gradients = fixedGradients(batch, 21, ["logprobs", "entropies", "values"]);

async function update(backend: TransformerBackend, step: OptimizerStep): Promise<number> {
  await backend.accumulate(batch, linearObjective(gradients, true), 4096);
  return (await backend.step(step)).gradNorm;
}

/** Declares the state tests. */
export function describeState(create: CreateBackend): void {
  describe("state", () => {
    const critic = useBackend(create, criticConfig);

    it("returns the weights it was given, to the bit, and copies them", async () => {
      const weights_N = sharpWeights(criticConfig, 30);
      await critic().setWeights("policy", weights_N);
      const first_N = await critic().getWeights("policy");
      expect(first_N).toEqual(weights_N);
      first_N.fill(0);
      weights_N.fill(0);
      expect(await critic().getWeights("policy")).toEqual(sharpWeights(criticConfig, 30));
    });

    it("goes on from saved weights and moments as if it had never stopped", async () => {
      await update(critic(), adam);
      const weights_N = await critic().getWeights("policy");
      const moments = await critic().getOptimizer();
      const norm = await update(critic(), adam);
      const expected_N = await critic().getWeights("policy");
      await update(critic(), adam);
      await critic().setWeights("policy", weights_N);
      await critic().setOptimizer(moments);
      expect(await critic().getOptimizer()).toEqual(moments);
      expect(await update(critic(), adam)).toBe(norm);
      expect(await critic().getWeights("policy")).toEqual(expected_N);
    });

    it("keeps the reference where it was while the policy moves", async () => {
      const weights_N = sharpWeights(criticConfig, 31);
      await critic().setWeights("policy", weights_N);
      await critic().setWeights("reference", weights_N);
      const before = await critic().score(batch, "policy");
      await update(critic(), adam);
      expect((await critic().score(batch, "reference")).logprobs_K).toEqual(before.logprobs_K);
      expect(await critic().getWeights("reference")).toEqual(weights_N);
      expect(difference((await critic().score(batch, "policy")).logprobs_K, before.logprobs_K).largest).toBeGreaterThan(1e-3);
    });

    it("has no reference any more once it was dropped, until another is set", async () => {
      await critic().setWeights("policy", sharpWeights(criticConfig, 35));
      await critic().setWeights("reference", sharpWeights(criticConfig, 36));
      const before = await critic().score(batch, "reference");
      await critic().dropWeights("reference");
      await critic().dropWeights("reference");
      await expect(critic().getWeights("reference")).rejects.toThrow("internal: the reference weights are not set");
      await expect(critic().score(batch, "reference")).rejects.toThrow("internal: the reference weights are not set");
      await update(critic(), adam);
      await critic().setWeights("reference", sharpWeights(criticConfig, 36));
      expect(await critic().score(batch, "reference")).toEqual(before);
    });

    it("clips an SGD step by the global norm, decays all weights, and clears the gradient", async () => {
      const weights_N = sharpWeights(criticConfig, 32);
      await critic().setWeights("policy", weights_N);
      await critic().accumulate(batch, linearObjective(gradients, true), 4096);
      const gradient_N = await critic().getGradient();
      const { gradNorm } = await critic().step({ ...adam, kind: "sgd", learningRate: 0.5, maxGradNorm: 0.1 });
      expect(Math.abs(gradNorm / Math.hypot(...gradient_N) - 1)).toBeLessThan(1e-5);
      expect(gradNorm).toBeGreaterThan(0.1);
      const expected_N = weights_N.map((weight, i) => weight * (1 - 0.5 * 0.1) - 0.5 * gradient_N[i]! * (0.1 / gradNorm));
      expect(difference(await critic().getWeights("policy"), expected_N).largest).toBeLessThan(2e-6);
      expect((await critic().getGradient()).every((value) => value === 0)).toBe(true);
    });

    it("forgets an accumulated gradient when told to, and nothing else", async () => {
      await critic().setWeights("policy", sharpWeights(criticConfig, 34));
      const moments = await critic().getOptimizer();
      const weights_N = await critic().getWeights("policy");
      await critic().accumulate(batch, linearObjective(gradients, true), 4096);
      const once_N = await critic().getGradient();
      expect(once_N.some((value) => value !== 0)).toBe(true);
      await critic().clearGradient();
      expect((await critic().getGradient()).every((value) => value === 0)).toBe(true);
      expect(await critic().getWeights("policy")).toEqual(weights_N);
      expect(await critic().getOptimizer()).toEqual(moments);
      await critic().accumulate(batch, linearObjective(gradients, true), 4096);
      expect(difference(await critic().getGradient(), once_N).largest).toBeLessThan(1e-6);
    });

    it("goes on after an objective that threw amid a batch, once the gradient is cleared", async () => {
      await critic().setWeights("policy", sharpWeights(criticConfig, 34));
      await critic().clearGradient();
      await critic().accumulate(batch, linearObjective(gradients, true), 4096);
      const expected_N = await critic().getGradient();
      await critic().clearGradient();
      let calls = 0;
      const throwing: Objective = (scores, range) => {
        calls += 1;
        if (calls === 2) throw new Error("no more");
        return linearObjective(gradients, true)(scores, range);
      };
      await expect(critic().accumulate(batch, throwing, 1)).rejects.toThrow("no more");
      await critic().clearGradient();
      await critic().accumulate(batch, linearObjective(gradients, true), 4096);
      expect(difference(await critic().getGradient(), expected_N).largest).toBeLessThan(1e-6);
      await critic().clearGradient();
    });

    it("refuses a non-finite gradient: nothing changes and it is cleared", async () => {
      await critic().setWeights("policy", sharpWeights(criticConfig, 33));
      const weights_N = await critic().getWeights("policy");
      const moments = await critic().getOptimizer();
      const broken = fixedGradients(batch, 21, ["logprobs"]);
      broken.logprobs_K[1] = Number.NaN;
      await critic().accumulate(batch, linearObjective(broken, false), 4096);
      expect((await critic().step(adam)).gradNorm).toBeNaN();
      expect(await critic().getWeights("policy")).toEqual(weights_N);
      expect(await critic().getOptimizer()).toEqual(moments);
      expect(await update(critic(), adam)).toBeGreaterThan(0);
    });
  });
}
