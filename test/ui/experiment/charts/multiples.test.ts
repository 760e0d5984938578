// The small charts: common bounds, and means over seeds.
import { describe, expect, it } from "vitest";
import { measureNamed } from "../../../../src/rl/race/measures.ts";
import { createRunView } from "../../../../src/ui/engine/store/runView.ts";
import { linesOf } from "../../../../src/ui/experiment/charts/curves.ts";
import { drawables, meanAt, multiplesOf, pathOf } from "../../../../src/ui/experiment/charts/multiples.ts";
import type { Combination, ExperimentRun } from "../../../../src/ui/experiment/run/experiments.ts";
import { chartsFor } from "../../../../src/ui/kit/charts/index.ts";
import { tableConfig } from "../../engine/store/events.ts";

const config = { ...tableConfig, steps: 4 };
const drawn = (id: string) => drawables(chartsFor("reinforcement", false), true, measureNamed("sampled")!).find((each) => each.id === id)!;

function run(id: string, rewards: readonly number[]): ExperimentRun {
  const view = createRunView();
  view.metrics.append(rewards.map((reward, i) => ({ step: i + 1, metrics: { reward, entropy: 2 * reward, num_tokens: 10 * (i + 1) } })));
  view.facts.setState({ step: rewards.length, config });
  return { id, seed: 0, config, status: "done", view, isElsewhere: false };
}

const combination = (id: string, runs: readonly ExperimentRun[]): Combination => ({
  ...{ id, label: id, short: id, config, forkStep: null, runs },
});

describe("the small charts of a sweep", () => {
  it("have one pair of axes, whatever each of them has reached", () => {
    const { xs, ys, charts } = multiplesOf(
      [combination("A", [run("a", [0, 0, 0])]), combination("B", [run("b", [-1, 3, 3, 9])])],
      drawn("reward"),
      "steps",
    );
    expect(xs).toEqual([0, 4]);
    // The mean of the last ten steps, which the judge reads: 14 / 4 at the end.
    expect(ys).toEqual([-1, 3.5]);
    expect(pathOf(charts[0]!.seeds[0]!, { xs, ys }, 100, 45)).toBe("M25,35L50,35L75,35");
  });

  it("tell at a step the mean of the seeds that have come so far", () => {
    const { charts } = multiplesOf([combination("A", [run("a", [1, 1, 1]), run("b", [3, 3])])], drawn("reward"), "steps");
    expect(meanAt(charts[0]!, 2)).toEqual({ value: 2, seeds: 2 });
    expect(meanAt(charts[0]!, 3)).toEqual({ value: 1, seeds: 1 });
    expect(meanAt(charts[0]!, 4)).toBeNull();
  });

  it("draw nothing of runs that have not begun", () => {
    const { charts, ys } = multiplesOf([combination("A", [run("a", [])])], drawn("greedy"), "steps");
    expect(charts[0]?.seeds).toEqual([]);
    expect(ys).toEqual([0, 0.1]);
  });

  it("draw what runs are compared by, where no other chart does", () => {
    const measure = measureNamed("metric:entropy")!;
    const [first] = drawables(chartsFor("reinforcement", false), true, measure);
    expect(first).toMatchObject({ id: "metric:entropy", title: "entropy", spec: { format: "measure", baseline: null }, measure });
    const { charts } = multiplesOf([combination("A", [run("a", [1, 2, 3])])], first!, "steps");
    // Means of the steps so far, as they are compared.
    expect(charts[0]?.seeds[0]?.ys).toEqual([2, 3, 4]);
    const [line] = linesOf(first!.spec, [combination("A", [run("a", [1, 2, 3])])], "steps", measure);
    expect(line).toMatchObject({ label: "A A", xs: [1, 2, 3], ys: [2, 3, 4] });
    expect(drawables(chartsFor("reinforcement", false), true, measureNamed("greedy")!).some((each) => each.measure)).toBe(false);
  });

  it("draw every other metric too, along any axis", () => {
    const { xs, ys } = multiplesOf([combination("A", [run("a", [1, 2, 3])])], drawn("entropy"), "tokens");
    expect([xs, ys]).toEqual([
      [0, 30],
      [0, 6],
    ]);
  });
});
