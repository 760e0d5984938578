// What a server cannot do is refused before a run starts, and for changes on its way.
import { expect, it } from "vitest";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { planRun } from "../../src/train/start/plan.ts";

const good: RunConfigInput = { task: "boxed-arithmetic", checkpoint: "base", backend: "tinker", loraRank: 8 };

it("plans a run that asks for what a server has, and leaves all others alone", () => {
  expect(planRun({ config: good }).config.backend).toBe("tinker");
  expect(planRun({ config: { ...good, backend: "wasm", loraRank: 0, entropyCoef: 0.01 } }).config.entropyCoef).toBe(0.01);
});

it.each([
  [
    { task: "digit-sum", model: "transformer", startFrom: "checkpoint", optimizer: "adamw", klEstimator: "k3" },
    'task must be one that reads and writes text with backend: tinker, got "digit-sum": a server\'s model has its own tokens',
  ],
  [{ loraRank: 0 }, "loraRank must be >= 1 with backend: tinker, got 0: a server trains adapters beside its model"],
  [{ startFrom: "random" }, 'startFrom must be "checkpoint" with backend: tinker, got "random"'],
  [{ temperature: 0.7 }, "temperature must be 1 with backend: tinker, got 0.7"],
  [{ minP: 0.1 }, "minP must be 0"],
  [{ optimizer: "sgd" }, 'optimizer must be "adamw" with backend: tinker, got "sgd"'],
  [{ entropyCoef: 0.01 }, "entropyCoef must be 0 with backend: tinker, got 0.01: a server does not give entropies"],
  [{ entropyTarget: 1 }, "entropyTarget must be 0"],
  [{ topEntropyQuantile: 0.2 }, "topEntropyQuantile must be 1"],
  [{ advantageBaseline: "critic" }, 'advantageBaseline must not be "critic"'],
  [{ referenceSyncEvery: 5 }, "referenceSyncEvery must be 0"],
  [{ splitGradNormEvery: 5 }, "splitGradNormEvery must be 0"],
  [{ changes: [{ afterStep: 3, settings: { temperature: 2 } }] }, "temperature must be 1 with backend: tinker, got 2"],
] satisfies [RunConfigInput, string][])("refuses %o", (settings, sentence) => {
  expect(() => planRun({ config: { ...good, ...settings } })).toThrow(sentence);
});
