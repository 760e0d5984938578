// The hash that counts for what is on the page, and so which screen stands there. Another screen is drawn in slices of a few milliseconds
// between other work, since a form with its fields and a dozen charts take longer than a frame. Until it is there the
// one before stays, with the address that it had: it would else be drawn once more for a place that is not its own.
import { createContext, startTransition, useContext, useEffect, useState, useSyncExternalStore } from "react";
import { parseRoute } from "../route.ts";

/** A run that tells of its steps begins the slices anew each time; after so long the screen is drawn in one piece. */
const LONGEST_WAIT_MS = 500;

/** The hash of the screen that stands on the page, for all that is on it; null outside of it, where the browser's counts. */
export const ShownHash = createContext<string | null>(null);

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

/** The current hash; redraws when it changes. Parse it with parseRoute. */
export function useHash(): string {
  const shown = useContext(ShownHash);
  return useSyncExternalStore(subscribe, () => shown ?? window.location.hash);
}

/** The hash for `ShownHash`: the browser's, and while another screen is being drawn the last one of the screen before. */
export function useShownHash(): string {
  const hash = useHash();
  const [shown, setShown] = useState(hash);
  const isThere = parseRoute(shown).screen === parseRoute(hash).screen;
  // Within a screen the address counts at once: a field whose text it holds must not lag behind what is typed.
  if (isThere && shown !== hash) setShown(hash);
  useEffect(() => {
    if (isThere) return;
    startTransition(() => setShown(hash));
    const timer = setTimeout(() => setShown(hash), LONGEST_WAIT_MS);
    return () => clearTimeout(timer);
  }, [hash, isThere]);
  return isThere ? hash : shown;
}
