// Keeps a race's set-up and the Compare screen's address equal: a link opens with its race set up, a choice
// shows in the address, and what cannot be used of an address is said.
import { useEffect } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import { parseRoute, replaceQuery, useHash } from "../../engine/route.ts";
import { useDraft } from "../../engine/store/draft/draftStore.ts";
import { raceFromQuery, raceQuery } from "./raceAddress.ts";
import { useRaceSetup } from "./setup/raceSetup.ts";

/** Ties address and set-up together; used once, by the Compare screen. */
export function useRaceAddress(catalog: Catalog | null): void {
  const hash = useHash();
  const setup = useRaceSetup();
  useEffect(() => {
    const { screen, query } = parseRoute(hash);
    if (!catalog || screen !== "compare") return;
    const current = raceQuery(catalog, useRaceSetup.getState());
    if (query.toString() === current.toString()) return;
    // A plain link to the screen keeps what was chosen.
    if (query.size === 0) return replaceQuery("compare", current);
    const { setup: read, problem } = raceFromQuery(catalog, query);
    useRaceSetup.setState(read, true);
    useDraft.setState({ addressProblem: problem });
  }, [hash, catalog]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is set up by now, which an address may just have changed
  useEffect(() => {
    if (!catalog || parseRoute(window.location.hash).screen !== "compare") return;
    const query = raceQuery(catalog, useRaceSetup.getState());
    // The address keeps the last race that can be used.
    if (raceFromQuery(catalog, query).problem === null) replaceQuery("compare", query);
  }, [setup, catalog]);
}
