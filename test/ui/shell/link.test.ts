import { describe, expect, it } from "vitest";
import { catalog } from "../../../src/train/catalog.ts";
import { parseRoute, settingsIn } from "../../../src/ui/engine/route.ts";
import { resolveDraft } from "../../../src/ui/engine/store/draft/draftConfig.ts";
import { draftFromQuery } from "../../../src/ui/engine/store/draft/draftQuery.ts";
import { NOTHING_SELECTED } from "../../../src/ui/engine/store/selection.ts";
import { setupFromQuery } from "../../../src/ui/experiment/plan/address.ts";
import { linkHash } from "../../../src/ui/shell/link.ts";

const presets = catalog.presets.map(({ id }) => id);
const configOf = (presetId: string) => resolveDraft(catalog, { presetId, edits: {} }).config!;
const SELECTION = { ...NOTHING_SELECTED, step: 12, promptIndex: 1, tokenIndex: 5 };

describe("a link to what is on screen", () => {
  it.each(presets)("from the rollouts of a run of %s brings its settings, whatever the form says by then", (presetId) => {
    const config = { ...configOf(presetId), seed: 7, changes: [{ afterStep: 3, settings: { learningRate: 0.5 } }] };
    const draft = { presetId: presets.at(-1)!, edits: {} };
    const hash = linkHash({ hash: "#/rollouts?step=12", catalog, draft, config, selection: SELECTION });
    expect(hash).toMatch(/^#\/rollouts\?.*step=12&prompt=2&token=6$/);
    const read = draftFromQuery(catalog, settingsIn(parseRoute(hash).query));
    expect(read.problem).toBeNull();
    expect(resolveDraft(catalog, read.draft).config).toEqual({ ...config, changes: [] });
  });

  it("from the form names its preset, even where that is the first one as it is", () => {
    const draft = { presetId: presets[0]!, edits: {} };
    expect(linkHash({ hash: "#/train", catalog, draft, config: null, selection: SELECTION })).toBe(`#/train?preset=${presets[0]}`);
  });

  it("from a step that is held beside the charts names it, with the settings of its run", () => {
    const config = { ...configOf("digit-sum-table"), seed: 7 };
    const draft = { presetId: presets.at(-1)!, edits: {} };
    const hash = linkHash({ hash: "#/train", catalog, draft, config, selection: SELECTION });
    expect(hash).toBe("#/train?version=3&preset=digit-sum-table&seed=7&step=12&prompt=2");
    const follows = linkHash({ hash: "#/train", catalog, draft, config, selection: NOTHING_SELECTED });
    expect(follows).not.toContain("digit-sum-table");
  });

  it("from Compare brings what the runs share before they have started", () => {
    const draft = { presetId: "digit-sum-table", edits: { steps: 33 } };
    const hash = linkHash({ hash: "#/compare", catalog, draft, config: null, selection: NOTHING_SELECTED });
    const { setup, problem } = setupFromQuery(catalog, "compare", parseRoute(hash).query);
    expect([problem, setup.base]).toEqual([null, draft]);
  });
});
