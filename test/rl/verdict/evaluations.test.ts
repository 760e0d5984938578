// How surely two evaluations differ: problem by problem where both asked the same, and else by both intervals.
import { describe, expect, it } from "vitest";
import { meanInterval } from "../../../src/rl/accuracy.ts";
import { isBetter, liftOf } from "../../../src/rl/verdict/evaluations.ts";
import { endsOf } from "../../../src/rl/verdict/history.ts";
import { judgeRun } from "../../../src/rl/verdict.ts";
import { evaluationRecord } from "./syntheticRuns.ts";

const PROBLEMS = 40;
/** An evaluation of four samples each, of which so many are right at each problem. */
function evaluation(step: number, right_P: readonly number[], problemsHash = 7) {
  const shares = right_P.map((right) => right / 4);
  const greedyRight_P = right_P.map((right) => Number(right > 2));
  return {
    ...evaluationRecord(step, greedyRight_P.filter(Boolean).length, right_P.length),
    sampledAccuracy: shares.reduce((sum, share) => sum + share, 0) / shares.length,
    sampledInterval: meanInterval(shares),
    outcomes: { problemsHash, right_P, greedyRight_P },
  };
}
// Some problems are easy and some hard; each gets a little better, one in four not at all.
const before = evaluation(
  0,
  Array.from({ length: PROBLEMS }, (_, p) => (p % 2 === 0 ? 0 : 3)),
);
const after = Array.from({ length: PROBLEMS }, (_, p) => (p % 2 === 0 ? 0 : 3) + (p % 4 === 0 ? 0 : 1));

describe("the lift between two evaluations", () => {
  it("is paired where the same problems were asked, and then surer", () => {
    const paired = liftOf(before, evaluation(20, after), "sampled");
    const unpaired = liftOf(before, evaluation(20, after, 8), "sampled");
    expect([paired.isPaired, unpaired.isPaired]).toEqual([true, false]);
    expect(paired.lift).toBeCloseTo(0.1875, 12);
    // Student's t over 40 differences: 0.25 for 30 of them, 0 for 10.
    const half = 2.0227 * Math.sqrt((0.25 ** 2 * 0.75 * 0.25 * 40) / 39 / 40);
    expect(paired.interval).toEqual([expect.closeTo(0.1875 - half, 3), expect.closeTo(0.1875 + half, 3)]);
    expect(unpaired.interval[0]).toBeLessThan(0);
    expect(paired.interval[0]).toBeGreaterThan(0);
  });

  it("claims no certainty where all problems changed alike, nor where a record is older than outcomes", () => {
    const { outcomes: _, ...older } = evaluation(20, after);
    expect(liftOf(before, older, "sampled").isPaired).toBe(false);
    const same = liftOf(before, { ...before, step: 20 }, "greedy");
    expect(same.isPaired).toBe(false);
    expect(same.interval[1]).toBeGreaterThan(0.05);
  });
});

describe("the verdict on sampled answers", () => {
  it("does not deny a rise of the sampled accuracy that greedy answers do not show", () => {
    const calculator = (step: number, right: number, sampledAccuracy: number, sampledInterval: readonly [number, number]) => ({
      ...evaluationRecord(step, right, 32),
      ...{ sampledAccuracy, sampledInterval },
    });
    const evaluations = [calculator(0, 29, 0.25, [0.15, 0.35]), calculator(4, 28, 0.6, [0.5, 0.7]), calculator(8, 29, 0.875, [0.78, 0.97])];
    const { verdict, sentence } = judgeRun({ metric: () => ({ steps: [], values: [] }), evaluations, baselines: [] });
    expect(verdict).toBe("improving");
    expect(sentence).toContain("The sampled accuracy rose from 25 % at step 0 to 88 % at step 8");
  });
});

describe("the first and the final value of a metric", () => {
  it("are means over a tenth of the steps, 20 at most, and null without any", () => {
    const of = (values: readonly number[]) => endsOf({ metric: () => ({ steps: values.map((_, i) => i + 1), values }) }, "reward");
    expect(of([])).toEqual({ first: null, final: null, window: 1 });
    expect(of([1, 2, 3])).toEqual({ first: 1, final: 3, window: 1 });
    expect(of(Array.from({ length: 40 }, (_, i) => i))).toEqual({ first: 1.5, final: 37.5, window: 4 });
    expect(of(Array.from({ length: 500 }, (_, i) => i)).window).toBe(20);
  });
});

it.each([
  [{ sampledAccuracy: 0.2, meanReward: null }, null, true],
  [{ sampledAccuracy: 0.2, meanReward: null }, { sampledAccuracy: 0.2, meanReward: null }, false],
  [{ sampledAccuracy: 0.2, meanReward: -1 }, { sampledAccuracy: 0.2, meanReward: null }, true],
  [{ sampledAccuracy: 0.3, meanReward: 0 }, { sampledAccuracy: 0.2, meanReward: 1 }, true],
  [{ sampledAccuracy: 0.2, meanReward: 1 }, { sampledAccuracy: 0.3, meanReward: 0 }, false],
])("%o beside the best so far, %o: better is %s", (evaluation, best, better) => {
  expect(isBetter(evaluation, best)).toBe(better);
});
