import { describe, expect, it } from "vitest";
import type { RunConfig } from "../../../../src/protocol/config.ts";
import { planRun } from "../../../../src/train/start/plan.ts";
import { levelsOf, seriesOf, specOf } from "../../../../src/ui/kit/charts/chartSpec.ts";
import { CHARTS, chartsFor, metricLabel } from "../../../../src/ui/kit/charts/index.ts";

const evaluation = (step: number, greedy: number) => ({
  step,
  problems: 64,
  samplesPerProblem: 4,
  greedyAccuracy: greedy,
  greedyInterval: [greedy - 0.1, greedy + 0.1] as const,
  sampledAccuracy: greedy - 0.05,
  sampledInterval: [greedy - 0.1, greedy] as const,
  passAtK: { 1: greedy - 0.05, 2: greedy + 0.1, 4: greedy + 0.2 },
  formRate: 1,
  meanReward: greedy,
});
const facts = {
  metric: (key: string) => (key === "reward" ? { steps: [1, 2], values: [0.1, 0.2] } : { steps: [], values: [] }),
  evaluations: [evaluation(10, 0.6), evaluation(0, 0.4)],
  baselines: [
    { kind: "random" as const, meanReward: 0.05, accuracy: 0.01, interval: [0, 0.02] as const, samples: 100 },
    { kind: "start" as const, meanReward: 0.3, accuracy: 0.4, interval: [0.3, 0.5] as const, samples: 100 },
  ],
};
const chart = (id: string) => CHARTS.find((spec) => spec.id === id)!;

describe("the registry of charts", () => {
  it("has distinct ids and a sentence of help for each", () => {
    expect(new Set(CHARTS.map(({ id }) => id)).size).toBe(CHARTS.length);
    for (const { help } of CHARTS) expect(help).toMatch(/^[A-Z].*\.$/);
  });

  it("has labels that fit in the room right of a chart of several lines", () => {
    const labels = CHARTS.flatMap(({ metrics }) => (metrics.length > 1 ? metrics.map(({ label }) => label) : []));
    expect(labels.filter((label) => label.length > 13)).toEqual([]);
  });

  it("draws what environments report as soon as one does, and only then", () => {
    const reported = CHARTS.filter(({ ifReported }) => ifReported);
    expect(reported.flatMap((spec) => seriesOf(spec, facts))).toEqual([]);
    const withCost = { ...facts, metric: (key: string) => ({ steps: [1], values: key === "env/cost" ? [0.5] : [] }) };
    const costs = seriesOf(chart("cost"), withCost).map(({ id, label, ys }) => [id, label, [...Array.from(ys)]]);
    expect(costs).toEqual([["env/cost", "cost", [0.5]]]);
  });

  it("calls a metric as its line is called, and one without a line by its own words", () => {
    expect(["env/route_count", "env/repeated_calls"].map(metricLabel)).toEqual(["expert calls", "repeated calls"]);
  });

  it("shows reinforcement charts for reinforcement and the loss for supervised runs", () => {
    expect(chartsFor("supervised").map(({ id }) => id)).toEqual([
      "supervised-loss",
      "evaluation",
      "gradient-norm",
      "learning-rate",
      "throughput",
      "memory",
      "processor-time",
    ]);
    expect(chartsFor("reinforcement").map(({ id }) => id)).not.toContain("supervised-loss");
  });

  it("shows what the critic foresees only where there is one", () => {
    const added = (kind: "reinforcement" | "supervised") => {
      const without = chartsFor(kind, false);
      return chartsFor(kind, true).flatMap((spec) => (without.includes(spec) ? [] : [spec.id]));
    };
    expect(added("reinforcement")).toEqual(["explained-variance", "value-loss"]);
    expect(added("supervised")).toEqual([]);
  });

  it("draws the reward with both measured baselines", () => {
    expect(seriesOf(chart("reward"), facts)).toEqual([{ id: "reward", label: "reward", xs: [1, 2], ys: [0.1, 0.2] }]);
    expect(levelsOf(chart("reward"), facts.baselines)).toEqual([
      { id: "random", label: "random policy", value: 0.05 },
      { id: "start", label: "start", value: 0.3 },
    ]);
  });

  it("draws evaluations in step order with intervals, and pass@k for k > 1", () => {
    const series = seriesOf(chart("evaluation"), facts);
    expect(series.map(({ label }) => label)).toEqual(["sampled", "greedy", "pass@2", "pass@4"]);
    expect(series[1]).toMatchObject({ xs: [0, 10], ys: [0.4, 0.6], lows: [0.30000000000000004, 0.5] });
  });

  it("draws the learning rate's schedule exactly", () => {
    const schedule = { ...facts, metric: () => ({ steps: [1, 2], values: [0, 1e-3] }) };
    expect(seriesOf(chart("learning-rate"), schedule)[0]).toMatchObject({ exact: true });
  });

  it("has no line for a metric that never came", () => {
    expect(seriesOf(chart("kl"), facts)).toEqual([]);
    expect(levelsOf(chart("kl"), facts.baselines)).toEqual([]);
  });
});

describe("a chart of figures of the update", () => {
  const config = (over: object) => planRun({ config: { task: "digit-sum", klCoef: 0.1, klEstimator: "k3", ...over } }).config;
  const titled = (id: string, ...configs: RunConfig[]) => [chart(id).title, specOf(chart(id), configs).unit].filter(Boolean).join(" ");

  it("says of how many optimizer steps its values are means, and nothing where there is one", () => {
    const several = config({ innerEpochs: 2, minibatches: 3 });
    expect(["kl", "entropy", "clip-fraction", "gradient-norm"].map((id) => titled(id, several))).toEqual([
      "KL to reference nats, mean of 6 optimizer steps",
      "Entropy nats, mean of 6 optimizer steps",
      "Clip fraction mean of 6 optimizer steps",
      "Gradient norm mean of 6 optimizer steps",
    ]);
    expect(titled("reward", several)).toBe("Reward");
    expect(specOf(chart("entropy"), [config({})])).toBe(chart("entropy"));
    expect(titled("kl", config({ innerEpochs: 2, klEstimator: "exact" }))).toBe("KL to reference nats, first of 2 optimizer steps");
  });

  it("says so of configurations that take different numbers of them", () => {
    expect(titled("entropy", config({}), config({ innerEpochs: 4 }))).toBe("Entropy nats, of all optimizer steps of an update");
    expect(titled("entropy", config({ innerEpochs: 4 }), config({ innerEpochs: 4 }))).toBe("Entropy nats, mean of 4 optimizer steps");
  });
});
