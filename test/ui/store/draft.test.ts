import { describe, expect, it } from "vitest";
import { catalog } from "../../../src/train/catalog.ts";
import { draftFromQuery, draftQuery } from "../../../src/ui/store/draftAddress.ts";
import { changedFields, type Draft, draftOf, resolveDraft, withEdit, withEntry } from "../../../src/ui/store/draftConfig.ts";
import { FIRST_DRAFT, setDraft, undoDraft, useDraft } from "../../../src/ui/store/draftStore.ts";

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

  it("is found again from the configuration it resolves to", () => {
    const config = resolveDraft(catalog, withEdit(catalog, TABLE, "seed", 3)).config!;
    expect(draftOf(catalog, config)).toEqual({ presetId: "digit-sum-table", edits: { seed: 3 } });
  });
});

describe("a draft's address", () => {
  it("holds only what differs from the preset and reads back as the same draft", () => {
    const draft = withEntry(withEdit(catalog, TABLE, "learningRate", 3e-4), "taskOptions", "target", 9);
    const query = draftQuery(catalog, draft);
    expect(query.toString()).toBe("preset=digit-sum-table&learningRate=0.0003&task.target=9");
    expect(draftFromQuery(catalog, query)).toEqual({ draft, problem: null });
  });

  it.each([
    ["preset=nope", "preset must be one of"],
    ["groupSize=1", "groupSize must be >= 2, got 1"],
    ["groupSize=many", 'groupSize must be a number, got "many"'],
    ["learningRate=-1", "learningRate must be >= 0, got -1"],
    ["task=nope", "task must be one of"],
    ["wheels=4", 'unknown field "wheels"'],
    ["preset=digit-sum-table&taskOptions=5", 'unknown field "taskOptions"'],
    ["preset=digit-sum-table&task.target=-1", "taskOptions.target must be >="],
    ["preset=digit-sum-table&reward.nope=1", "rewardWeights must name rewards of the task digit-sum"],
  ])("that says %s is refused with the reason, and the defaults are used", (text, reason) => {
    const { draft, problem } = draftFromQuery(catalog, new URLSearchParams(text));
    expect(problem).toContain(reason);
    expect(draft).toEqual({ presetId: catalog.presets[0]?.id, edits: {} });
  });
});

describe("undo", () => {
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
});
