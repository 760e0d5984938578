// What runs are compared by: sampled answers unless somebody chooses, what is paid where nobody pays for right answers, and a
// target that the start has not met.
import { describe, expect, it } from "vitest";
import { type RunConfig, runConfigSchema } from "../../../src/protocol/config.ts";
import type { EvaluationRecord } from "../../../src/protocol/records.ts";
import { paidParts } from "../../../src/protocol/run/paidParts.ts";
import { type Reading, USUAL_READING } from "../../../src/rl/race/axis.ts";
import { type ComparedRun, measureNamed, measureRule, measuresFor } from "../../../src/rl/race/measures.ts";
import { judgeRecorded, type RecordedCombination } from "../../../src/rl/race/recordedRace.ts";
import { catalog } from "../../../src/train/catalog.ts";

const base: RunConfig = runConfigSchema.parse({ task: "tic-tac-toe", evalEvery: 12, evalSamples: 4, steps: 12 });
const PROBLEMS = 24;

const evaluation = (step: number, sampledAccuracy: number, more: Partial<EvaluationRecord> = {}): EvaluationRecord => ({
  ...{ step, problems: PROBLEMS, samplesPerProblem: 4, greedyAccuracy: 0.5, greedyInterval: [0.3, 0.7], sampledInterval: [0, 1] },
  ...{ sampledAccuracy, passAtK: { 1: sampledAccuracy, 2: (1 + sampledAccuracy) / 2 }, formRate: 1, meanReward: null },
  ...more,
});

function run(seed: number, evaluations: readonly EvaluationRecord[], given: Partial<RunConfig> = {}): ComparedRun {
  const config = { ...base, ...given, seed };
  const steps = Array.from({ length: 12 }, (_, i) => i + 1);
  const values: Readonly<Record<string, number>> = { reward: 0.4 + seed / 100, "rewards/won/mean": 0.1, "odd/thing": 7 };
  const metric = (key: string) => (key in values ? { steps, values: steps.map(() => values[key]!) } : { steps: [], values: [] });
  return { config, evaluations, metric, rewards: paidParts(config, catalog) };
}

/** Combinations whose seeds go from the start to these sampled accuracies. */
function raced(ends: readonly (readonly number[])[], start = 0.3, given: Partial<RunConfig> = {}): readonly RecordedCombination[] {
  return ends.map((own, place) => {
    const runs = own.map((end, seed) => run(seed, [evaluation(0, start), evaluation(12, end)], given));
    return { id: "AB"[place]!, label: `rate ${place}`, config: runs[0]!.config, runs };
  });
}
const judge = (combinations: readonly RecordedCombination[], reading: Partial<Reading> = {}) =>
  judgeRecorded(combinations, { ...USUAL_READING, ...reading }, true);

/** As recorded of tic-tac-toe at two learning rates. */
const TIC_TAC_TOE = [
  [0.54, 0.53, 0.57],
  [0.8, 0.83, 0.81],
] as const;

describe("runs that are evaluated", () => {
  it("are compared by sampled answers, which shows what greedy ones hide, and the sentence says which", () => {
    const sampled = judge(raced(TIC_TAC_TOE));
    expect([sampled.measure.id, sampled.shows]).toEqual(["sampled", "a difference"]);
    expect(sampled.sentence).toContain("81.3 % of sampled answers right");
    const greedy = judge(raced(TIC_TAC_TOE), { measure: "greedy" });
    expect(greedy.shows).toBe("no difference");
    expect(greedy.sentence).toContain("of greedy answers right");
  });

  it("can be compared by all that was measured of them", () => {
    const { measures } = judge(raced(TIC_TAC_TOE));
    expect(measures.map(({ id }) => id)).toEqual(["sampled", "greedy", "pass@2", "reward", "part:won", "part:progress"]);
    expect(judge(raced(TIC_TAC_TOE), { measure: "pass@2" }).standings[1]!.reached.values[0]).toBeCloseTo(0.9);
    expect(judge(raced(TIC_TAC_TOE), { measure: "part:won" }).standings[0]!.reached.values).toEqual([
      expect.closeTo(0.1),
      expect.closeTo(0.1),
      expect.closeTo(0.1),
    ]);
    expect(judge(raced(TIC_TAC_TOE), { measure: "metric:odd/thing" }).standings[0]!.reached.values[0]).toBeCloseTo(7);
    expect(judge(raced(TIC_TAC_TOE), { measure: "metric:none" }).shows).toBe("nothing yet");
  });

  it("are compared by their reward where nobody pays for right answers, or nothing is evaluated", () => {
    const sevens = { customRewards: { sevens: { title: "Sevens", source: "…" } }, rewardWeights: { won: 0, progress: 0 } };
    const own = runConfigSchema.pick({ customRewards: true, rewardWeights: true }).parse(sevens);
    expect(judge(raced(TIC_TAC_TOE, 0.3, own)).measure.id).toBe("reward");
    const never = [run(0, [evaluation(0, 0.3)], { evalEvery: 0 }), run(1, [], { evalEvery: 0 })];
    expect(measuresFor(never)[0]?.id).toBe("reward");
  });

  it("count as many answers as are independent of each other", () => {
    const trialsOf = (outcomes: readonly number[] | null) =>
      measureNamed("sampled")!.measure(
        run(0, [evaluation(12, 0.5, outcomes ? { outcomes: { problemsHash: 1, right_P: outcomes, greedyRight_P: [] } } : {})]),
      ).trials;
    expect(trialsOf(null)).toBe(PROBLEMS);
    // Whole problems right or wrong: the samples of one say nothing more. Half of each right: every sample counts.
    expect(trialsOf(Array.from({ length: PROBLEMS }, (_, p) => (p % 2 === 0 ? 4 : 0)))).toBe(PROBLEMS);
    expect(trialsOf(Array(PROBLEMS).fill(2))).toBe(PROBLEMS);
    expect(trialsOf(Array.from({ length: PROBLEMS }, (_, p) => (p % 2 === 0 ? 1 : 3)))).toBeCloseTo(4 * (PROBLEMS - 1));
  });

  it("count the tries of pass@k where a task has one problem alone", () => {
    const { trials, asked } = measureNamed("pass@2")!.measure(run(0, [evaluation(12, 0.5, { problems: 1, samplesPerProblem: 64 })]));
    expect([trials, asked]).toEqual([32, "64 samples"]);
  });

  it("of a name that is no measure say what there is", () => {
    expect(measureNamed("accuracy")).toBeNull();
    expect(measureRule("accuracy")).toBe('must be sampled, greedy, pass@K, reward, part:NAME, metric:KEY, got "accuracy"');
  });
});

describe("a target", () => {
  it("is proposed above what the start has met", () => {
    expect(judge(raced([[0.6], [0.7]], 0.1)).target).toBe(0.5);
    expect(judge(raced([[0.6], [0.7]], 0.55)).target).toBe(0.75);
    expect(judge(raced([[0.97], [0.97]], 0.96)).target).toBeNull();
    expect(judge(raced([[0.97], [0.97]], 0.96)).sentence).not.toContain("first at");
  });

  it("that the start has met is told as met at step 0", () => {
    expect(judge(raced([[0.6], [0.7]], 0.55), { target: 0.5 }).standings.map(({ targets }) => targets)).toEqual([[0], [0]]);
    expect(judge(raced([[0.97], [0.99]], 0.6), { target: 0.5 }).sentence).toContain("all had met 50 % at the start.");
  });
});
