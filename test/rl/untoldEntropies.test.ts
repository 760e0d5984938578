// What a model elsewhere does not tell is absent from the numbers, never zero in them.
import fc from "fast-check";
import { expect, it } from "vitest";
import { lossMetrics } from "../../src/rl/metrics/lossMetrics.ts";
import { tokenObjective } from "../../src/rl/objective.ts";
import { anyObjective, randomBatch, withTotals } from "./randomBatch.ts";

it("an objective without entropies has the loss and gradient of the one with them, and no mean entropy", () => {
  fc.assert(
    fc.property(anyObjective, fc.integer({ min: 0, max: 1e6 }), (drawn, seed) => {
      const config = { ...drawn, entropyCoef: 0, topEntropyQuantile: 1 };
      const input = withTotals(randomBatch(seed, 4), config);
      const [told, untold] = [tokenObjective(input, config), tokenObjective({ ...input, entropies_K: null }, config)];
      expect(untold.loss).toBe(told.loss);
      expect(untold.gradLogprobs_K).toEqual(told.gradLogprobs_K);
      const metrics: Record<string, number> = {};
      lossMetrics(untold.sums, config, 1, metrics);
      expect(metrics).not.toHaveProperty("entropy");
      expect(metrics).not.toHaveProperty("loss/entropy");
      if (untold.sums.tokens > 0) expect(metrics.approx_kl).toBeTypeOf("number");
    }),
    { numRuns: 50 },
  );
});
