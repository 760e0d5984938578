// Fetches ahead, while the page waits for somebody to press Train, what only a run needs: its columns, their charts, and
// the Greek letters of the font, whose late arrival would lay out the whole page again.
import { useEffect } from "react";
import { useEngine } from "../engine/store/useRunView.ts";
import { lazyPart } from "../kit/lazyPart.tsx";

export const RunColumns = lazyPart(() => import("./RunColumns.tsx"), "RunColumns");

async function prepareCharts(): Promise<void> {
  try {
    await document.fonts.load(`1rem ${getComputedStyle(document.body).fontFamily}`, "β");
    await RunColumns.load();
    const { Charts } = await import("./RunColumns.tsx");
    await Charts.load();
  } catch {
    // Asked for again, and told, when a plot is due.
  }
}

/** Calls back once nothing else is to be done; returns how to cancel. */
function whenIdle(act: () => void): () => void {
  if (typeof requestIdleCallback === "undefined") {
    const timer = setTimeout(act, 1000);
    return () => clearTimeout(timer);
  }
  const handle = requestIdleCallback(act);
  return () => cancelIdleCallback(handle);
}

export function useChartsAhead(): void {
  const isUp = useEngine((facts) => facts.status === "ready");
  useEffect(() => (isUp ? whenIdle(() => void prepareCharts()) : undefined), [isUp]);
}
