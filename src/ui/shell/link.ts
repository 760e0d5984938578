// A link to what is on screen that can be opened in any browser: the address of the screen, and whatever of the
// settings that does not say by itself. Asked for when a link is copied, so it loads then.
import type { Catalog } from "../../protocol/catalog.ts";
import { hashOf, parseRoute, placeIn, placeQuery } from "../engine/route.ts";
import { type Draft, draftOf } from "../engine/store/draft/draftConfig.ts";
import { draftQuery } from "../engine/store/draft/draftQuery.ts";
import type { RunFacts } from "../engine/store/runFacts.ts";
import type { Selection } from "../engine/store/selection.ts";
import { setupLink } from "../experiment/plan/address.ts";
import { baseOf, setupOf } from "../experiment/plan/setup.ts";
import { keptOf } from "../experiment/run/experiments.ts";
import { shapeOf } from "../experiment/shapes/index.ts";

/** The settings of a draft, never empty: a link without any would lead to whatever the page begins with. */
function settingsOf(catalog: Catalog, draft: Draft): URLSearchParams {
  const query = draftQuery(catalog, draft);
  return query.size > 0 ? query : new URLSearchParams({ preset: draft.presetId });
}

interface OnScreen {
  readonly hash: string;
  readonly catalog: Catalog;
  /** What the form describes. */
  readonly draft: Draft;
  readonly config: RunFacts["config"];
  readonly selection: Selection;
}

/** The hash of a link to what is on screen. */
export function linkHash({ hash, catalog, draft, config, selection }: OnScreen): string {
  const { screen, query } = parseRoute(hash);
  // The address of a lesson, a word or the screen of logs says all there is.
  if (screen === "learn" || screen === "words" || screen === "log" || screen === "open") return hash;
  // A link says how a run goes; the changes on its way belong to the run alone.
  const run = config && draftOf(catalog, { ...config, changes: [] });
  if (screen === "train") {
    // A step that is held is of the run, whatever the form is about by then.
    const { step, promptIndex } = selection;
    const isHeld = run !== null && step !== null;
    return hashOf(screen, isHeld ? placeQuery(screen, { step, promptIndex }, settingsOf(catalog, run)) : settingsOf(catalog, draft));
  }
  if (screen === "customize") return hashOf(screen, placeQuery(screen, placeIn(screen, query), settingsOf(catalog, draft)));
  if (screen === "time" || screen === "table")
    return hashOf(screen, placeQuery(screen, placeIn(screen, query), settingsOf(catalog, run ?? draft)));
  if (screen === "rollouts" || screen === "explain")
    return hashOf(screen, placeQuery(screen, selection, settingsOf(catalog, run ?? draft)));
  const setup = setupOf(screen === "sweep" ? screen : "compare");
  const kept = screen === "sweep" ? keptOf(query.get("id")) : undefined;
  const shared = shapeOf(setup.kind).setup === "branch" && config ? baseOf(catalog, { ...config, changes: [] }) : draft;
  return hashOf(screen, setupLink(catalog, setup, kept?.plan ?? null, shared));
}
