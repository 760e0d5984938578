// No value of a measurement makes a save unreadable: one that cannot have been measured is kept as it is and remarked on.
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { savedRemark } from "../../../src/train/save/log/oddValues.ts";
import { liveSettingsOf } from "../../../src/train/save/manifest.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import type { SavedState } from "../../../src/train/save/savedState.ts";
import { filesOf } from "../../support/savedFiles.ts";

const config = runConfigSchema.parse({ task: "digit-sum" });
const plain: SavedState = {
  ...{ config, settings: liveSettingsOf(config), checkpoint: null },
  ...{ steps: [{ step: 1, metrics: { reward: 0.5 } }], evaluations: [], baselines: [], probes: [], kept: [] },
};

describe("recorded values", () => {
  const evaluation = {
    ...{ step: 3, problems: 4, samplesPerProblem: 2, greedyAccuracy: 0.5, sampledAccuracy: 0.5, formRate: 1, meanReward: 0.5 },
    ...{ greedyInterval: [0.1, 0.9] as const, sampledInterval: [0.1, 0.9] as const, passAtK: { 1: 0.5 } },
  };
  const read = (given: Partial<SavedState>) => readSave("run", filesOf("run", { ...plain, ...given }));
  const withMetrics = (metrics: Record<string, number>) => ({ steps: [{ step: 8, metrics }] });

  it.each<Partial<SavedState>>([
    { evaluations: [evaluation] },
    withMetrics({ "ratio/min": 0.9, "ratio/mean": 1, "ratio/max": 1.1, success_rate: 1, reward_std: 0, "advantages/mean": -3 }),
    // Rounded otherwise than their extremes, or not measured.
    withMetrics({ "ratio/min": 1, "ratio/mean": 1 - 1e-15, "groups/mixed": -1.1e-16, "clip_ratio/low_mean": Number.NaN }),
    // Custom names say nothing of a range.
    withMetrics({ "env/score_std": -1, "env/mean_cost": 9, "env/max_cost": 2, "rewards/groups/mean": 4, "rewards/x_min/mean": 2 }),
  ])("are read without a word where all is as it can be: %j", (given) => {
    const state = read(given);
    expect({ ...state, ...given }).toEqual(state);
    expect(savedRemark(state)).toBeNull();
  });

  it.each<[Partial<SavedState>, string]>([
    [{ evaluations: [{ ...evaluation, sampledAccuracy: 1.2 }] }, "sampledAccuracy at step 3 must be from 0 to 1, got 1.2"],
    [{ evaluations: [{ ...evaluation, passAtK: { 1: -0.1 } }] }, "pass@1 at step 3 must be from 0 to 1, got -0.1"],
    [{ evaluations: [{ ...evaluation, greedyInterval: [0.9, 0.1] }] }, "the end of greedyInterval at step 3 must be >= 0.9, got 0.1"],
    [
      { baselines: [{ kind: "random", meanReward: 0, accuracy: 7, interval: [0, 1], samples: 9 }] },
      "accuracy of the random baseline must be from 0 to 1, got 7",
    ],
    [withMetrics({ "ratio/min": 0.9, "ratio/mean": 1.2, "ratio/max": 1.1 }), "ratio/mean at step 8 must be from 0.9 to 1.1, got 1.2"],
    [withMetrics({ "completions/mean_length": 3, "completions/min_length": 4 }), "completions/mean_length at step 8 must be >= 4, got 3"],
    [withMetrics({ success_rate: 1.5 }), "success_rate at step 8 must be from 0 to 1, got 1.5"],
    [withMetrics({ "advantages/std": -1 }), "advantages/std at step 8 must be >= 0, got -1"],
  ])("that cannot have been measured are kept and remarked on: %j", (given, sentence) => {
    const state = read(given);
    expect({ ...state, ...given }).toEqual(state);
    expect(savedRemark(state)).toBe(
      `1 recorded value cannot have been measured (${sentence}). The run is shown as it was recorded, and nothing is trained on such values.`,
    );
  });

  it("name three that cannot have been measured and count the others, with files that are lost before them", () => {
    const metrics = { success_rate: 2, unscorable_ratio: -1, reward_std: -1, "groups/mixed": -0.5, dropped_ratio: 3 };
    const remark = savedRemark({ ...read(withMetrics(metrics)), lost: ["groups/8"] });
    expect(remark).toMatch(/^1 file of kept rollouts is .* 5 recorded values cannot have been measured \(.*; and 2 more\)\./);
  });
});
