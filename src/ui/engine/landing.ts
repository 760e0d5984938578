// Whether the page shows its first screen: no run, and nobody has asked for settings, be it by a press or by an address that has some.
import { usePreferences } from "../kit/remembered.ts";
import { useHash } from "./address/hash.ts";
import { parseRoute } from "./route.ts";
import { useDraft } from "./store/draft/draftStore.ts";
import { selectionText } from "./store/selection.ts";
import { useEngine, useRun, useSelection } from "./store/useRunView.ts";

/** Whether nobody has trained, saved or set anything here yet. */
export function useIsNew(): boolean {
  const hasForm = usePreferences(({ form }) => form);
  const hasRun = useRun(({ runId }) => runId !== null);
  const hasSaves = useEngine(({ saves }) => (saves?.length ?? 0) > 0);
  return !hasForm && !hasRun && !hasSaves;
}

/**
 * Whether the first screen stands there. Not where an address names settings or a step, nor where the form describes another run than the
 * page begins with: what would be trained is to be seen then.
 */
export function useIsLanding(): boolean {
  const { screen, query } = parseRoute(useHash());
  const hasForm = usePreferences(({ form }) => form);
  const isIdle = useRun(({ runId, state }) => runId === null && state === "idle");
  const isLinked = useSelection((selection) => selectionText(selection) !== null);
  const firstPreset = useEngine(({ catalog }) => catalog?.presets[0]?.id ?? "");
  const isSet = useDraft(
    ({ draft, addressProblem }) =>
      addressProblem !== null || Object.keys(draft.edits).length > 0 || (draft.presetId !== "" && draft.presetId !== firstPreset),
  );
  return screen === "train" && query.size === 0 && isIdle && !hasForm && !isLinked && !isSet;
}
