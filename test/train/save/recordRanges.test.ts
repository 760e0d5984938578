// A save whose checksums were made anew after somebody changed a number is refused where no run could have that number.
import { describe, expect, it } from "vitest";
import { runConfigSchema } from "../../../src/protocol/config.ts";
import { liveSettingsOf } from "../../../src/train/save/manifest.ts";
import { readSave } from "../../../src/train/save/readSave.ts";
import type { SavedState } from "../../../src/train/save/savedState.ts";
import { filesOf } from "../../support/savedFiles.ts";

const config = runConfigSchema.parse({ task: "digit-sum" });
const plain: SavedState = {
  ...{ config, settings: liveSettingsOf(config), checkpoint: null },
  ...{ steps: [{ step: 1, metrics: { reward: 0.5 } }], evaluations: [], baselines: [], probes: [], kept: [] },
};

describe("records that no run could have made", () => {
  const evaluation = {
    ...{ step: 3, problems: 4, samplesPerProblem: 2, greedyAccuracy: 0.5, sampledAccuracy: 0.5, formRate: 1, meanReward: 0.5 },
    ...{ greedyInterval: [0.1, 0.9] as const, sampledInterval: [0.1, 0.9] as const, passAtK: { 1: 0.5 } },
  };
  const read = (given: Partial<SavedState>) => readSave("run", filesOf("run", { ...plain, ...given }));
  const withMetrics = (metrics: Record<string, number>) => ({ steps: [{ step: 8, metrics }] });

  it("are read where all is in its range", () => {
    expect(read({ evaluations: [evaluation] }).evaluations).toEqual([evaluation]);
    const fine = { "ratio/min": 0.9, "ratio/mean": 1, "ratio/max": 1.1, success_rate: 1, reward_std: 0, "advantages/mean": -3 };
    expect(read(withMetrics(fine)).steps[0]!.metrics).toEqual(fine);
  });

  it.each([
    [{ evaluations: [{ ...evaluation, sampledAccuracy: 1.2 }] }, "must be a share from 0 to 1"],
    [{ evaluations: [{ ...evaluation, passAtK: { 1: -0.1 } }] }, "must be a share from 0 to 1"],
    [{ evaluations: [{ ...evaluation, greedyInterval: [0.9, 0.1] as const }] }, "must not end before it begins"],
    [{ baselines: [{ kind: "random", meanReward: 0, accuracy: 7, interval: [0, 1], samples: 9 } as const] }, "must be a share from 0 to 1"],
    [withMetrics({ "ratio/min": 0.9, "ratio/mean": 1.2, "ratio/max": 1.1 }), "ratio/mean must be from 0.9 to 1.1, got 1.2"],
    [withMetrics({ "completions/mean_length": 3, "completions/min_length": 4 }), "completions/mean_length must be from 4 to any, got 3"],
    [withMetrics({ success_rate: 1.5 }), "at step 8: success_rate must be from 0 to 1, got 1.5"],
    [withMetrics({ "rewards/length/std": -1 }), "rewards/length/std must be >= 0, got -1"],
  ] as readonly [Partial<SavedState>, string][])("are refused: %j", (given, sentence) => {
    expect(() => read(given)).toThrow(sentence);
  });
});
