// What all that is compared starts from: the Train screen's form, what was given with the address, and every preset
// that learns from rewards.
import { useMemo } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import { type Draft, presetOf, resolveDraft } from "../../engine/store/draft/draftConfig.ts";
import { Choice } from "../../kit/controls/Choice.tsx";

const SCREEN = "screen";
const GIVEN = "given";

function useBases(catalog: Catalog, base: Draft | null) {
  return useMemo(() => {
    const presets = catalog.presets.filter(({ id }) => resolveDraft(catalog, { presetId: id, edits: {} }).config?.kind === "reinforcement");
    const edits = base ? Object.keys(base.edits).length : 0;
    const title = base ? presetOf(catalog, base.presetId).title : "";
    const given = edits > 0 ? [{ id: GIVEN, title: `${title}, ${edits === 1 ? "one setting" : `${edits} settings`} changed` }] : [];
    const listed = presets.map((preset) => ({ id: preset.id, title: preset.title, ...(preset.group ? { group: preset.group } : {}) }));
    return [{ id: SCREEN, title: "As on the Train screen" }, ...given, ...listed];
  }, [catalog, base]);
}

interface BaseChoiceProps {
  readonly catalog: Catalog;
  readonly base: Draft | null;
  readonly onChange: (base: Draft | null) => void;
}

export function BaseChoice({ catalog, base, onChange }: BaseChoiceProps) {
  const bases = useBases(catalog, base);
  return (
    <Choice
      label="Start from"
      value={base === null ? SCREEN : Object.keys(base.edits).length > 0 ? GIVEN : base.presetId}
      options={bases}
      onChange={(id) => onChange(id === SCREEN ? null : id === GIVEN ? base : { presetId: id, edits: {} })}
    />
  );
}
