// The service worker: the page opens without a connection after the first visit, from the files of one build. Those that every visit needs
// are fetched when the build is first met; checkpoints, examples and the kernels of TensorFlow.js when they are first
// used. A newer build waits until it is told to take over, and does so only where no second tab still runs the old one,
// so that no page ever gets parts of two builds. To every answer of this origin it adds the headers without which
// browsers share no memory, so that threads work on a host that sends none.
import { addPlugins, cleanupOutdatedCaches, matchPrecache, precacheAndRoute } from "workbox-precaching";
import { registerRoute } from "workbox-routing";
import { CacheFirst, NetworkOnly } from "workbox-strategies";
import { isolated, mayKeep, type Scope, type WorkerEvent } from "./scope.ts";

const worker = self as unknown as Scope;
const { build, first, used } = worker.offlineFiles;
const { scope } = worker.registration;

const plugins = [
  {
    handlerWillRespond: async ({ response }: { readonly response: Response }) => isolated(response),
    cacheWillUpdate: async ({ request, response }: { readonly request: Request; readonly response: Response }) =>
      mayKeep(request.url, response) ? response : null,
  },
];

const keptPage = () => matchPrecache("index.html");

/**
 * The page as it was kept, or another one of the build, such as a report beside it. One with a question in its address,
 * a figure or a run that a server opens, is the server's first, and so is whatever else lies below the same address.
 */
async function pageFor(request: Request): Promise<Response> {
  const { search, pathname } = new URL(request.url);
  const isPage = pathname === new URL(scope).pathname;
  const kept =
    search !== "" ? undefined : isPage ? await keptPage() : await matchPrecache(`${pathname}${pathname.endsWith("/") ? "index.html" : ""}`);
  const page = kept ?? (await fetch(request).catch(keptPage));
  if (!page) throw new Error("the page is neither kept nor can it be fetched");
  return isolated(page);
}

addPlugins(plugins);
registerRoute(
  ({ request, url }) => request.mode === "navigate" && url.href.startsWith(scope),
  ({ request }) => pageFor(request),
);
precacheAndRoute([...first], { cleanURLs: false });
const seldom = new Set(used.map((path) => new URL(path, scope).pathname));
const cacheName = `rollout-lab-used-${build}`;
registerRoute(({ url, sameOrigin }) => sameOrigin && seldom.has(url.pathname), new CacheFirst({ cacheName, plugins }));
registerRoute(({ sameOrigin }) => sameOrigin, new NetworkOnly({ plugins }));
cleanupOutdatedCaches();

/** What an earlier build has used is no part of this one. */
async function removeUsed(): Promise<void> {
  const names = await caches.keys();
  const old = names.filter((name) => name.startsWith("rollout-lab-used-") && name !== cacheName);
  await Promise.all(old.map((name) => caches.delete(name)));
}
worker.addEventListener("activate", (event) => {
  // Not waited for: Firefox takes a page over once its threads have answered, and kernel threads sleep through it. Whatever the page
  // asks for would wait with this worker.
  void worker.clients.claim();
  event.waitUntil(removeUsed());
});

/** Takes over from the build before where one tab is left, which then loads anew; else tells how many others there are. */
async function takeOver({ source }: WorkerEvent): Promise<void> {
  const tabs = await worker.clients.matchAll({ type: "window", includeUncontrolled: true });
  const otherTabs = tabs.filter(({ url }) => url.startsWith(scope)).length - 1;
  if (otherTabs > 0) source.postMessage({ otherTabs });
  else await worker.skipWaiting();
}
worker.addEventListener("message", (event) => {
  if (event.data === "take over") event.waitUntil(takeOver(event));
});
