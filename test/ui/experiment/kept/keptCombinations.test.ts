// Kept runs as combinations: seeds of one setting are one configuration, whatever else is as it was recorded.
import { expect, it } from "vitest";
import type { RunRecords } from "../../../../src/protocol/messages.ts";
import { createRunView } from "../../../../src/ui/engine/store/runView.ts";
import { differingSettings } from "../../../../src/ui/experiment/charts/curves.ts";
import { keptCombinations } from "../../../../src/ui/experiment/kept/keptCombinations.ts";
import { tableConfig } from "../../engine/store/events.ts";

const kept = (runId: string, change: object) => {
  const records: RunRecords = {
    config: { ...tableConfig, ...change },
    steps: [1, 2, 3].map((step) => ({ step, metrics: { reward: step / 4 } })),
    evaluations: [],
    baselines: [],
    probed: null,
  };
  return { runId, name: `run ${runId}`, records, live: null };
};

it("runs that differ in seed, length and how they were computed alone are one combination with several seeds", () => {
  const combinations = keptCombinations([
    kept("a", { seed: 0 }),
    kept("b", { seed: 0, learningRate: 0.1 }),
    kept("c", { seed: 1, steps: 99, threads: 2 }),
  ]);
  expect(combinations.map(({ id, label, runs }) => [id, label, runs.map(({ seed }) => seed)])).toEqual([
    ["A", "run a", [0, 1]],
    ["B", "run b", [0]],
  ]);
  expect(differingSettings(combinations)).toEqual(["learningRate"]);
});

it("beside a curve stands what is a combination's own of its name", () => {
  const named = (runId: string, name: string, change: object) => ({ ...kept(runId, change), name });
  const combinations = keptCombinations([
    named("a", "Digit sum, lr 0.1, seed 1", { learningRate: 0.1, seed: 1 }),
    named("b", "Digit sum, lr 0.1, seed 2", { learningRate: 0.1, seed: 2 }),
    named("c", "Digit sum, calm heron", {}),
  ]);
  expect(combinations.map(({ label, short }) => [label, short])).toEqual([
    ["Digit sum, lr 0.1", "lr 0.1"],
    ["Digit sum, calm heron", "calm heron"],
  ]);
});

it("two runs of one setting and one seed are two combinations: a seed counts once", () => {
  expect(keptCombinations([kept("a", {}), kept("b", {})]).map(({ runs }) => runs.length)).toEqual([1, 1]);
});

it("each has its records, and the run on screen the view that is fed as it goes", () => {
  const live = createRunView();
  const [first, second] = keptCombinations([kept("a", {}), { ...kept("b", { learningRate: 0.1 }), live }]);
  expect(first!.runs[0]!.view.metrics.records()).toHaveLength(3);
  expect(first!.runs[0]!.view.facts.getState()).toMatchObject({ step: 3, runId: "a" });
  expect(second!.runs[0]).toMatchObject({ isElsewhere: true, view: live });
});
