// Keeps the draft and the address of Train and Customize equal: a link opens with its configuration, an edit
// shows in the address, and what cannot be used of an address is left out of it and said. A link to rollouts
// brings the settings of their run, for the form, since the run itself is in no link; so does one to a step that
// was held on Train.
import { useEffect, useRef, useState } from "react";
import { changedFields } from "../../../protocol/config/configFacts.ts";
import { unknownName } from "../../../protocol/problems.ts";
import { showForm } from "../../kit/remembered.ts";
import { engine } from "../client.ts";
import { editsSettings, isOfRun, isReplayLink, parseRoute, placeIn, placeQuery, replaceQuery, SCREENS, settingsIn } from "../route.ts";
import { resolveDraft } from "../store/draft/draftConfig.ts";
import { draftFromQuery, draftQuery, refusalText } from "../store/draft/draftQuery.ts";
import { useDraft } from "../store/draft/draftStore.ts";
import { useEngine, useRun, useRunView, useSelection } from "../store/useRunView.ts";
import { useHash } from "./hash.ts";

/** Holds the step that a link to the Train screen names, and leaves the settings alone in the address. */
function holdLinked(query: URLSearchParams): void {
  const place = placeIn("train", query);
  if (place.step === null) return;
  engine.view.selection.setState(place);
  replaceQuery("train", settingsIn(query));
}

/** The section of Customize that an address names, and the settings. */
function withSection(settings: URLSearchParams, query: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...placeQuery("customize", placeIn("customize", query)), ...settings]);
}

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
  const taken = useRef<string | null>(null);
  // From the address to the draft: on arrival, and when the address was changed by hand or by going back.
  useEffect(() => {
    if (!catalog) return;
    // Tasks of one's own change the catalog with the draft, before the address follows: it says nothing new then.
    if (taken.current === hash && useDraft.getState().draft.presetId !== "") return;
    taken.current = hash;
    const { screen, query, missing } = parseRoute(hash);
    const refused = missing === null ? [] : [unknownName("screen", missing, SCREENS)];
    // The address of a lesson says nothing of the form.
    if (screen === "learn" && useDraft.getState().draft.presetId !== "") return;
    const current = useDraft.getState().draft;
    const known = current.presetId !== "";
    const settings = editsSettings(screen) || isOfRun(screen) ? settingsIn(query) : new URLSearchParams();
    if (screen === "train" && settings.size > 0 && settings.toString() !== draftQuery(catalog, current).toString()) showForm();
    const isPlace = isOfRun(screen) || (screen === "train" && settings.size < query.size);
    const { config, runId } = engine.view.facts.getState();
    const hold = () => screen === "train" && holdLinked(query);
    if (refused.length > 0) useDraft.setState({ addressProblem: refusalText(refused) });
    if (known && settings.toString() === draftQuery(catalog, current).toString()) return void hold();
    if (known && settings.size === 0) {
      // A plain link to the screen keeps what was chosen.
      hold();
      if (editsSettings(screen)) replaceQuery(screen, withSection(draftQuery(catalog, current), query));
      return;
    }
    const { draft: read, problem } = draftFromQuery(catalog, settings, refused);
    if (isPlace && config && runId !== null) {
      const linked = resolveDraft(catalog, read).config;
      if (linked && changedFields(linked, { ...config, changes: [] }).length === 0) return void hold();
      const what = "The link is to a run with other settings, which is not in this page. Its settings are in the form on Train.";
      useDraft.setState({ draft: read, past: [], future: [], addressProblem: problem ? `${what} ${problem}` : what });
      return;
    }
    hold();
    // The screens Compare and Sweep say themselves what of their address they could not use.
    useDraft.setState({
      draft: read,
      past: [],
      future: [],
      ...(screen === "compare" || screen === "sweep" ? {} : { addressProblem: problem }),
    });
  }, [hash, catalog]);
  // From the draft to the address, which keeps the last values that can be used.
  useEffect(() => {
    const { screen, query: shown } = parseRoute(window.location.hash);
    if (!catalog || draft.presetId === "" || isReplayLink(window.location.hash) || !editsSettings(screen)) return;
    const query = draftQuery(catalog, draft);
    if (draftFromQuery(catalog, query).problem === null) replaceQuery(screen, withSection(query, shown));
  }, [draft, catalog]);
}

/**
 * Ties what is selected of a run to the address of a screen that shows a place of it; a link opened by hand wins over
 * what was selected before.
 */
export function useSelectionAddress(screen: "rollouts" | "explain"): void {
  const hash = useHash();
  const { selection: store } = useRunView();
  const selection = useSelection((all) => all);
  const [read, setRead] = useState<string | null>(null);
  const { query } = parseRoute(hash);
  const said = query.toString();
  const hasRun = useRun((run) => run.runId !== null);
  // The settings of a run that is not here stay in the address, so that a reload finds them.
  const shown = placeQuery(screen, selection, hasRun ? undefined : settingsIn(query)).toString();
  useEffect(() => {
    if (parseRoute(hash).screen !== screen || read === hash) return;
    setRead(hash);
    const given = parseRoute(hash).query;
    // Coming from another screen without a query keeps the selection made there.
    if (given.size > 0 || read !== null) store.setState(placeIn(screen, given));
  }, [store, hash, read, screen]);
  useEffect(() => {
    if (read !== hash || shown === said || parseRoute(hash).screen !== screen) return;
    // A link was opened since this was drawn: its place counts, and is about to be read.
    if (window.location.hash !== hash) return;
    // At once: a place that somebody goes to next must not be overwritten by the one before.
    replaceQuery(screen, new URLSearchParams(shown));
    setRead(window.location.hash);
  }, [hash, read, shown, said, screen]);
}
