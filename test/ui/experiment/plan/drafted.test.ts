// What a set-up comes to: combinations, refusals, a plan that says all of its runs; and the address that holds it.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { configOfPlanned, EXPERIMENT_LIMITS, experimentPlanSchema, type VariedField } from "../../../../src/protocol/run/experimentPlan.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { resolveInput } from "../../../../src/ui/engine/store/draft/draftConfig.ts";
import { setupFromQuery, setupOfPlan, setupQuery } from "../../../../src/ui/experiment/plan/address.ts";
import { draftedOf, planOf } from "../../../../src/ui/experiment/plan/drafted.ts";
import { newSetup, type Setup } from "../../../../src/ui/experiment/plan/setup.ts";
import { sweptFields } from "../../../../src/ui/experiment/plan/varied.ts";
import { sweep } from "../../../../src/ui/experiment/shapes/sweep.ts";

const NEW_SWEEP = newSetup(sweep);
const screen = { presetId: "digit-sum-table", edits: { steps: 30 } };
const drafted = (over: readonly VariedField[], change: Partial<Setup> = {}, draft = screen) =>
  draftedOf(catalog, { ...NEW_SWEEP, over, ...change }, draft);
const rates = { field: "learningRate", values: [0.1, 0.5] };
let named = 0;
const newId = () => `run-${++named}`;

describe("a sweep that is set up", () => {
  it("has every combination of two fields once, and every seed of each", () => {
    const { combinations, runs, refusals } = drafted([rates, { field: "groupSize", values: [4, 8, 16] }], { seeds: 2 });
    expect(refusals).toEqual([]);
    expect(combinations.map(({ id, values }) => [id, ...values])).toEqual([
      ["A", 0.1, 4],
      ["B", 0.1, 8],
      ["C", 0.1, 16],
      ["D", 0.5, 4],
      ["E", 0.5, 8],
      ["F", 0.5, 16],
    ]);
    expect(combinations[4]?.label).toBe("Learning rate 0.5, Group size 8");
    expect(combinations[4]?.config).toMatchObject({ learningRate: 0.5, groupSize: 8, steps: 30 });
    expect(runs).toBe(12);
  });

  it("begins with the usual field and two values of it", () => {
    const { over, refusals } = drafted([]);
    expect(over.map(({ field, values }) => [field, values.length])).toEqual([["learningRate", 2]]);
    expect(refusals).toEqual([]);
  });

  it("sets an algorithm's switches with it, and lets one of them be swept beside it", () => {
    const algorithm = { field: "algorithm", values: ["grpo", "dr-grpo"] };
    const alone = drafted([algorithm]).combinations.map(({ config }) => config?.advantageScale);
    expect(new Set(alone).size).toBe(2);
    const both = drafted([{ field: "advantageScale", values: ["none", "group-std"] }, algorithm]);
    expect(both.refusals).toEqual([]);
    expect(both.combinations.map(({ config }) => config?.advantageScale)).toEqual(["none", "none", "group-std", "group-std"]);
  });

  it("sweeps options of the task and weights of its rewards by their titles", () => {
    const { config } = resolveInput(catalog, { ...catalog.presets.find(({ id }) => id === "boxed-arithmetic")!.config });
    const fields = sweptFields(catalog, config);
    const option = fields.find(({ key, kind }) => key.startsWith("taskOptions.") && kind === "integer")!;
    const weight = fields.find(({ key }) => key.startsWith("rewardWeights."))!;
    const found = drafted([{ field: weight.key, values: [0, 0.5] }], {}, { presetId: "boxed-arithmetic", edits: { steps: 30 } });
    expect(found.refusals).toEqual([]);
    expect(found.combinations[1]?.label).toBe(`${weight.title} 0.5`);
    const [, name = ""] = weight.key.split(".");
    expect(found.combinations[1]?.config?.rewardWeights).toEqual({ ...config?.rewardWeights, [name]: 0.5 });
    expect(option.title).not.toContain("taskOptions");
  });

  const refused: readonly (readonly [string, readonly VariedField[], Partial<Setup>, RegExp])[] = [
    [
      "a field that says how a run is computed",
      [{ field: "threads", values: [1, 2] }],
      {},
      /Threads cannot be swept: it says how a run is computed or saved/,
    ],
    ["a task", [{ field: "task", values: ["digit-sum", "search"] }], {}, /Task cannot be swept: runs are compared on one task/],
    ["one value", [{ field: "learningRate", values: [0.1] }], {}, /Learning rate must have two values or more, got 1/],
    ["a value twice", [{ field: "learningRate", values: [0.1, 0.1] }], {}, /values of Learning rate must differ, got 0.1 twice/],
    ["a field twice", [rates, rates], {}, /the fields of a sweep must differ/],
    ["a value that breaks a rule", [{ field: "groupSize", values: [1, 8] }], {}, /Group size 1: Group size must be >= 2, got 1/],
    ["a word for a number", [{ field: "learningRate", values: [0.1, "fast"] }], {}, /Learning rate must be .*got "fast"/],
    ["an unknown field", [{ field: "learnignRate", values: [1, 2] }], {}, /unknown field "learnignRate" \(did you mean/],
    ["a field without effect", [{ field: "hiddenSize", values: [16, 32] }], {}, /cannot be swept: it has no effect here/],
    ["no last step", [rates], { base: { presetId: "digit-sum-table", edits: { steps: 0 } } }, /steps must be at least 1, got 0/],
    ["too many seeds", [rates], { seeds: EXPERIMENT_LIMITS.seeds + 1 }, /Seeds must be a whole number from 1 to 10, got 11/],
    [
      "too many combinations",
      [
        { field: "learningRate", values: [1, 2, 3, 4, 5].map((each) => each / 10) },
        { field: "groupSize", values: [4, 8, 12, 16, 20] },
      ],
      {},
      /at most 24 combinations, got 25/,
    ],
  ];
  it.each(refused)("refuses %s with a sentence", (_, over, change, sentence) => {
    const { refusals } = drafted(over, change);
    expect(refusals.join("\n")).toMatch(sentence);
    expect(() => planOf(drafted(over, change), "sweep 1", newId)).toThrow();
  });

  it("becomes a plan whose runs say their configurations, all first seeds before any second", () => {
    const plan = planOf(drafted([rates], { seeds: 3 }), "sweep 7", newId);
    expect(experimentPlanSchema.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
    expect(plan.runs.map(({ combination, seed }) => [combination, seed])).toEqual([
      [0, 0],
      [1, 0],
      [0, 1],
      [1, 1],
      [0, 2],
      [1, 2],
    ]);
    expect(new Set(plan.runs.map(({ runId }) => runId)).size).toBe(6);
    expect(configOfPlanned(plan, plan.runs[3]!)).toMatchObject({ learningRate: 0.5, seed: 1, steps: 30 });
  });

  it("has one run for each seed where the seed itself is swept", () => {
    const plan = planOf(drafted([{ field: "seed", values: [3, 9] }]), "sweep 1", newId);
    expect(plan.runs.map(({ seed }) => seed)).toEqual([3, 9]);
  });

  it("comes back from its address, and from the address of a plan made of it", () => {
    const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 500 }), { minLength: 2, maxLength: 4 });
    fc.assert(
      fc.property(numbers, numbers, fc.integer({ min: 1, max: 5 }), (first, second, seeds) => {
        const over = [
          { field: "learningRate", values: first.map((each) => each / 1000) },
          { field: "groupSize", values: second.map((each) => each + 1) },
        ];
        const setup: Setup = { ...NEW_SWEEP, base: screen, over, seeds };
        const read = setupFromQuery(catalog, "sweep", new URLSearchParams(setupQuery(catalog, setup).toString()));
        expect(read).toEqual({ setup, problem: null });
        const found = draftedOf(catalog, setup, screen);
        if (found.refusals.length > 0) return;
        const again = setupOfPlan(catalog, planOf(found, "sweep 1", newId));
        expect(draftedOf(catalog, again, screen).combinations).toEqual(found.combinations);
      }),
      { numRuns: 30 },
    );
  });

  it("leaves out what its address says wrongly, and says so", () => {
    const { setup, problem } = setupFromQuery(catalog, "sweep", new URLSearchParams("over=nothing:1,2&over=groupSize:4,8&seeds=99"));
    expect(setup).toEqual({ ...NEW_SWEEP, over: [{ field: "groupSize", values: [4, 8] }], seeds: 3 });
    expect(problem).toMatch(/unknown field "nothing".*seeds must be a whole number from 1 to 10, got "99"/s);
  });
});
