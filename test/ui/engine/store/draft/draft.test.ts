import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { changedFields } from "../../../../../src/protocol/config/configFacts.ts";
import { rewardRules } from "../../../../../src/rl/rewards/library/index.ts";
import { catalog } from "../../../../../src/train/catalog.ts";
import { planRun } from "../../../../../src/train/start/plan.ts";
import { type Draft, draftOf, resolveDraft, withEdit, withEntry } from "../../../../../src/ui/engine/store/draft/draftConfig.ts";
import { draftFromQuery, draftQuery } from "../../../../../src/ui/engine/store/draft/draftQuery.ts";
import { FIRST_DRAFT, redoDraft, setDraft, undoDraft, useDraft } from "../../../../../src/ui/engine/store/draft/draftStore.ts";

const TABLE: Draft = { presetId: "digit-sum-table", edits: {} };

describe("a draft", () => {
  it("resolves every preset of the catalog without a problem", () => {
    for (const { id } of catalog.presets) expect(resolveDraft(catalog, { presetId: id, edits: {} }).problems, id).toEqual([]);
  });

  it("names the field, the rule and the value of what is wrong", () => {
    const { config, problems, shown } = resolveDraft(catalog, withEdit(catalog, TABLE, "groupSize", 1));
    expect(config).toBeNull();
    expect(problems).toEqual([{ field: "groupSize", message: "groupSize must be >= 2, got 1" }]);
    expect(shown.groupSize).toBe(1);
  });

  it("drops an edit that is back at the preset's value", () => {
    const edited = withEdit(catalog, TABLE, "groupSize", 12);
    expect(edited.edits).toEqual({ groupSize: 12 });
    expect(withEdit(catalog, edited, "groupSize", 24).edits).toEqual({});
  });

  it("fills an algorithm's switches over earlier edits", () => {
    const algorithm = catalog.algorithms.find(({ id, config }) => id === "dapo" && config.clipHigh !== undefined);
    expect(algorithm).toBeDefined();
    const edited = withEdit(catalog, withEdit(catalog, { presetId: "boxed-arithmetic", edits: {} }, "clipHigh", 0.7), "algorithm", "dapo");
    expect(resolveDraft(catalog, edited).config).toMatchObject({ algorithm: "dapo", clipHigh: algorithm?.config.clipHigh });
  });

  it("drops a task's options when another task is chosen", () => {
    const edited = withEdit(catalog, withEntry(TABLE, "taskOptions", "target", 9), "task", "boxed-arithmetic");
    expect(edited.edits.taskOptions).toBeUndefined();
  });

  it("differs from another configuration in the fields that were set", () => {
    const before = resolveDraft(catalog, TABLE).config!;
    const after = resolveDraft(catalog, withEntry(withEdit(catalog, TABLE, "seed", 3), "taskOptions", "target", 9)).config!;
    expect(changedFields(before, after)).toEqual(["seed", "taskOptions.target"]);
    expect(changedFields(before, resolveDraft(catalog, TABLE).config!)).toEqual([]);
  });

  it("has a preset of the configuration's own task, however little another one differs", () => {
    const config = { ...resolveDraft(catalog, TABLE).config!, task: "calculator", taskOptions: {} };
    const { presetId } = draftOf(catalog, config);
    expect(catalog.presets.find(({ id }) => id === presetId)?.config.task).toBe("calculator");
  });

  it("says the defaults of a task's options where the nearest preset has others", () => {
    for (const { id, fields } of catalog.tasks) {
      const { config } = planRun({ config: { task: id } });
      const found = resolveDraft(catalog, draftOf(catalog, config)).config!;
      const whole = (options: Readonly<Record<string, unknown>>) => ({
        ...Object.fromEntries(fields.map(({ key, preset }) => [key, preset])),
        ...options,
      });
      expect(whole(found.taskOptions), id).toEqual(whole(config.taskOptions));
      expect(
        changedFields(config, found).filter((name) => !name.startsWith("taskOptions.")),
        id,
      ).toEqual([]);
    }
  });

  it("is found again from the configuration it resolves to", () => {
    const config = resolveDraft(catalog, withEdit(catalog, TABLE, "seed", 3)).config!;
    expect(draftOf(catalog, config)).toEqual({ presetId: "digit-sum-table", edits: { seed: 3 } });
  });
});

describe("a draft's address", () => {
  it("holds only what differs from the preset and reads back as the same draft", () => {
    const draft = withEntry(withEdit(catalog, TABLE, "learningRate", 3e-4), "taskOptions", "target", 9);
    const query = draftQuery(catalog, draft);
    expect(query.toString()).toBe("version=3&preset=digit-sum-table&learningRate=0.0003&task.target=9");
    expect(draftFromQuery(catalog, query)).toEqual({ draft, problem: null });
  });

  it("carries reward rules and gates whole, and says so where there are none", () => {
    const rules = { lengthTarget: { target: 24 }, contains: {} };
    const edits = { rewardRules: rules, rewardGates: { lengthTarget: -1 }, rewardWeights: { contains: 0.5 } };
    for (const each of [edits, { rewardRules: {}, rewardGates: {} }]) {
      const draft = { ...TABLE, edits: each };
      const query = new URLSearchParams(draftQuery(catalog, draft).toString());
      expect(query.toString()).not.toContain("object");
      expect(draftFromQuery(catalog, query)).toEqual({ draft, problem: null });
    }
    expect(resolveDraft(catalog, { ...TABLE, edits }).config).toMatchObject(edits);
  });

  it.each([
    [
      '{"contans":{},"lengthTarget":{"target":24}}',
      `rewardRules must be one of the ${rewardRules.length} known ones, got "contans" (did you mean "contains"?)`,
    ],
    ['{"lengthTarget":{"target":24},"contains":{"wheels":4}}', 'unknown field "rewardRules.contains.wheels"'],
  ])("keeps the good rules of %s", (text, reason) => {
    const query = new URLSearchParams({ preset: TABLE.presetId, version: "2", rewardRules: text });
    const { draft, problem } = draftFromQuery(catalog, query);
    expect(problem).toContain(reason);
    expect(draft.edits).toEqual({ rewardRules: { lengthTarget: { target: 24 } } });
  });

  it.each(["5", "[]", "{", "null", '"x"'])("refuses rules that are %s", (text) => {
    const { draft, problem } = draftFromQuery(catalog, new URLSearchParams({ version: "2", rewardRules: text }));
    expect(problem).toContain("rewardRules must be");
    expect(draft.edits).toEqual({});
  });

  it("is empty for the first preset as it is", () => {
    expect(draftQuery(catalog, { presetId: catalog.presets[0]!.id, edits: {} }).size).toBe(0);
  });

  it.each([
    ["preset=nope", "preset must be one of"],
    ["preset=boxed-aritmetic", "preset must be one of the"],
    ["groupSize=1", "groupSize must be >= 2, got 1"],
    ["groupSize=many", 'groupSize must be a number, got "many"'],
    ["learningRate=-1", "learningRate must be >= 0, got -1"],
    ["whitenAdvantages=perhaps", 'whitenAdvantages must be a boolean, got "perhaps"'],
    ["aggregation=sum", "aggregation must be one of"],
    ["task=nope", "task must be one of"],
    ["task=digit-sun", /task must be one of the .*got "digit-sun" \(did you mean "digit-sum"\?\)/],
    ["algorithm=nope", "algorithm must be one of"],
    ["wheels=4", 'unknown field "wheels"'],
    ["grupSize=4", 'unknown field "grupSize" (did you mean "groupSize"?)'],
    ["learningRate=fast", 'learningRate must be a number, got "fast"'],
    ["changes=4", 'unknown field "changes"'],
    ["taskOptions=5", 'unknown field "taskOptions"'],
    ["task.target=400", "taskOptions.target must be <= 144, got 400"],
    ["task.target=-1", "taskOptions.target must be >= 0, got -1"],
    ["task.target=high", 'taskOptions.target must be a number, got "high"'],
    ["task.wheels=4", 'unknown field "taskOptions.wheels"'],
    ["reward.nope=1", 'rewardWeights must name rewards of the task digit-sum (sumCloseness), got "nope"'],
    ["reward.sumCloseness=11", "rewardWeights.sumCloseness must be <= 10, got 11"],
    ["reward.sumCloseness=much", 'rewardWeights.sumCloseness must be a number, got "much"'],
  ])("that says %s loses that alone, with the reason", (text, reason) => {
    const good = "seed=3&task.length=5&reward.sumCloseness=0.5";
    const preset = text.startsWith("preset") ? "" : "&preset=digit-sum-table";
    const chosen = text.startsWith("task=") ? "" : "&task=digit-sum";
    const { draft, problem } = draftFromQuery(catalog, new URLSearchParams(`${good}&${text}${chosen}${preset}`));
    const said = "Not everything in the address was used: ";
    if (typeof reason === "string") expect(problem).toContain(said + reason);
    else expect(problem).toMatch(reason);
    expect(problem).toContain(said);
    const rewardWeights = text.startsWith("reward.sum") ? {} : { rewardWeights: { sumCloseness: 0.5 } };
    const task = chosen ? { task: "digit-sum" } : {};
    expect(draft).toEqual({
      presetId: preset ? "digit-sum-table" : catalog.presets[0]?.id,
      edits: { ...task, seed: 3, taskOptions: { length: 5 }, ...rewardWeights },
    });
    expect(resolveDraft(catalog, draft).problems).toEqual([]);
  });

  it("loses every bad field and keeps the good ones between them", () => {
    const text = "preset=digit-sum-table&groupSize=1&seed=4&learningRate=fast&steps=7&wheels=4&task.target=-1";
    const { draft, problem } = draftFromQuery(catalog, new URLSearchParams(text));
    expect(draft).toEqual({ presetId: "digit-sum-table", edits: { seed: 4, steps: 7 } });
    expect(problem).toBe(
      'Not everything in the address was used: unknown field "wheels"; groupSize must be >= 2, got 1; ' +
        'learningRate must be a number, got "fast"; and 1 more. The rest was used.',
    );
  });

  it("loses the field that breaks a rule with another", () => {
    const table = "preset=digit-sum-transformer&hiddenSize=64&heads=5&seed=2";
    expect(draftFromQuery(catalog, new URLSearchParams(table)).draft.edits).toEqual({ hiddenSize: 64, seed: 2 });
    // The rule names a field of the preset, so the one that the address brought goes.
    const adaptive = draftFromQuery(catalog, new URLSearchParams("preset=digit-sum-transformer&klTarget=0.1&seed=2"));
    expect(adaptive.draft.edits).toEqual({ seed: 2 });
    expect(adaptive.problem).toContain("klCoef must be > 0 with klTarget (the controller multiplies it), got 0, so klTarget is left out");
  });

  it("keeps two fields that are right only together, in either order", () => {
    for (const text of ["hiddenSize=96&heads=6&kvHeads=3", "kvHeads=3&heads=6&hiddenSize=96"]) {
      const { draft, problem } = draftFromQuery(catalog, new URLSearchParams(`preset=digit-sum-transformer&${text}`));
      expect([problem, draft.edits]).toEqual([null, { hiddenSize: 96, heads: 6, kvHeads: 3 }]);
    }
  });

  it("takes the last of two values of one name", () => {
    const { draft, problem } = draftFromQuery(catalog, new URLSearchParams("preset=nope&seed=1&preset=digit-sum-table&seed=2"));
    expect([problem, draft]).toEqual([null, { presetId: "digit-sum-table", edits: { seed: 2 } }]);
  });

  it("never ends in a draft with a problem, whatever it says", () => {
    const values = ["-1", "0", "1", "3", "1e9", "x", "", "true", "cosine", "critic", "exact", "tabular"];
    const keys = [
      ...catalog.fields.map(({ key }) => key),
      "task.length",
      "task.wheels",
      "reward.nope",
      "reward.boxedAnswer",
      "version2",
      "preset",
    ];
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.constantFrom(...keys), fc.constantFrom(...values)), { maxLength: 12 }), (pairs) => {
        const { draft, problem } = draftFromQuery(catalog, new URLSearchParams(pairs.map(([key, value]) => [key, value])));
        expect(resolveDraft(catalog, draft).problems).toEqual([]);
        expect(draftFromQuery(catalog, draftQuery(catalog, draft))).toEqual({ draft, problem: null });
        if (problem === null) for (const [key] of pairs) expect(draftQuery(catalog, draft).has(key)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it("of version 1, which had no version, is read under the present names", () => {
    const { draft, problem } = draftFromQuery(catalog, new URLSearchParams("preset=supervised&batchSequences=16&seed=2"));
    expect([problem, draft.edits]).toEqual([null, { demonstrationsPerStep: 16, seed: 2 }]);
    expect(draftQuery(catalog, draft).toString()).toBe("version=3&preset=supervised&demonstrationsPerStep=16&seed=2");
    const present = draftFromQuery(catalog, new URLSearchParams("version=3&preset=supervised&batchSequences=16&seed=2"));
    expect(present.problem).toContain('unknown field "batchSequences"');
    expect(present.draft.edits).toEqual({ seed: 2 });
  });

  it("of a newer version is refused whole: its fields may mean something else", () => {
    const { draft, problem } = draftFromQuery(catalog, new URLSearchParams("version=4&preset=digit-sum-table&seed=2"));
    expect(draft).toEqual({ presetId: catalog.presets[0]?.id, edits: {} });
    expect(problem).toBe("The address was not used: version must be <= 3, got 4: a newer version of the lab wrote this configuration.");
  });
});

describe("undo", () => {
  afterEach(() => useDraft.setState(FIRST_DRAFT));

  it("goes back edit by edit and stops at the first", () => {
    useDraft.setState({ ...FIRST_DRAFT, draft: TABLE });
    setDraft(withEdit(catalog, TABLE, "seed", 1));
    setDraft(withEdit(catalog, TABLE, "seed", 2));
    undoDraft();
    expect(useDraft.getState().draft.edits).toEqual({ seed: 1 });
    undoDraft();
    undoDraft();
    expect(useDraft.getState().draft).toEqual(TABLE);
  });

  it("is taken back edit by edit, until an edit comes that forgets what was taken back", () => {
    useDraft.setState({ ...FIRST_DRAFT, draft: TABLE });
    for (const seed of [1, 2, 3]) setDraft(withEdit(catalog, TABLE, "seed", seed));
    undoDraft();
    undoDraft();
    redoDraft();
    expect(useDraft.getState().draft.edits).toEqual({ seed: 2 });
    undoDraft();
    undoDraft();
    for (let i = 0; i < 5; i++) redoDraft();
    expect(useDraft.getState().draft.edits).toEqual({ seed: 3 });
    undoDraft();
    setDraft(withEdit(catalog, TABLE, "groupSize", 12));
    redoDraft();
    expect(useDraft.getState()).toMatchObject({ draft: { edits: { groupSize: 12 } }, future: [] });
    undoDraft();
    expect(useDraft.getState().draft.edits).toEqual({ seed: 2 });
  });
});
