// The page's side of the service worker: it is registered once the page has been used for a moment, says when a newer build waits, and asks
// that to take over when somebody wants it.
import { engine } from "../../engine/client.ts";
import { useDialog } from "../../kit/dialog/dialogStore.ts";
import { ownFile } from "../replay/examples.ts";

const AGAIN_MS = 3_600_000;
const RELOADED = "rollout-lab-isolated";

/** On a host that sends no headers only the next load is isolated. It comes by itself where nobody has begun anything. */
function reloadIsolated(): void {
  const isUntouched = engine.view.facts.getState().runId === null && !navigator.userActivation?.hasBeenActive;
  if (crossOriginIsolated || !isUntouched || sessionStorage.getItem(RELOADED) !== null) return;
  sessionStorage.setItem(RELOADED, "once");
  window.location.reload();
}

function watch(registration: ServiceWorkerRegistration): void {
  // The first build that is ever met takes over by itself and is no newer one.
  const isNews = () => registration.waiting !== null && navigator.serviceWorker.controller !== null;
  const look = () => isNews() && useDialog.setState({ newer: { waiting: registration.waiting, otherTabs: null } });
  look();
  registration.addEventListener("updatefound", () => registration.installing?.addEventListener("statechange", look));
  setInterval(() => void registration.update().catch(() => {}), AGAIN_MS);
}

/** Registers the worker. A browser or a host that lets none in has the page as it is. */
export async function goOffline(): Promise<void> {
  const { serviceWorker } = navigator;
  serviceWorker.addEventListener("message", ({ data }: MessageEvent<{ readonly otherTabs?: number }>) => {
    const { otherTabs } = data;
    if (otherTabs !== undefined) useDialog.setState(({ newer }) => ({ newer: { ...newer, otherTabs } }));
  });
  let before = serviceWorker.controller;
  serviceWorker.addEventListener("controllerchange", () => {
    const now = serviceWorker.controller;
    // Where the site's data are cleared there is no controller any more, and no newer build that took over.
    if (before && now) window.location.reload();
    else if (now) reloadIsolated();
    before = now;
  });
  try {
    watch(await serviceWorker.register(ownFile("offline.js")));
  } catch (error) {
    console.info("The page is not kept for use without a connection:", error);
  }
}

/** Asks the newer build to take over; the page then loads anew. */
export function takeOver(): void {
  useDialog.getState().newer.waiting?.postMessage("take over");
}

export function dismissUpdate(): void {
  useDialog.setState({ newer: { waiting: null, otherTabs: null } });
}
