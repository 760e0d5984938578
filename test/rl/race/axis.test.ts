// Axes, curves, costs and replays: what a race compares, and at what price.
import { describe, expect, it } from "vitest";
import { type RunConfig, runConfigSchema } from "../../../src/protocol/config.ts";
import { placesOf, placeText, updatesPerStep } from "../../../src/rl/race/axis.ts";
import { costWarning } from "../../../src/rl/race/cost.ts";
import { bandOf, reachedAt, trailingMeans, valueAt } from "../../../src/rl/race/curve.ts";
import { replayOf } from "../../../src/rl/race/race.ts";
import { normalScoreOf, studentOf } from "../../../src/rl/verdict/estimate.ts";

const config = (given: Partial<RunConfig> = {}): RunConfig => ({ ...runConfigSchema.parse({}), ...given });
const NO_TOKENS = { steps: [], values: [] };

describe("places on an axis", () => {
  it("count updates as passes times minibatches, which cannot outnumber the answers", () => {
    expect(updatesPerStep(config({ innerEpochs: 4, minibatches: 2 }))).toBe(8);
    expect(updatesPerStep(config({ innerEpochs: 1, minibatches: 16, promptsPerStep: 1, groupSize: 4 }))).toBe(4);
  });
  it("count changes on the way from their step on", () => {
    const changed = config({ changes: [{ afterStep: 10, settings: { innerEpochs: 4 } }] });
    expect([0, 10, 11, 20].map(placesOf("updates", changed, NO_TOKENS))).toEqual([0, 10, 14, 50]);
  });
  it("read tokens off the run, and know none beyond it", () => {
    const place = placesOf("tokens", config(), { steps: [1, 2, 4], values: [100, 250, 450] });
    expect([0, 1, 2, 3, 4, 5].map(place)).toEqual([0, 100, 250, 350, 450, Number.NaN]);
  });
  it("are written with their unit", () =>
    expect([placeText("steps", 30), placeText("updates", 1), placeText("tokens", 12_345)]).toEqual([
      "step 30",
      "1 update",
      "12.3k tokens",
    ]));
});

describe("a curve", () => {
  const line = { xs: [0, 10, 30], ys: [0, 1, 0.5] };
  it("is straight between its points and unknown outside", () =>
    expect([-1, 0, 5, 10, 20, 30, 31].map((x) => valueAt(line, x))).toEqual([null, 0, 0.5, 1, 0.75, 0.5, null]));
  it("reaches a target where that was measured", () => {
    expect([reachedAt(line, 0.4), reachedAt(line, 1.1), reachedAt(line, 0.4, 9)]).toEqual([10, null, null]);
  });
  it("spans a band with others, where all have values", () => {
    const other = { xs: [10, 20, 40], ys: [0, 0.25, 1] };
    expect(bandOf([line, other])).toEqual({ xs: [10, 20, 30], ys: [0.5, 0.5, 0.5625], lows: [0, 0.25, 0.5], highs: [1, 0.75, 0.625] });
  });
  it("is averaged over what came last", () => expect(trailingMeans({ xs: [1, 2, 3], ys: [1, 3, 5] }, 2).ys).toEqual([1, 2, 4]));
});

describe("the warning of costs", () => {
  it("names who pays what for a step", () => {
    const combinations = [
      { id: "A", config: config() },
      { id: "B", config: config({ innerEpochs: 4 }) },
    ];
    expect(costWarning(combinations, "steps")).toBe(
      "They differ in cost. For one step: A 1 update, B 4 updates. Compare at equal updates as well.",
    );
    expect(costWarning(combinations, "updates")).toBeNull();
  });
  it("names only who pays more where others pay nothing", () => {
    const combinations = [
      { id: "A", config: config() },
      { id: "B", config: config({ dynamicSampling: true }) },
      { id: "C", config: config({ groupSize: 16 }) },
    ];
    expect(costWarning(combinations, "steps")).toBe(
      "They differ in cost. For one step: A and B 64 answers, C 128 answers; B more groups where one has no spread.",
    );
  });
  it("is silent among equals", () => {
    const same = { config: config({ learningRate: 1 }) };
    expect(
      costWarning(
        [
          { id: "A", config: config() },
          { id: "B", ...same },
        ],
        "steps",
      ),
    ).toBeNull();
  });
});

describe("a replay", () => {
  const steps = (...rewards: number[]) => rewards.map((reward, i) => ({ step: i + 1, metrics: { reward, step_time: Math.random() } }));
  it("is the same as far as both have recorded the same", () => {
    expect(replayOf(steps(1, 2, 3, 4), steps(1, 2), 3)).toEqual({ state: "same", step: 2 });
    expect(replayOf(steps(1, 2, 3, 4), steps(1, 2, 3, 9), 3)).toEqual({ state: "same", step: 3 });
    expect(replayOf(steps(1, 2, 3), [], 3)).toBeNull();
  });
  it("leaves out what measures time by its whole name, not every name with a time in it", () => {
    const one = (metrics: Record<string, number>) => [{ step: 1, metrics: { reward: 1, ...metrics } }];
    for (const name of ["rewards/sentiment", "env/times_asked", "centimetres"])
      expect(replayOf(one({ [name]: 1 }), one({ [name]: 2 }), 1)).toEqual({ state: "different", step: 1 });
    for (const name of ["step_time", "time/update", "perf/train_tokens_per_second"])
      expect(replayOf(one({ [name]: 1 }), one({ [name]: 2 }), 1)).toEqual({ state: "same", step: 1 });
  });
  it("tells the first step that differs", () =>
    expect(replayOf(steps(1, 2, 3), steps(1, 2.5, 3), 3)).toEqual({ state: "different", step: 2 }));
});

it("Student's t by its normal score is the inverse, and never smaller than the table says", () => {
  for (const freedom of [1, 2.5, 8]) expect(normalScoreOf(studentOf(1.96, freedom), freedom)).toBeCloseTo(1.96, 10);
  const table: readonly (readonly [number, number])[] = [
    [2, 4.3027],
    [4, 2.7764],
    [8, 2.306],
    [30, 2.0423],
  ];
  for (const [freedom, t] of table) {
    expect(studentOf(1.959964, freedom)).toBeGreaterThan(t - 0.001);
    expect(studentOf(1.959964, freedom)).toBeLessThan(1.045 * t);
  }
});
