// Keeps a screen's set-up and its address equal: a link opens with its experiment set up or shown, a choice shows in the address, and
// what cannot be used of an address is said.
import { useEffect } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import type { ExperimentPlan } from "../../../protocol/run/experimentPlan.ts";
import { parseRoute, replaceQuery, useHash } from "../../engine/route.ts";
import type { Draft } from "../../engine/store/draft/draftConfig.ts";
import { useDraft } from "../../engine/store/draft/draftStore.ts";
import { SHAPES } from "../shapes/index.ts";
import type { Shape } from "../shapes/shape.ts";
import { setupFromQuery, setupQuery } from "./address.ts";
import { baseOf, newSetup, type Setup, setSetup, setupOf, useSetups } from "./setup.ts";

/** The shape in an experiment's id: "race-1a2b". */
const shapeIn = (id: string): Shape | undefined => SHAPES.find((shape) => shape.id === id.split("-")[0]);

/** The address of what a screen shows; that of a kept sweep alone hides its set-up. */
function shownQuery(catalog: Catalog, setup: Setup, screen: Shape["screen"]): URLSearchParams {
  return screen === "sweep" && setup.shown !== null ? new URLSearchParams({ id: setup.shown }) : setupQuery(catalog, setup);
}

/** Ties address and set-up together; used once, by each of the two screens. */
export function useSetupAddress(catalog: Catalog | null, screen: Shape["screen"]): void {
  const hash = useHash();
  const setup = useSetups((all) => all[screen]);
  useEffect(() => {
    const { screen: at, query } = parseRoute(hash);
    if (!catalog || at !== screen) return;
    const [id, now] = [query.get("id"), setupOf(screen)];
    if (query.toString() === shownQuery(catalog, now, screen).toString()) return;
    // A plain link keeps what was chosen; on a screen whose set-up a kept experiment hides it leads to the set-up.
    if (query.size === 0 && screen === "sweep") setSetup(screen, { shown: null });
    if (query.size === 0) return replaceQuery(screen, shownQuery(catalog, setupOf(screen), screen));
    if (query.size === 1 && id !== null) return setSetup(screen, { shown: id, kind: shapeIn(id)?.id ?? now.kind });
    const { setup: read, problem } = setupFromQuery(catalog, screen, query);
    // What is shown beside a set-up stays there.
    useSetups.setState({ [screen]: screen === "compare" ? { ...read, shown: read.shown ?? now.shown } : read });
    useDraft.setState({ addressProblem: problem });
  }, [hash, catalog, screen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is set up by now, which an address may just have changed
  useEffect(() => {
    if (!catalog || parseRoute(window.location.hash).screen !== screen) return;
    const query = shownQuery(catalog, setupOf(screen), screen);
    // The address keeps the last set-up that can be used.
    if (setupFromQuery(catalog, screen, query).problem === null) replaceQuery(screen, query);
  }, [setup, catalog, screen]);
}

/** The set-up that would make a plan again. */
export function setupOfPlan(catalog: Catalog, { shape, base, over, combinations, runs }: ExperimentPlan): Setup {
  const seeds = Math.max(1, ...combinations.map((_, place) => runs.filter(({ combination }) => combination === place).length));
  return { ...newSetup(SHAPES.find(({ id }) => id === shape) ?? shapeIn("sweep")!), base: baseOf(catalog, base), over, seeds };
}

/** A link to what a screen sets up or shows, which opens in any browser. @param plan of the kept experiment that hides the set-up */
export function setupLink(catalog: Catalog, setup: Setup, plan: ExperimentPlan | null, base: Draft): URLSearchParams {
  const own = plan ? setupOfPlan(catalog, plan) : setup;
  return setupQuery(catalog, { ...own, base: own.base ?? base, shown: null });
}
