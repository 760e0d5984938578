// What a run is called by itself follows from where it began and what differs from that.
import { expect, it } from "vitest";
import { runName, twoWords } from "../../../src/rl/summary/runName.ts";
import { catalog } from "../../../src/train/catalog.ts";
import { resolveConfig } from "../../support/resolveConfig.ts";

const presetConfig = (id: string) => {
  const preset = catalog.presets.find((each) => each.id === id)!;
  return resolveConfig(preset.config, catalog.tasks, catalog.algorithms);
};
const table = presetConfig("digit-sum-table");
const nameOf = (change: object) => runName(catalog, { runId: "run-a", config: { ...table, ...change } });

it("a run names what differs from its preset, the learning rate and the seed among the first", () => {
  expect(nameOf({ seed: 2, learningRate: 0.001 })).toBe("Digit sum, logits table, lr 1e-3, seed 2");
  expect(nameOf({ groupSize: 7 })).toBe("Digit sum, logits table, group 7");
});

it("a run in which nothing differs has two words, the same for the same run", () => {
  expect(nameOf({})).toBe(`Digit sum, logits table, ${twoWords("run-a")}`);
  expect(twoWords("run-a")).toMatch(/^[a-z]+ [a-z]+$/);
  const words = new Set(Array.from({ length: 200 }, (_, i) => twoWords(`run-${i}`)));
  expect(words.size).toBeGreaterThan(100);
});

it("how far a run goes, how it is kept and how it is measured are no difference", () => {
  expect(nameOf({ steps: 7, keptMegabytes: 1, threads: 2, evalEvery: 3, evalProblems: 7, measureUpdate: false })).toBe(nameOf({}));
});

it("all differences are named, however many", () => {
  expect(nameOf({ seed: 2, learningRate: 0.25, groupSize: 7, promptsPerStep: 3, maxGradNorm: 2 })).toMatch(
    /, group 7, lr 0\.25, seed 2, prompts per step 3, \S.* 2$/,
  );
});

it("rewards are named by their titles, whether they were added or weighed", () => {
  const sevens = { title: "Count of 7s", source: "…", contract: 1, options: {}, workMs: 50, cases: [] };
  expect(nameOf({ customRewards: { sevens }, rewardWeights: { sumCloseness: 0 } })).toBe(
    "Digit sum, logits table, weight of “Closeness of the sum” 0, with “Count of 7s”",
  );
  expect(nameOf({ rewardRules: { lengthTarget: { target: 4 } } })).toBe("Digit sum, logits table, with “Length near a target”");
});

it("a run is named after a preset with its model, however little else differs from another", () => {
  const tiny = presetConfig("digit-sum-transformer");
  expect(
    runName(catalog, { runId: "run-a", config: { ...tiny, groupSize: 8, promptsPerStep: 2, hiddenSize: 16, layers: 1, heads: 2 } }),
  ).toMatch(/^Digit sum, tiny transformer, group 8, /);
});

it("another algorithm is named alone, not the switches it sets", () => {
  const { algorithm } = presetConfig("boxed-arithmetic");
  const other = catalog.algorithms.find(({ id }) => id !== algorithm && id === "dr-grpo")!;
  const config = resolveConfig({ task: "boxed-arithmetic", algorithm: other.id }, catalog.tasks, catalog.algorithms);
  expect(runName(catalog, { runId: "run-a", config })).toBe(`Boxed arithmetic, ${other.title}`);
});

it("a change on the way says from which step it holds", () => {
  expect(nameOf({ changes: [{ afterStep: 40, settings: { learningRate: 0.002 } }] })).toBe("Digit sum, logits table, lr 2e-3 from step 41");
});

it("every preset as it stands has its title and two words, and a task that the catalog lacks its own name", () => {
  for (const { id, title } of catalog.presets)
    expect(runName(catalog, { runId: "run-a", config: presetConfig(id) }), id).toBe(`${title}, ${twoWords("run-a")}`);
  expect(runName(catalog, { runId: "run-a", config: { ...table, task: "my-task" } })).toBe(`my-task, ${twoWords("run-a")}`);
});
