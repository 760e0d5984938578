import { expect, it } from "vitest";
import { compareSets, readingOf, refuseSame } from "../../src/cli/runs/compareRuns.ts";
import { runConfigSchema } from "../../src/protocol/config.ts";
import type { EvaluationRecord } from "../../src/protocol/records.ts";

const steps = Array.from({ length: 40 }, (_, i) => ({ step: i + 1, metrics: { reward: i / 40 } }));
const evaluation: EvaluationRecord = {
  ...{ step: 40, problems: 8, samplesPerProblem: 4, sampledAccuracy: 0.5, sampledInterval: [0.3, 0.7], greedyAccuracy: 0.5 },
  ...{ greedyInterval: [0.2, 0.8], passAtK: {}, formRate: 1, meanReward: 0.5 },
};
const setOf = (label: string, config: object) => ({
  label,
  runs: [{ config: runConfigSchema.parse(config), steps, evaluations: [evaluation], baselines: [] }],
});

it.each([
  ["a reward rule", { rewardRules: { lengthTarget: { target: 4 } } }, "rewardRules.lengthTarget"],
  ["a weight", { rewardWeights: { sumCloseness: 2 } }, "rewardWeights.sumCloseness"],
  ["an option of the task", { taskOptions: { length: 3 } }, "taskOptions.length"],
  ["a gate", { rewardGates: { sumCloseness: 0 } }, "rewardGates.sumCloseness"],
])("runs of which one has %s that the other lacks are compared, whichever comes first", (_, config, field) => {
  const [with_, without] = [setOf("with", config), setOf("without", {})];
  for (const sets of [
    [with_, without],
    [without, with_],
  ]) {
    const { facts, text } = compareSets(sets, readingOf({ measure: undefined, target: undefined, paired: false }));
    expect(facts.differing).toEqual([expect.objectContaining({ field })]);
    expect(text).toMatch(/without +-/);
  }
});

it("a run is not compared with itself, however its path is written; with a copy of it, it is", () => {
  const run = setOf("runs/a", {});
  for (const label of ["runs/a", "./runs/a", "runs/b/../a/"])
    expect(() => refuseSame([run, { ...run, label }])).toThrow(
      "compare needs two runs, got runs/a twice: rollout-lab list shows those there are",
    );
  expect(() => refuseSame([run, { ...run, label: "a.rollout-lab" }])).not.toThrow();
});

it("a measure or a target that is none is refused, and what was not measured is told with what was", () => {
  const asked = { measure: undefined, target: undefined, paired: false };
  expect(() => readingOf({ ...asked, measure: "accuracy" })).toThrow(
    '--measure must be sampled, greedy, pass@K, reward, part:NAME, metric:KEY, got "accuracy"',
  );
  expect(() => readingOf({ ...asked, target: "half" })).toThrow('--target must be a number, got "half"');
  expect(() => compareSets([setOf("one", {}), setOf("other", {})], readingOf({ ...asked, measure: "part:none" }))).toThrow(
    "nothing was measured of part:none: these runs have",
  );
});
