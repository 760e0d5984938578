// Where the tour begins: it offers itself once, to whoever opens the page for the first time, and can be started again from the
// help and the palette.
import { useEffect } from "react";
import { engine } from "../../engine/client.ts";
import { goTo, parseRoute } from "../../engine/route.ts";
import { useEngine } from "../../engine/store/useRunView.ts";
import { startTour } from "../../kit/dialog/dialogStore.ts";
import { recall, remember } from "../../kit/remembered.ts";

const KEY = "rollout-lab-tour";
const SEEN = "seen";

/** Whether this is the first visit; remembered at once, and none where nothing can be remembered. */
function isFirstVisit(): boolean {
  if (recall(KEY) !== null) return false;
  remember(KEY, SEEN);
  return recall(KEY) === SEEN;
}

export function takeTour(): void {
  const { screen } = parseRoute(window.location.hash);
  if (screen !== "train") goTo("train");
  startTour();
}

/**
 * Starts the tour on the first visit, once the engine is up; not for whoever came by a link to another screen or has
 * saved runs, nor over a run that the server opens.
 */
export function useFirstTour(): void {
  const saves = useEngine((facts) => (facts.status === "ready" ? facts.saves : null));
  useEffect(() => {
    const isServed = document.querySelector('script[src$="run/open.js"]') !== null;
    if (saves === null || isServed || engine.view.facts.getState().runId !== null || parseRoute(window.location.hash).screen !== "train")
      return;
    if (isFirstVisit() && saves.length === 0) startTour();
  }, [saves]);
}
