// The catalog of this page's session: the registry's, and the tasks that the draft or the run on screen brings. Whatever
// lists tasks or tells what one is finds them there.
import type { Catalog } from "../../../protocol/catalog.ts";
import type { RunConfigInput } from "../../../protocol/config.ts";
import { customEntries } from "../../../protocol/custom/customEntry.ts";
import { readCustomTasks } from "../../../protocol/custom/customTasks.ts";
import type { EngineClient } from "../client.ts";
import { presetOf } from "./draft/draftConfig.ts";
import { useDraft } from "./draft/draftStore.ts";

/** The tasks that the draft brings; a draft that says nothing of them has its preset's. */
function draftedTasks(catalog: Catalog): NonNullable<RunConfigInput["customTasks"]> {
  const { draft } = useDraft.getState();
  return draft.edits.customTasks ?? presetOf(catalog, draft.presetId).config.customTasks ?? {};
}

/** Keeps the tasks of an engine's catalog up to date from now on. */
export function keepSessionCatalog({ facts, view }: EngineClient): void {
  let before = "";
  const update = () => {
    const { catalog } = facts.getState();
    if (!catalog) return;
    const entries = customEntries(readCustomTasks({ ...view.facts.getState().config?.customTasks, ...draftedTasks(catalog) }));
    const now = JSON.stringify(entries);
    const shown = catalog.tasks.filter(({ isCustom }) => isCustom);
    if (now === before && shown.length === entries.length) return;
    before = now;
    facts.setState({ catalog: { ...catalog, tasks: [...catalog.tasks.filter(({ isCustom }) => !isCustom), ...entries] } });
  };
  useDraft.subscribe((now, then) => now.draft !== then.draft && update());
  view.facts.subscribe((now, then) => now.config !== then.config && update());
  facts.subscribe((now, then) => now.catalog !== then.catalog && update());
  update();
}
