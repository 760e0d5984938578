// What the objective on tensors must do on every tfjs backend, and how closely: one tolerance of
// float32 for every case and every option.
import { describe, expect, it } from "vitest";
import { tensorObjective } from "../../src/model/composed/objective/gradient.ts";
import { flatten } from "../rl/reference.ts";
import { type LossCase, lossCases, objectiveOf } from "../rl/trlCases.ts";

/** Expects every number within 1e-5 of the largest expected one, plus 1e-7: sums of terms around 1 may cancel, rounding stays. */
export function expectInFloat32(actual: ArrayLike<number> | null, expected: ArrayLike<number> | null, what: string): void {
  expect([what, actual?.length]).toEqual([what, expected?.length]);
  let largest = 0;
  let difference = 0;
  for (let i = 0; i < (expected?.length ?? 0); i++) {
    largest = Math.max(largest, Math.abs(expected![i]!));
    // NaN would pass through Math.max comparisons as NaN and fail below.
    difference = Math.max(difference, Math.abs(actual![i]! - expected![i]!));
  }
  expect(difference, what).toBeLessThanOrEqual(1e-5 * largest + 1e-7);
}

/** Loss and gradients of TRL's cases, or of those given. */
export function describeTrlCases(title: string, cases: readonly LossCase[] = lossCases): void {
  describe.skipIf(lossCases.length === 0)(title, () => {
    it.each(cases.map((reference) => [reference.name, reference] as const))("%s", async (_name, reference) => {
      const { config, input } = objectiveOf(reference);
      const { loss, gradLogprobs, gradEntropies } = reference.expected;
      const result = await tensorObjective(input, config);
      expectInFloat32([result.loss], [loss], "loss");
      expectInFloat32(result.gradLogprobs_K, flatten(gradLogprobs), "gradient by log-probs");
      expectInFloat32(result.gradEntropies_K, gradEntropies && flatten(gradEntropies), "gradient by entropies");
    });
  });
}
