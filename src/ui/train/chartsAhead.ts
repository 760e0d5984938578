// What shows a run loads with the first one, not with the page: its columns and their charts. While the page waits for someone to press Train
// they are fetched ahead. So are the Greek letters of the papers: when they come, the whole page is laid out again.
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
