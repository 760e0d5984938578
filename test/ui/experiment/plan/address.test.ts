// A race as an address: what was chosen comes back, and what cannot be used is left out alone and said.
import { describe, expect, it } from "vitest";
import { catalog } from "../../../../src/train/catalog.ts";
import { setupFromQuery, setupQuery } from "../../../../src/ui/experiment/plan/address.ts";
import { draftedOf } from "../../../../src/ui/experiment/plan/drafted.ts";
import { newSetup, type Setup } from "../../../../src/ui/experiment/plan/setup.ts";
import { race } from "../../../../src/ui/experiment/shapes/race.ts";

const NEW_RACE = newSetup(race);
const FIRST = { presetId: catalog.presets[0]!.id, edits: {} };
const read = (text: string) => setupFromQuery(catalog, "compare", new URLSearchParams(text));

describe("the address of a race", () => {
  const setups: readonly (readonly [string, Partial<Setup>])[] = [
    ["nothing chosen", {}],
    ["the first preset as it is", { base: FIRST }],
    [
      "algorithms over seeds",
      {
        base: { presetId: "digit-sum-table", edits: { steps: 40, seed: 3 } },
        over: [{ field: "algorithm", values: ["grpo", "dapo"] }],
        seeds: 3,
      },
    ],
    ["numbers at equal tokens", { over: [{ field: "learningRate", values: [0.5, 0.001] }], axis: "tokens", target: 0.75 }],
    ["flags", { over: [{ field: "whitenAdvantages", values: [true, false] }], ownEpochs: true }],
    ["a fork after a step", { kind: "fork", base: FIRST, forkStep: 12, over: [{ field: "learningRate", values: [0.01] }] }],
    ["a fork at the end", { kind: "fork" }],
  ];
  it.each(setups)("holds %s", (_, chosen) => {
    const setup = { ...NEW_RACE, ...chosen };
    const query = setupQuery(catalog, setup);
    expect(setupFromQuery(catalog, "compare", new URLSearchParams(query.toString()))).toEqual({ setup, problem: null });
  });

  it("is short", () => {
    expect(setupQuery(catalog, NEW_RACE).toString()).toBe("");
    const setup = { ...NEW_RACE, base: { presetId: "digit-sum-table", edits: { steps: 60 } }, seeds: 3 };
    expect(setupQuery(catalog, setup).toString()).toMatch(/^version=\d+&preset=digit-sum-table&steps=60&seeds=3$/);
  });

  it("sets the same race up", () => {
    const setup: Setup = {
      ...NEW_RACE,
      base: { presetId: "digit-sum-table", edits: { seed: 3 } },
      over: [{ field: "groupSize", values: [8, 32] }],
      seeds: 2,
    };
    const again = setupFromQuery(catalog, "compare", setupQuery(catalog, setup)).setup;
    expect(draftedOf(catalog, again, FIRST)).toEqual(draftedOf(catalog, setup, FIRST));
    expect(draftedOf(catalog, again, FIRST).combinations.map(({ config, seeds }) => [config?.groupSize, seeds])).toEqual([
      [8, [3, 4]],
      [32, [3, 4]],
    ]);
  });
});

describe("an address that is partly wrong", () => {
  it("loses what is wrong and says so", () => {
    const { setup, problem } = read("preset=digit-sum-table&vary=learningRate&values=0.5,1&seeds=99&axis=hours");
    expect(setup).toMatchObject({
      base: { presetId: "digit-sum-table" },
      over: [{ field: "learningRate", values: [0.5, 1] }],
      seeds: 1,
      axis: "steps",
    });
    expect(problem).toBe(
      "Not everything in the address was used: " +
        'seeds must be a whole number from 1 to 5, got "99"; axis must be one of "steps", "tokens", "updates", got "hours". The rest was used.',
    );
  });
  it("says all of it in one sentence", () =>
    expect(read("preset=digit-sum-table&groupSize=1&seeds=9").problem).toBe(
      'Not everything in the address was used: groupSize must be >= 2, got 1; seeds must be a whole number from 1 to 5, got "9". The rest was used.',
    ));
  it("loses one value of several", () => {
    const { setup, problem } = read("vary=algorithm&values=grpo,nonsense,dapo");
    expect(setup.over).toEqual([{ field: "algorithm", values: ["grpo", "dapo"] }]);
    expect(problem).toContain('"nonsense" is no value of algorithm');
  });
  it("loses a setting of the base as the Train screen does", () => {
    const { setup, problem } = read("preset=digit-sum-table&groupSize=1&vary=learningRate");
    expect(setup).toMatchObject({ base: { presetId: "digit-sum-table", edits: {} }, over: [{ field: "learningRate", values: null }] });
    expect(problem).toContain("groupSize must be >= 2, got 1");
  });
  it("races nothing that cannot vary", () => {
    const { setup, problem } = read("vary=steps&values=1,2");
    expect(setup).toMatchObject({ over: [] });
    expect(problem).toContain('vary must be a setting that can vary, got "steps"');
  });
  it("forks nowhere that is no step", () => {
    const { setup, problem } = read("fork=soon");
    expect(setup).toMatchObject({ kind: "fork", forkStep: null });
    expect(problem).toContain('fork must be a step or "last", got "soon"');
  });
});
