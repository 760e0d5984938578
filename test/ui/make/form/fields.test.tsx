// The form shows what has an effect; the rest lies folded behind its count, each reason once.
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { inertFields } from "../../../../src/protocol/config/configFacts.ts";
import { catalog } from "../../../../src/train/catalog.ts";
import { resolveDraft, withEdit } from "../../../../src/ui/engine/store/draft/draftConfig.ts";
import { variedFields } from "../../../../src/ui/experiment/plan/varied.ts";
import { variedOptions } from "../../../../src/ui/experiment/setup/SettingInput.tsx";
import { FormFold } from "../../../../src/ui/kit/controls/Fold.tsx";
import { type DraftView, ShownDraft } from "../../../../src/ui/make/form/draftView.ts";
import { Fields, SortedFields } from "../../../../src/ui/make/form/Fields.tsx";

function view(presetId: string): DraftView {
  const { config, shown } = resolveDraft(catalog, { presetId, edits: {} });
  return {
    ...{ presetId, edits: {}, shown, config, wrong: [], waiting: [], isForNext: false, canUndo: false, canRedo: false },
    task: null,
    inert: new Map(inertFields(config!, catalog.tasks).map(({ key, reason }) => [key, reason])),
    problemOf: () => undefined,
  };
}

describe("the fields of a section", () => {
  it.each(["optimizer", "critic", "objective"])("of %s without effect lie behind their count", (section) => {
    const fields = catalog.fields.filter(({ group }) => group === section);
    const shown = view("digit-sum-table");
    const inert = fields.filter(({ key }) => shown.inert.has(key));
    expect(inert.length).toBeGreaterThan(0);
    const html = renderToStaticMarkup(
      <ShownDraft value={shown}>
        <SortedFields fields={fields} />
      </ShownDraft>,
    );
    const [before = "", behind = ""] = html.split("Without effect");
    expect(behind).toContain(`>${inert.length}<`);
    const places = (part: string) => [...part.matchAll(/data-field="(\w+)"/g)].map(([, key]) => key);
    expect(places(behind).sort()).toEqual(inert.map(({ key }) => key).sort());
    expect(places(before).sort()).toEqual(fields.flatMap(({ key }) => (shown.inert.has(key) ? [] : key)).sort());
    const reasons = new Set(inert.map(({ key }) => shown.inert.get(key)));
    expect(behind.match(/Now without effect:/g)).toHaveLength(reasons.size);
  });
});

it("choosing a server fills in what it asks for, and says what else would be refused beside its field", () => {
  const draft = withEdit(catalog, { presetId: "calculator", edits: { temperature: 0.7 } }, "backend", "tinker");
  expect(draft.edits).toMatchObject({ backend: "tinker", loraRank: 8 });
  expect(resolveDraft(catalog, draft).config?.temperature).toBe(1);
  const { config, problems } = resolveDraft(catalog, withEdit(catalog, draft, "entropyCoef", 0.1));
  expect(config).toBeNull();
  expect(problems.map(({ field }) => field)).toEqual(["entropyCoef"]);
});

it("a text of several lines is typed in as many", () => {
  const { fields } = catalog.tasks.find(({ id }) => id === "prompts")!;
  const html = renderToStaticMarkup(
    <ShownDraft value={view("smollm2-questions")}>
      <FormFold title="Task" isOpen>
        <Fields fields={fields} record="taskOptions" />
      </FormFold>
    </ShownDraft>,
  );
  expect(html.match(/<textarea/g)).toHaveLength(1);
  expect(html).toContain("Ask me one short question about {thing}.</textarea>");
});

describe("a fold of the form", () => {
  const inOptimizer = catalog.fields.filter(({ group }) => group === "optimizer");
  const html = (isOpen: boolean) =>
    renderToStaticMarkup(
      <ShownDraft value={view("digit-sum-transformer")}>
        <FormFold title="Optimizer" isOpen={isOpen}>
          <SortedFields fields={inOptimizer} />
        </FormFold>
      </ShownDraft>,
    );
  const drawn = /class="name"/g;

  it("has the title of every field in it and draws none while it was never open", () => {
    for (const { title } of inOptimizer) expect(html(false)).toContain(`>${title}<`);
    expect(html(false)).not.toMatch(drawn);
    expect(html(false)).not.toContain("<input");
  });

  it("draws its fields when it is open, and not those of folds inside it", () => {
    const count = html(true).match(drawn)?.length ?? 0;
    expect(count).toBeGreaterThan(0);
    expect(count).toBeLessThan(inOptimizer.length);
  });
});

describe("what a race varies", () => {
  it("offers the few that most comparisons are about first, under no heading, then all others under theirs", () => {
    const options = variedOptions(variedFields(catalog, false));
    const few = options.findIndex(({ group }) => group !== undefined);
    expect(few).toBeGreaterThanOrEqual(4);
    expect(few).toBeLessThanOrEqual(10);
    expect(options[0]?.id).toBe("algorithm");
    expect(options.slice(few).every(({ group }) => group !== undefined)).toBe(true);
    expect(options).toHaveLength(variedFields(catalog, false).length);
  });
});
