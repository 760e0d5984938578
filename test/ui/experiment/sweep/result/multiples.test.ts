// The small charts: common bounds, means over seeds, and how the words beside them count.
import { describe, expect, it } from "vitest";
import { createRunView } from "../../../../../src/ui/engine/store/runView.ts";
import type { Racer, RacerRun } from "../../../../../src/ui/experiment/compare/raceStore.ts";
import { meanAt, multiplesOf, pathOf } from "../../../../../src/ui/experiment/sweep/result/multiples.ts";
import { combinationState, runState, shareDone, sweepState } from "../../../../../src/ui/experiment/sweep/result/sweepTexts.ts";

function run(id: string, rewards: readonly number[], change: Partial<RacerRun> = {}): RacerRun {
  const view = createRunView();
  view.metrics.append(rewards.map((reward, i) => ({ step: i + 1, metrics: { reward } })));
  view.facts.setState({ step: rewards.length });
  return { id, seed: 0, input: { steps: 4 }, status: "done", view, isScreen: false, ...change };
}

const racer = (id: string, runs: readonly RacerRun[]): Racer => ({
  ...{ id, label: id, short: id, input: {}, config: null, problems: [], seeds: runs.map(({ seed }) => seed), forkStep: null, runs },
});

describe("the small charts of a sweep", () => {
  it("have one pair of axes, whatever each of them has reached", () => {
    const { xs, ys, charts } = multiplesOf([racer("A", [run("a", [0, 0, 0])]), racer("B", [run("b", [-1, 3, 3, 9])])], "reward");
    expect(xs).toEqual([0, 4]);
    // The mean of the last ten steps, which the judge reads: 14 / 4 at the end.
    expect(ys).toEqual([-1, 3.5]);
    expect(pathOf(charts[0]!.seeds[0]!, { xs, ys }, 100, 45)).toBe("M25,35L50,35L75,35");
  });

  it("tell at a step the mean of the seeds that have come so far", () => {
    const { charts } = multiplesOf([racer("A", [run("a", [1, 1, 1]), run("b", [3, 3])])], "reward");
    expect(meanAt(charts[0]!, 2)).toEqual({ value: 2, seeds: 2 });
    expect(meanAt(charts[0]!, 3)).toEqual({ value: 1, seeds: 1 });
    expect(meanAt(charts[0]!, 4)).toBeNull();
  });

  it("draw nothing of runs that have not begun", () => {
    const { charts, ys } = multiplesOf([racer("A", [run("a", [])])], "greedy");
    expect(charts[0]?.seeds).toEqual([]);
    expect(ys).toEqual([0, 0.1]);
  });
});

describe("a sweep in words", () => {
  it("counts its runs by what they do", () => {
    const failed = run("f", [1]);
    failed.view.facts.setState({ state: "failed", stateReason: "groupSize must be >= 2, got 1" });
    const going = run("g", [1, 2], { status: "running" });
    going.view.facts.setState({ state: "running" });
    const racers = [racer("A", [run("a", [1, 1, 1, 1]), failed]), racer("B", [going, run("h", [1, 1], { status: "waiting" })])];
    expect(sweepState(racers)).toBe("4 runs: 1 finished, 1 running, 1 interrupted, 1 failed");
    expect(combinationState(racers[1]!)).toBe("1 running, 1 interrupted");
    expect(runState(failed)).toBe("step 1, failed: groupSize must be >= 2, got 1");
    expect(shareDone(racers)).toBeCloseTo((4 + 1 + 2 + 2) / 16);
    expect(sweepState([racer("A", [run("a", [1, 1, 1, 1])])])).toBe("Finished: 1 run");
  });
});
