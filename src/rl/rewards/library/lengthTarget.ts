// Pulls the length of conversations towards a target. SimpleTorchLLMRL's 1 - |length - 20| / 100 is the same
// with target 20 and width 100, except that this one stops at 0.
import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { defineLibraryRule } from "./libraryRule.ts";

/** max(0, 1 - |sampled tokens - target| / width). */
export const lengthTarget = defineLibraryRule({
  name: "lengthTarget",
  title: "Length near a target",
  help: "1 when the policy sampled as many tokens as the target says, falling to 0 with the distance.",
  weight: 0.1,
  settingsSchema: z.strictObject(
    section("task", {
      target: integer(1, 4096, 16, "Target length", "Sampled tokens of the whole conversation.", { unit: "tokens" }),
      width: integer(1, 4096, 16, "Width", "Distance from the target at which nothing is left.", { unit: "tokens" }),
    }),
  ),
  score: ({ target, width }, _, { logprobs }) => Math.max(0, 1 - Math.abs(logprobs.length - target) / width),
  python: "lambda judged, target, width: max(0.0, 1 - abs(sum(judged.sampled) - target) / width)",
});
