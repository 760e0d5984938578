// The objective against TRL's own loss, gradients and metrics.
import { describe, expect, it } from "vitest";
import { lossMetrics } from "../../src/rl/metrics/lossMetrics.ts";
import { tokenObjective } from "../../src/rl/objective.ts";
import { flatten, relativeError } from "./reference.ts";
import { lossCases as cases, type LossCase, objectiveOf } from "./trlCases.ts";

function run(reference: LossCase) {
  const { config, input } = objectiveOf(reference);
  return { config, result: tokenObjective(input, config) };
}

describe("the objective equals TRL's", () => {
  it("covers all 18 cases", () => expect(cases).toHaveLength(18));

  it.each(cases.map((reference) => [reference.name, reference] as const))("%s: loss and gradients", (_name, reference) => {
    const { result } = run(reference);
    expect(Math.abs(result.loss / reference.expected.loss - 1)).toBeLessThan(1e-8);
    expect(relativeError(result.gradLogprobs_K, flatten(reference.expected.gradLogprobs))).toBeLessThan(1e-8);
    if (reference.expected.gradEntropies) {
      expect(relativeError(result.gradEntropies_K!, flatten(reference.expected.gradEntropies))).toBeLessThan(1e-12);
    } else {
      expect(result.gradEntropies_K).toBeNull();
    }
  });

  it.each(cases.map((reference) => [reference.name, reference] as const))("%s: metrics", (_name, reference) => {
    const { config, result } = run(reference);
    const metrics: Record<string, number> = {};
    lossMetrics(result.sums, config, 1, metrics);
    for (const [key, value] of Object.entries(reference.expected.metrics))
      expect([key, metrics[key]]).toEqual([key, expect.closeTo(value, 8)]);
  });
});
