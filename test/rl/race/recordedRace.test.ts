// What recorded runs are compared by: rewards only where they are paid alike, and never surer than they were measured.
import { describe, expect, it } from "vitest";
import { isSame } from "../../../src/protocol/config/configFacts.ts";
import { type RunConfig, runConfigSchema } from "../../../src/protocol/config.ts";
import { USUAL_READING } from "../../../src/rl/race/axis.ts";
import { judgeRecorded, type RecordedCombination } from "../../../src/rl/race/recordedRace.ts";
import { evaluationRecord } from "../verdict/syntheticRuns.ts";

const STEPS = 20;
const base: RunConfig = runConfigSchema.parse({ evalEvery: 0, promptsPerStep: 8, groupSize: 8 });

/** A combination whose seeds earn these rewards at every step. */
function combination(id: string, rewards: readonly number[], given: Partial<RunConfig> = {}): RecordedCombination {
  const config = { ...base, ...given };
  const steps = Array.from({ length: STEPS }, (_, i) => i + 1);
  const runs = rewards.map((reward) => ({ config, evaluations: [], metric: () => ({ steps, values: steps.map(() => reward) }) }));
  return { id, label: `combination ${id}`, config, runs };
}
const judge = (...combinations: RecordedCombination[]) => judgeRecorded(combinations, USUAL_READING, true);

describe("rewards that are paid differently", () => {
  it.each([
    [{ rewardClip: 0.5 }],
    [{ maxCompletionTokens: base.maxCompletionTokens + 1 }],
    [{ overlongBuffer: 2 }],
    [{ rewardWeights: { sumCloseness: 2 } }],
    [{ taskOptions: { scale: 3 } }],
  ] as readonly [Partial<RunConfig>][])("as by %j are not compared", (other) => {
    expect(judge(combination("A", [0.2, 0.2, 0.2]), combination("B", [0.9, 0.9, 0.9], other))).toMatchObject({
      rewardsDiffer: true,
      at: null,
    });
  });

  it("are not told from the order in which settings were written", () => {
    const one = { rewardWeights: { a: 1, b: 2 }, taskOptions: { length: 4, scale: 2 } };
    const same = { rewardWeights: { b: 2, a: 1 }, taskOptions: { scale: 2, length: 4 } };
    expect(judge(combination("A", [0.5], one), combination("B", [0.5], same)).rewardsDiffer).toBe(false);
    expect(isSame(one, same)).toBe(true);
    expect([isSame({ a: 1 }, { b: 1 }), isSame([1, 2], [2, 1]), isSame({ a: undefined }, {}), isSame([], {})]).toEqual(
      Array(4).fill(false),
    );
  });
});

describe("rewards that do not move", () => {
  it("of two seeds each are no difference, and the sentence says how many it takes", () => {
    const { shows, sentence, standings } = judge(combination("A", [0.9, 0.9]), combination("B", [0.91, 0.91]));
    expect(shows).toBe("no difference");
    expect(sentence).toContain("Rewards are told apart from 3 seeds each on.");
    expect(standings[1]!.toFirst).toBeNull();
  });

  it("of three seeds each have an interval as wide as what they were measured on", () => {
    const { low, high } = judge(combination("A", [0.9, 0.9, 0.9]), combination("B", [0.91, 0.91, 0.91])).standings[1]!.toFirst!;
    expect(high - low).toBeGreaterThan(1e-3);
    expect(judge(combination("A", [0.9, 0.9, 0.9]), combination("B", [0.9005, 0.9005, 0.9005])).shows).toBe("no difference");
    expect(judge(combination("A", [0.2, 0.2, 0.2]), combination("B", [0.9, 0.9, 0.9])).shows).toBe("a difference");
  });
});

describe("a race that goes on beyond its last evaluations", () => {
  const evaluated = (id: string, reached: number, right: number): RecordedCombination => {
    const steps = Array.from({ length: reached }, (_, i) => i + 1);
    const evaluations = [0, 20].map((step) => evaluationRecord(step, step === 0 ? 10 : right, 100));
    const config = { ...base, evalEvery: 20 };
    const metric = () => ({ steps, values: steps.map(() => 0.5) });
    return { id, label: `combination ${id}`, config, runs: [{ config, evaluations, metric }] };
  };
  const GREEDILY = { ...USUAL_READING, measure: "greedy" };
  it("says how old they are, by the run that has come least far", () => {
    const { sentence } = judgeRecorded([evaluated("A", 39, 20), evaluated("B", 33, 90)], GREEDILY, false);
    expect(sentence).toMatch(/^So far, at step 20, 13 steps ago, B \(combination B\) has 90 % of greedy answers right/);
    const solved = judgeRecorded([evaluated("A", 39, 97), evaluated("B", 21, 99)], GREEDILY, false).sentence;
    expect(solved).toMatch(/^So far, all have solved the task at step 20, 1 step ago; /);
    expect(judgeRecorded([evaluated("A", 20, 20), evaluated("B", 20, 90)], GREEDILY, false).sentence).not.toContain("ago");
  });
});
