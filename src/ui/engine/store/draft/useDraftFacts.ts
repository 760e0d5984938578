// What the draft comes to, as components ask: whether it can be started, which settings it has, and what the button says that starts it.
import { useMemo } from "react";
import { type RunConfig, runConfigSchema } from "../../../../protocol/config.ts";
import { trainAction } from "../../trainAction.ts";
import { inTitles } from "../inTitles.ts";
import { useEngine, useRun } from "../useRunView.ts";
import { resolveDraft } from "./draftConfig.ts";
import { isOfTheRun, useDraft } from "./draftStore.ts";

/** Whether the draft can be started as it is; false before the catalog is there. */
export function useCanStart(): boolean {
  const catalog = useEngine((facts) => facts.catalog);
  const draft = useDraft((facts) => facts.draft);
  return useMemo(() => catalog !== null && resolveDraft(catalog, draft).config !== null, [catalog, draft]);
}

/** Why the draft cannot be started as it is, in a sentence; null where it can, and before the catalog is there. */
export function useDraftProblem(): string | null {
  const catalog = useEngine((facts) => facts.catalog);
  const draft = useDraft((facts) => facts.draft);
  return useMemo(() => {
    const [problem] = catalog ? resolveDraft(catalog, draft).problems : [];
    return problem ? inTitles(catalog, problem.message) : null;
  }, [catalog, draft]);
}

/** The settings that decide how a run of the draft is told; those of the defaults where the draft cannot be started. */
export function useDraftMethod(): RunConfig {
  const catalog = useEngine((facts) => facts.catalog);
  const draft = useDraft((facts) => facts.draft);
  return useMemo(() => (catalog && resolveDraft(catalog, draft).config) ?? runConfigSchema.parse({}), [catalog, draft]);
}

/** What the button of a run says. */
export function useNextLabel(): string {
  const catalog = useEngine((facts) => facts.catalog);
  const draft = useDraft((facts) => facts.draft);
  const applied = useDraft((facts) => facts.applied);
  const appliedPreset = useDraft((facts) => facts.appliedPreset);
  const isOther = useMemo(() => {
    const config = catalog && applied ? resolveDraft(catalog, draft).config : null;
    return config !== null && !isOfTheRun({ draft, applied, appliedPreset }, config);
  }, [catalog, draft, applied, appliedPreset]);
  return useRun((facts) => trainAction(facts, { isOther, steps: applied?.steps ?? null }).label);
}
