// A chart that the settings hold level is one sentence; a change of settings on the way is told in words.
import { describe, expect, it } from "vitest";
import type { RunConfigInput } from "../../../../src/protocol/config.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { constantOf } from "../../../../src/ui/kit/charts/settings.ts";
import { settingsChanges } from "../../../../src/ui/kit/words/settingText.ts";
import { resolveConfig } from "../../../support/resolveConfig.ts";

const resolved = (input: RunConfigInput) => resolveConfig(input, catalog.tasks, catalog.algorithms);
const line = (...ys: number[]) => [{ id: "a", label: "a", xs: ys.map((_, i) => i + 1), ys }];
const constant = (chart: string, ys: number[], input: RunConfigInput = { task: "digit-sum" }) =>
  constantOf(chart, line(...ys), resolved(input), catalog);

describe("a chart that the settings hold level", () => {
  it("says its value and why", () => {
    expect(constant("learning-rate", [0.003, 0.003], { schedule: "constant", warmupSteps: 0 })).toEqual({
      value: 0.003,
      why: "constant, without warm-up",
    });
    expect(constant("completion-length", [4, 4, 4])?.value).toBe(4);
    expect(constant("clip-fraction", [0, 0], { task: "digit-sum", algorithm: "grpo", innerEpochs: 1, minibatches: 1 })?.why).toMatch(
      /ratio stays 1/,
    );
    expect(constantOf("kl", [], resolved({ klCoef: 0 }), catalog)).toMatchObject({ value: null });
    for (const algorithm of ["sapo", "vespo", "reinforce"])
      expect(constantOf("clip-fraction", [], resolved({ algorithm }), catalog)?.why).toMatch(
        /^not measured: the loss “.+” clips no token$/,
      );
    expect(constantOf("clip-fraction", [], resolved({ algorithm: "grpo" }), catalog)).toBeNull();
    const onServer = resolved({ task: "boxed-arithmetic", backend: "tinker", loraRank: 8 });
    expect(constantOf("entropy", [], onServer, catalog)?.why).toMatch(/^not known: a server gives/);
    expect(constantOf("gradient-norm", [], onServer, catalog)?.why).toMatch(/^not known/);
    expect(constantOf("entropy", [], resolved({}), catalog)).toBeNull();
  });

  it("is a chart again as soon as a value differs, and where settings could move it", () => {
    expect(constant("learning-rate", [0.003, 0.002], { schedule: "constant", warmupSteps: 0 })).toBeNull();
    expect(constant("learning-rate", [0.003, 0.003], { schedule: "cosine" })).toBeNull();
    expect(constant("completion-length", [5, 5], { task: "boxed-arithmetic" })).toBeNull();
    expect(constant("clip-fraction", [0, 0], { task: "digit-sum", algorithm: "grpo", innerEpochs: 4 })).toBeNull();
    expect(constant("zero-spread", [0, 0])).toBeNull();
    expect(constantOf("learning-rate", [], resolved({ schedule: "constant" }), catalog)).toBeNull();
  });
});

describe("a change on the way", () => {
  it("is told by titles, without steps that were only added", () => {
    const changes = [
      { afterStep: 0, settings: { steps: 40 } },
      { afterStep: 12, settings: { learningRate: 0.0005, temperature: 0.8 } },
      { afterStep: 40, settings: { steps: 80 } },
      { afterStep: 50, settings: { aggregation: "token-mean" } },
    ];
    expect(settingsChanges(catalog, { changes })).toEqual([
      { afterStep: 12, text: "Learning rate 5e−4, Temperature 0.8" },
      { afterStep: 50, text: "Aggregation Mean over tokens" },
    ]);
  });

  it("says rewards that were replaced once, by their names and weights", () => {
    const source = "export const reward = () => 1;";
    const settings = { customRewards: { mine: { source } }, rewardWeights: { sumCloseness: 0, mine: 2 }, rewardGates: {} };
    expect(settingsChanges(catalog, { changes: [{ afterStep: 4, settings }] })).toEqual([
      { afterStep: 4, text: "Rewards mine × 2, sumCloseness × 0" },
    ]);
  });
});
