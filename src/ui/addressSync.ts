// Keeps the draft and the Train screen's address equal: a link opens with its configuration, an edit
// shows in the address, and what cannot be used of an address is left out of it and said. A link to rollouts
// brings the settings of their run, for the form, since the run itself is in no link.
import { useEffect } from "react";
import { changedFields } from "../protocol/configChanges.ts";
import { engine } from "./client.ts";
import { settingsIn } from "./rollouts/address.ts";
import { isOfRun, parseRoute, replaceQuery, useHash } from "./route.ts";
import { draftFromQuery, draftQuery } from "./store/draftAddress.ts";
import { resolveDraft } from "./store/draftConfig.ts";
import { useDraft } from "./store/draftStore.ts";
import { useEngine } from "./store/useRunView.ts";

/** The draft's query, empty before the catalog is there. */
export function useDraftQuery(): URLSearchParams {
  const catalog = useEngine((facts) => facts.catalog);
  const draft = useDraft((facts) => facts.draft);
  return catalog ? draftQuery(catalog, draft) : new URLSearchParams();
}

/** Ties address and draft together; used once, by the app. */
export function useAddressSync(): void {
  const hash = useHash();
  const catalog = useEngine((facts) => facts.catalog);
  const draft = useDraft((facts) => facts.draft);
  // From the address to the draft: on arrival, and when the address was changed by hand or by going back.
  useEffect(() => {
    if (!catalog) return;
    const { screen, query } = parseRoute(hash);
    // The address of a lesson says nothing of the form.
    if (screen === "learn" && useDraft.getState().draft.presetId !== "") return;
    const current = useDraft.getState().draft;
    const known = current.presetId !== "";
    const settings = screen === "train" ? query : isOfRun(screen) ? settingsIn(query) : new URLSearchParams();
    if (known && settings.toString() === draftQuery(catalog, current).toString()) return;
    if (known && settings.size === 0) {
      // A plain link to the screen keeps what was chosen.
      if (screen === "train") replaceQuery("train", draftQuery(catalog, current));
      return;
    }
    const { draft: read, problem } = draftFromQuery(catalog, settings);
    const { config, runId } = engine.view.facts.getState();
    if (isOfRun(screen) && config && runId !== null) {
      const linked = resolveDraft(catalog, read).config;
      if (linked && changedFields(linked, { ...config, changes: [] }).length === 0) return;
      const what = "The link is to a run with other settings, which is not in this page. Its settings are in the form on Train.";
      useDraft.setState({ draft: read, past: [], future: [], addressProblem: problem ? `${what} ${problem}` : what });
      return;
    }
    // The Compare screen says itself what of its address it could not use.
    useDraft.setState({ draft: read, past: [], future: [], ...(screen === "compare" ? {} : { addressProblem: problem }) });
  }, [hash, catalog]);
  // From the draft to the address, which keeps the last values that can be used.
  useEffect(() => {
    if (!catalog || draft.presetId === "" || parseRoute(window.location.hash).screen !== "train") return;
    const query = draftQuery(catalog, draft);
    if (draftFromQuery(catalog, query).problem === null) replaceQuery("train", query);
  }, [draft, catalog]);
}
