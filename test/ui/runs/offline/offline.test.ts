// When the page loads anew by itself: only for a newer build that takes over from an older one.
import { afterEach, expect, it, vi } from "vitest";

/** The browser's side of service workers, whose controller a test changes. */
class FakeContainer extends EventTarget {
  controller: object | null = null;
  register() {
    return Promise.resolve(Object.assign(new EventTarget(), { waiting: null, installing: null, update: async () => {} }));
  }
  become(controller: object | null): void {
    this.controller = controller;
    this.dispatchEvent(new Event("controllerchange"));
  }
}

async function opened(controller: object | null) {
  vi.useFakeTimers();
  const serviceWorker = Object.assign(new FakeContainer(), { controller });
  let reloads = 0;
  const location = { href: "http://lab/", reload: () => (reloads += 1) };
  vi.stubGlobal("navigator", { serviceWorker, userActivation: { hasBeenActive: true } });
  vi.stubGlobal("window", Object.assign(new EventTarget(), { location }));
  vi.stubGlobal("document", { baseURI: "http://lab/" });
  vi.stubGlobal("crossOriginIsolated", true);
  vi.resetModules();
  const { goOffline } = await import("../../../../src/ui/runs/offline/offline.ts");
  await goOffline();
  return { serviceWorker, reloads: () => reloads };
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

it("loads anew for a newer build, and not where the site's data are cleared and kept again", async () => {
  const { serviceWorker, reloads } = await opened({ build: 1 });
  serviceWorker.become(null);
  expect(reloads()).toBe(0);
  serviceWorker.become({ build: 1 });
  expect(reloads()).toBe(0);
  serviceWorker.become({ build: 2 });
  expect(reloads()).toBe(1);
});

it("stays as it is for the first build that it meets", async () => {
  const { serviceWorker, reloads } = await opened(null);
  serviceWorker.become({ build: 1 });
  expect(reloads()).toBe(0);
});
