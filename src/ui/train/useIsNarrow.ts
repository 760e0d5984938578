// Whether the page is too narrow for the configuration beside the charts.
import { useSyncExternalStore } from "react";

const NARROW = "(max-width: 899px)";

function subscribe(listener: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

/** Follows the width of the window. */
export function useIsNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia(NARROW).matches);
}
