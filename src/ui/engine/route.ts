// A tiny router: the screen and its state live in the hash ("#/rollouts?step=120"), so that every view
// can be linked to and served as one static page.
import { useSyncExternalStore } from "react";

export const SCREENS = ["train", "rollouts", "time", "explain", "learn", "runs", "compare", "sweep", "customize"] as const;
export type Screen = (typeof SCREENS)[number];

/** Screens with the run's controls; the others have runs of their own, and a second set of buttons would leave open which run they mean. */
export function showsRun(screen: Screen): boolean {
  return screen === "train" || screen === "customize" || isOfRun(screen);
}

/** Screens that edit the settings of a run to come, which their address says. */
export function editsSettings(screen: Screen): screen is "train" | "customize" {
  return screen === "train" || screen === "customize";
}

export interface Route {
  readonly screen: Screen;
  readonly query: URLSearchParams;
}

/** Whether a hash brings a recording (ui/runs/replay/replayLink.ts): what it says is no place of a screen. */
export const isReplayLink = (hash: string): boolean => hash.startsWith("#/replay?");

/** Reads a hash; anything unknown is the Train screen. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = isReplayLink(hash) ? [] : hash.replace(/^#\/?/, "").split("?", 2);
  return { screen: SCREENS.find((screen) => screen === path) ?? "train", query: new URLSearchParams(query) };
}

/** Whether a screen shows a place of the run, which its address names. */
export function isOfRun(screen: Screen): boolean {
  return screen === "rollouts" || screen === "time" || screen === "explain";
}

/** The hash of a screen with its query. */
export function hashOf(screen: Screen, query?: URLSearchParams): string {
  const text = query?.toString() ?? "";
  return text ? `#/${screen}?${text}` : `#/${screen}`;
}

/** Goes to a screen and leaves a step in the browser's history. */
export function goTo(screen: Screen, query?: URLSearchParams): void {
  window.location.hash = hashOf(screen, query);
}

/** Changes the query of the current screen without a step in the browser's history. */
export function replaceQuery(screen: Screen, query: URLSearchParams): void {
  const hash = hashOf(screen, query);
  if (hash === window.location.hash) return;
  window.history.replaceState(window.history.state, "", hash);
  window.dispatchEvent(new Event("hashchange"));
}

function subscribe(listener: () => void): () => void {
  window.addEventListener("hashchange", listener);
  return () => window.removeEventListener("hashchange", listener);
}

/** The current hash; redraws when it changes. Parse it with parseRoute. */
export function useHash(): string {
  return useSyncExternalStore(subscribe, () => window.location.hash);
}
