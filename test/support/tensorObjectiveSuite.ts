// TRL's numbers for loss and gradients, asked of the objective on tensors on every tfjs backend.
import { describe, it } from "vitest";
import { tensorObjective } from "../../src/model/composed/objective/gradient.ts";
import { flatten } from "../rl/reference.ts";
import { lossCases, objectiveOf } from "../rl/trlCases.ts";
import { expectInFloat32 } from "./float32.ts";

/** Loss and gradients of every case of TRL. */
export function describeTrlCases(title: string): void {
  describe.skipIf(lossCases.length === 0)(title, () => {
    it.each(lossCases.map((reference) => [reference.name, reference] as const))("%s", async (_name, reference) => {
      const { config, input } = objectiveOf(reference);
      const { loss, gradLogprobs, gradEntropies } = reference.expected;
      const result = await tensorObjective(input, config);
      expectInFloat32([result.loss], [loss], "loss");
      expectInFloat32(result.gradLogprobs_K, flatten(gradLogprobs), "gradient by log-probs");
      expectInFloat32(result.gradEntropies_K, gradEntropies && flatten(gradEntropies), "gradient by entropies");
    });
  });
}
