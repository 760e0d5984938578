// What can vary in a race, what its values set, and a run's branches.
import { describe, expect, it } from "vitest";
import { changedFields } from "../../../../src/protocol/config/configFacts.ts";
import type { RunConfig } from "../../../../src/protocol/config.ts";
import type { Setting } from "../../../../src/protocol/run/experimentPlan.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { resolveInput } from "../../../../src/ui/engine/store/draft/draftConfig.ts";
import { differingSettings, settingOf } from "../../../../src/ui/experiment/charts/curves.ts";
import { branchOf, draftedCombinations, draftedOf, planOf, trunkPlan, withBranch } from "../../../../src/ui/experiment/plan/drafted.ts";
import { baseOf, newSetup } from "../../../../src/ui/experiment/plan/setup.ts";
import { algorithmSettings, otherValue, suggestedValues, variedFields } from "../../../../src/ui/experiment/plan/varied.ts";
import { runThreads } from "../../../../src/ui/experiment/run/enginePool.ts";
import { combinationsOfPlan } from "../../../../src/ui/experiment/run/experiments.ts";
import { variedOptions } from "../../../../src/ui/experiment/setup/SettingInput.tsx";
import { race } from "../../../../src/ui/experiment/shapes/race.ts";
import { besideLine } from "../../../../src/ui/kit/charts/plot/plotLabels.ts";

const plannedCombinations = (run: RunConfig, field: string, values: readonly Setting[], chosen = { seeds: 1, ownEpochs: false }) =>
  draftedCombinations(catalog, run, { ...chosen, over: [{ field, values: [...values] }] });
const draftedRace = (run: RunConfig, field: string, values: readonly Setting[], seeds = 1) =>
  draftedOf(catalog, { ...newSetup(race), base: baseOf(catalog, run), over: [{ field, values }], seeds }, { presetId: "", edits: {} });
let named = 0;
const newId = () => `run-${++named}`;

const base = (input: Parameters<typeof resolveInput>[1]): RunConfig => resolveInput(catalog, input).config!;
const chat = base({ task: "boxed-arithmetic", algorithm: "grpo", seed: 7 });
const OWN = { seeds: 1, ownEpochs: true };
const field = (key: string) => catalog.fields.find((each) => each.key === key)!;

describe("a race over algorithms", () => {
  it("changes nothing but the algorithm's switches, from one seed", () => {
    const [grpo, drGrpo, dapo] = plannedCombinations(chat, "algorithm", ["grpo", "dr-grpo", "dapo"]);
    expect(grpo?.config).toEqual(chat);
    expect([grpo?.label, drGrpo?.label]).toEqual(["GRPO", "Dr. GRPO"]);
    expect([...changedFields(chat, drGrpo!.config!)].sort()).toEqual(["advantageScale", "aggregation", "algorithm", "klCoef"]);
    expect(dapo?.config).toMatchObject({ seed: 7, dynamicSampling: true, clipHigh: 0.28, overlongBuffer: 4 });
  });

  it("takes back what only the old algorithm brought", () => {
    const dapo = base({ task: "boxed-arithmetic", algorithm: "dapo", temperature: 0.9 });
    expect(plannedCombinations(dapo, "algorithm", ["dapo", "grpo"], OWN)[1]?.config).toEqual({ ...chat, seed: 0, temperature: 0.9 });
    expect(algorithmSettings(catalog, dapo, "dapo", false)).toEqual({ algorithm: "dapo" });
  });

  it("passes over a batch equally often for all, unless each is to keep to its paper", () => {
    const epochs = (ownEpochs: boolean) =>
      plannedCombinations(chat, "algorithm", ["grpo", "ppo"], { seeds: 1, ownEpochs }).map(({ config }) => config?.innerEpochs);
    expect(epochs(false)).toEqual([1, 1]);
    expect(epochs(true)).toEqual([1, 4]);
  });

  it("says what is wrong with a configuration", () => {
    const table = base({ task: "digit-sum" });
    const [, ppo] = plannedCombinations(table, "algorithm", ["builtin", "ppo"]);
    expect(ppo?.config).toBeNull();
    expect(ppo?.problems[0]?.message).toMatch(/must not be "critic" with model "tabular"/);
  });
});

describe("a race over one setting", () => {
  it("begins with the base's own value and another allowed one", () => {
    for (const each of variedFields(catalog, false)) {
      const [own, other] = suggestedValues(chat, each);
      expect([each.key, own === other]).toEqual([each.key, false]);
      const problems = plannedCombinations(chat, each.key, [own!, other!])[1]?.problems.filter(
        (problem) => problem.field === each.key && /must be (>=|<=|one of|a )/.test(problem.message) && !/with|size/.test(problem.message),
      );
      expect([each.key, problems]).toEqual([each.key, []]);
    }
    expect(otherValue(field("groupSize"), 8)).toBe(16);
    expect(otherValue(field("topP"), 1)).toBe(0.5);
  });

  it("sets all weights against adapters of rank 1, with everything else equal", () => {
    const [all, rank1] = plannedCombinations(chat, "loraRank", [0, 1]);
    expect([all?.label, rank1?.label]).toEqual(["LoRA rank 0", "LoRA rank 1"]);
    expect(changedFields(all!.config!, rank1!.config!)).toEqual(["loraRank"]);
    expect(variedFields(catalog, false).map(({ key }) => key)).toContain("loraRank");
  });

  it("letters its configurations, and refuses more than four", () => {
    const compared = plannedCombinations(chat, "learningRate", [1e-4, 1e-3, 1e-2, 0.1]);
    expect(compared.map(({ short }) => short)).toEqual(["0.0001", "0.001", "0.01", "0.1"]);
    expect(compared.map(({ id, label }) => `${id} ${label}`)).toEqual([
      "A Learning rate 0.0001",
      "B Learning rate 0.001",
      "C Learning rate 0.01",
      "D Learning rate 0.1",
    ]);
    expect(draftedRace(chat, "learningRate", [1e-4, 1e-3, 1e-2, 0.1, 1]).refusals).toEqual([
      "A race must have at most 4 configurations, got 5",
    ]);
    expect(draftedRace(chat, "learningRate", [0.1, 0.1]).refusals).toEqual(["Two configurations are the same: give each another value"]);
  });

  it("runs every configuration from the same seeds, in turn, but not where the seed itself varies", () => {
    const drafted = draftedRace(chat, "learningRate", [1e-4, 1e-2], 3);
    expect(drafted.refusals).toEqual([]);
    expect(planOf(drafted, "race 1", newId).runs.map(({ combination, seed }) => [combination, seed])).toEqual([
      [0, 7],
      [1, 7],
      [0, 8],
      [1, 8],
      [0, 9],
      [1, 9],
    ]);
    const bySeed = plannedCombinations(chat, "seed", [3, 5], { seeds: 3, ownEpochs: false });
    expect(bySeed.map(({ seeds }) => seeds)).toEqual([[3], [5]]);
  });

  it("names the settings in which configurations differ and nothing else", () => {
    const compared = combinationsOfPlan(catalog, planOf(draftedRace(chat, "learningRate", [1e-4, 1e-2]), "race 1", newId));
    expect(differingSettings(compared)).toEqual(["learningRate"]);
    expect(compared.map((each) => settingOf(each, "learningRate"))).toEqual([1e-4, 1e-2]);
  });
});

describe("a fork", () => {
  it("is the same configuration with one more change", () => {
    const run = { ...chat, changes: [{ afterStep: 3, settings: { temperature: 0.8 } }] };
    const branch = branchOf(catalog, run, 20, "learningRate", 0.01);
    expect(branch).toMatchObject({ afterStep: 20, problems: [] });
    expect(branch.config).toEqual({ ...run, changes: [...run.changes, { afterStep: 20, settings: { learningRate: 0.01 } }] });
    const plan = withBranch(trunkPlan("fork", run, "fork 1", "run-on-screen", newId), branch, newId);
    expect(plan.runs.map(({ combination, seed, isElsewhere }) => [combination, seed, isElsewhere === true])).toEqual([
      [0, 7, true],
      [1, 7, false],
    ]);
    const combinations = combinationsOfPlan(catalog, plan);
    expect(combinations.map(({ id, label, forkStep }) => [id, label, forkStep])).toEqual([
      ["A", "the run", null],
      ["B", "Learning rate 0.01", 20],
    ]);
    expect(combinations[1]?.runs[0]?.config).toEqual(branch.config);
    expect(differingSettings(combinations)).toEqual(["learningRate"]);
    expect(combinations.map((each) => settingOf(each, "learningRate"))).toEqual([chat.learningRate, 0.01]);
  });

  it("refuses a value that is out of range, and a critic that was not there from the start", () => {
    expect(branchOf(catalog, chat, 20, "learningRate", -1)).toMatchObject({
      config: null,
      problems: [{ message: "learningRate must be >= 0, got -1" }],
    });
    expect(branchOf(catalog, chat, 20, "algorithm", "ppo").problems.at(-1)?.message).toMatch(/must have its critic from the start/);
    // What only the run with its changes has wrong is said as well.
    const early = branchOf(catalog, chat, -1, "learningRate", 0.01);
    expect(early.config).toBeNull();
    expect(early.problems[0]?.message).toMatch(/afterStep must be >= 0, got -1/);
  });
});

describe("threads of runs that go on at once", () => {
  it.each([
    [2, 8, { atOnce: 2, threads: 4 }],
    [3, 4, { atOnce: 3, threads: 1 }],
    [4, 4, { atOnce: 4, threads: 1 }],
    [4, 2, { atOnce: 2, threads: 1 }],
    [1, 1, { atOnce: 1, threads: 1 }],
  ])("%i runs on %i cores", (runs, cores, expected) => {
    expect(runThreads(runs, cores)).toEqual(expected);
  });
});

it("long labels are shortened for the room beside a chart, and nowhere else", () => {
  expect([besideLine("A GRPO"), besideLine("B REINFORCE++")]).toEqual(["A GRPO", "B REINFORCE…"]);
});

describe("what may vary", () => {
  it("begins with the few that matter, and has every other one under its heading", () => {
    const fields = variedFields(catalog, false);
    const options = variedOptions(fields);
    const first = options.slice(0, 8).map(({ title }) => title);
    expect(first[0]).toBe("Algorithm");
    for (const title of ["Seed", "Learning rate", "Group size", "KL weight β"]) expect(first).toContain(title);
    expect(options.filter(({ group }) => group === undefined).length).toBeLessThan(10);
    expect(options.map(({ id }) => id).sort()).toEqual(fields.map(({ key }) => key).sort());
  });
});
