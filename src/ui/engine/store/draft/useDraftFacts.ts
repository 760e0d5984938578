// What the draft comes to, as components ask: whether it can be started, which settings it has, and what the button says that starts it.
import { useMemo } from "react";
import { type RunConfig, runConfigSchema } from "../../../../protocol/config.ts";
import { trainAction } from "../../trainAction.ts";
import { inTitles } from "../inTitles.ts";
import { useEngine, useRun } from "../useRunView.ts";
import { type ResolvedDraft, resolveDraft } from "./draftConfig.ts";
import { isOfTheRun, useDraft } from "./draftStore.ts";

/** What the draft comes to; null before the catalog is there. */
export function useResolvedDraft(): ResolvedDraft | null {
  const catalog = useEngine((facts) => facts.catalog);
  const draft = useDraft((facts) => facts.draft);
  return catalog && resolveDraft(catalog, draft);
}

/** Whether the draft can be started as it is; false before the catalog is there. */
export function useCanStart(): boolean {
  return (useResolvedDraft()?.config ?? null) !== null;
}

/** Why the draft cannot be started as it is, in a sentence; null where it can, and before the catalog is there. */
export function useDraftProblem(): string | null {
  const catalog = useEngine((facts) => facts.catalog);
  const [problem] = useResolvedDraft()?.problems ?? [];
  return problem ? inTitles(catalog, problem.message) : null;
}

/** The settings that decide how a run of the draft is told; those of the defaults where the draft cannot be started. */
export function useDraftMethod(): RunConfig {
  const config = useResolvedDraft()?.config;
  return useMemo(() => config ?? runConfigSchema.parse({}), [config]);
}

/** What the button of a run says. */
export function useNextLabel(): string {
  const config = useResolvedDraft()?.config ?? null;
  const draft = useDraft((facts) => facts.draft);
  const applied = useDraft((facts) => facts.applied);
  const appliedPreset = useDraft((facts) => facts.appliedPreset);
  const isOther = useMemo(
    () => config !== null && applied !== null && !isOfTheRun({ draft, applied, appliedPreset }, config),
    [config, draft, applied, appliedPreset],
  );
  return useRun((facts) => trainAction(facts, { isOther, steps: applied?.steps ?? null }).label);
}
