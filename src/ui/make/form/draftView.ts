// The draft as forms show it: values, problems by field, and what waits for a restart. It is derived once for all parts of a
// form.

import { createContext, createElement, type ReactNode, useContext, useDeferredValue, useMemo } from "react";
import type { TaskEntry } from "../../../protocol/catalog.ts";
import { changedFields, inertFields } from "../../../protocol/config/configFacts.ts";
import { resolveDraft } from "../../engine/store/draft/draftConfig.ts";
import { isOfTheRun, useDraft } from "../../engine/store/draft/draftStore.ts";
import { inTitles } from "../../engine/store/inTitles.ts";
import { useCatalog } from "../../engine/store/useRunView.ts";

/** Derives the view of the current draft. */
function useDerivedView() {
  const catalog = useCatalog();
  const draft = useDraft((facts) => facts.draft);
  // Only marks depend on it, so the whole panel need not be drawn at once when a run starts.
  const applied = useDeferredValue(useDraft((facts) => facts.applied));
  const appliedPreset = useDeferredValue(useDraft((facts) => facts.appliedPreset));
  const canUndo = useDraft((facts) => facts.past.length > 0);
  const canRedo = useDraft((facts) => facts.future.length > 0);
  return useMemo(() => {
    const { config, shown, problems: found } = resolveDraft(catalog, draft);
    const problems = found.map(({ field, message }) => ({ field, message: inTitles(catalog, message) }));
    const isForNext = config !== null && applied !== null && !isOfTheRun({ draft, applied, appliedPreset }, config);
    const live = new Set(catalog.fields.filter((field) => field.live).map(({ key }) => key));
    return {
      presetId: draft.presetId,
      edits: draft.edits,
      shown,
      /** Null where the catalog has none of that name. */
      task: catalog.tasks.find(({ id }) => id === shown.task) ?? null,
      /** Null while something is wrong. */
      config,
      /** What is wrong, in sentences. */
      wrong: [...new Set(problems.map(({ message }) => message))],
      /** Why fields change nothing in this combination, by their names. */
      inert: new Map<string, string>(config ? inertFields(config, catalog.tasks).map(({ key, reason }) => [key, reason]) : []),
      /** Dotted names of fields whose change waits for a restart. */
      waiting: config && applied ? changedFields(applied, config).filter((key) => !live.has(key) || isForNext) : [],
      /** All of it is for a run to come: nothing reaches the one on screen. */
      isForNext,
      canUndo,
      canRedo,
      problemOf: (field: string) => problems.find((problem) => problem.field === field)?.message,
    };
  }, [catalog, draft, applied, appliedPreset, canUndo, canRedo]);
}
export type DraftView = ReturnType<typeof useDerivedView>;

export const ShownDraft = createContext<DraftView | null>(null);

/** Hands the draft down to the parts of a form; once the engine has told its catalog. */
export function DraftForm({ children }: { readonly children: ReactNode }): ReactNode {
  return createElement(ShownDraft, { value: useDerivedView() }, children);
}

export function useDraftView(): DraftView {
  const view = useContext(ShownDraft);
  if (!view) throw new Error("internal: a part of a form stands outside of it");
  return view;
}

/** The task of the form, for parts that are shown where there is one. */
export function useFormTask(): TaskEntry {
  const { task } = useDraftView();
  if (!task) throw new Error("internal: a part of a form about a task is shown without one");
  return task;
}
