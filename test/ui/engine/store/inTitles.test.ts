// On the page the engine's sentences speak of fields by their titles.
import { describe, expect, it } from "vitest";
import { catalog } from "../../../../src/train/catalog.ts";
import { inTitles } from "../../../../src/ui/engine/store/inTitles.ts";
import { resolveConfig } from "../../../support/resolveConfig.ts";

function sentenceOf(input: unknown): string {
  try {
    resolveConfig(input, catalog.tasks, catalog.algorithms);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  throw new Error("nothing was refused");
}

describe("a sentence in titles", () => {
  it.each([
    ["groupSize must be >= 2, got 1", "Group size must be >= 2, got 1"],
    ["taskOptions.largestOperand must be >= 9, got 1", "Largest operand must be >= 9, got 1"],
    ["clipDelta must be 0 or > 1 + clipHigh = 1.2, got 1", "Two-sided bound δ must be 0 or > 1 + Clip above ε = 1.2, got 1"],
    ["rewardWeights.sumCloseness must be <= 10, got 11", "Weight of Closeness of the sum must be <= 10, got 11"],
    ["steps must be >= 0, got -1; heads must divide hiddenSize 64, got 5", "Steps must be >= 0, got -1; Heads must divide Width 64, got 5"],
    ["warmupSteps must be < steps 10, got 20", "Warm-up must be < steps 10, got 20"],
    // What was typed, and a name that only an address knows, stay as they are.
    ['learningRate must be a number, got "groupSize"', 'Learning rate must be a number, got "groupSize"'],
    ['unknown field "grupSize" (did you mean "groupSize"?)', 'unknown field "grupSize" (did you mean "groupSize"?)'],
    ["the model took 3 steps of the task", "the model took 3 steps of the task"],
    [
      "no backend works here: webgpu: no adapter; tfjs-wasm: asset is missing; other: unknown",
      "no backend works here: WebGPU: no adapter; TensorFlow.js, WebAssembly: asset is missing; other: unknown",
    ],
  ])("turns %j into %j", (sentence, titled) => {
    expect(inTitles(catalog, sentence)).toBe(titled);
  });

  it("names no field by its key, whichever of them is wrong", () => {
    const numbers = catalog.fields.filter(({ kind }) => kind === "number" || kind === "integer");
    for (const { key, title, max = 0 } of numbers) {
      const said = inTitles(catalog, sentenceOf({ [key]: max + 1 }));
      expect(said.startsWith(`${title} must be`), said).toBe(true);
    }
  });

  it("waits for the catalog", () => {
    expect(inTitles(null, "groupSize must be >= 2, got 1")).toBe("groupSize must be >= 2, got 1");
  });
});
