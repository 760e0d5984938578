// Saved runs in the browser's own IndexedDB. The store is bundled alone and called from a page.
import type { Page } from "@playwright/test";
import { build } from "vite";
import { runConfigSchema } from "../../src/protocol/config.ts";
import type { openRunStore } from "../../workers/runStore.ts";
import { expect, test } from "./lab.ts";

/** What the bundled module exports. */
interface StoreModule {
  readonly openRunStore: typeof openRunStore;
}

const MODULE = "/run-store-under-test.js";
let code = "";

test.beforeAll(async () => {
  const built = await build({
    configFile: false,
    logLevel: "error",
    build: { write: false, lib: { entry: "workers/runStore.ts", formats: ["es"], fileName: "runStore" } },
  });
  const [bundle] = [built].flat();
  if (!bundle || !("output" in bundle)) throw new Error("the store was not bundled");
  code = bundle.output[0].code;
});

/** A blank page of the site, which can import the store. */
async function openBlank(page: Page): Promise<void> {
  await page.route(`**${MODULE}`, (route) => route.fulfill({ contentType: "text/javascript", body: code }));
  await page.route("**/blank", (route) => route.fulfill({ contentType: "text/html", body: "<!doctype html><title>blank</title>" }));
  await page.goto("/blank");
}

const config = runConfigSchema.parse({});

/** Saves runs one after the other; the bytes of run n are n times n. Their savedAt is the number given. */
async function save(page: Page, runs: readonly { readonly runId: string; readonly savedAt: number; readonly step?: number }[]) {
  await page.evaluate(
    async ({ url, runs, config }) => {
      const store = await ((await import(url)) as StoreModule).openRunStore();
      for (const { runId, savedAt, step = 0 } of runs)
        await store?.save({ runId, step, config, savedAt, bytes: new Uint8Array(savedAt).fill(savedAt) });
    },
    { url: MODULE, runs, config },
  );
}

const list = (page: Page) =>
  page.evaluate(async (url) => (await ((await import(url)) as StoreModule).openRunStore())?.list() ?? null, MODULE);

const bytesOf = (page: Page, runId: string) =>
  page.evaluate(
    async ({ url, runId }) => {
      const run = await (await ((await import(url)) as StoreModule).openRunStore())?.load(runId);
      return run ? { ...run, bytes: Array.from(run.bytes) } : null;
    },
    { url: MODULE, runId },
  );

test("saved runs come back to the byte, in a list with the newest first and without their bytes", async ({ page }) => {
  await openBlank(page);
  expect(await list(page)).toEqual([]);
  await save(page, [
    { runId: "a", savedAt: 2 },
    { runId: "b", savedAt: 3, step: 7 },
    { runId: "c", savedAt: 1 },
  ]);
  await page.reload();
  expect(await list(page)).toEqual([
    { runId: "b", step: 7, config, savedAt: 3 },
    { runId: "a", step: 0, config, savedAt: 2 },
    { runId: "c", step: 0, config, savedAt: 1 },
  ]);
  expect(await bytesOf(page, "b")).toEqual({ runId: "b", step: 7, config, savedAt: 3, bytes: [3, 3, 3] });
  expect(await bytesOf(page, "unknown")).toBeNull();
});

test("a run saved again takes the place of its older save", async ({ page }) => {
  await openBlank(page);
  await save(page, [
    { runId: "a", savedAt: 1 },
    { runId: "b", savedAt: 2 },
    { runId: "a", savedAt: 3, step: 9 },
  ]);
  expect((await list(page))?.map(({ runId, step }) => [runId, step])).toEqual([
    ["a", 9],
    ["b", 0],
  ]);
  expect((await bytesOf(page, "a"))?.bytes).toEqual([3, 3, 3]);
});

test("only the five newest runs are kept, and nothing of the others", async ({ page }) => {
  await openBlank(page);
  await save(
    page,
    [4, 7, 1, 6, 3, 5, 2].map((savedAt) => ({ runId: `run ${savedAt}`, savedAt })),
  );
  expect((await list(page))?.map(({ savedAt }) => savedAt)).toEqual([7, 6, 5, 4, 3]);
  for (const dropped of ["run 1", "run 2"]) expect(await bytesOf(page, dropped)).toBeNull();
  const keys = await page.evaluate(
    () =>
      new Promise((resolve, reject) => {
        const opening = indexedDB.open("rollout-lab");
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
          const asking = opening.result.transaction("bytes").objectStore("bytes").getAllKeys();
          asking.onsuccess = () => resolve(asking.result);
        };
      }),
  );
  expect(keys).toEqual(["run 3", "run 4", "run 5", "run 6", "run 7"]);
});

test("a removed run is gone, and the others stay", async ({ page }) => {
  await openBlank(page);
  await save(page, [
    { runId: "a", savedAt: 1 },
    { runId: "b", savedAt: 2 },
  ]);
  await page.evaluate(async (url) => (await ((await import(url)) as StoreModule).openRunStore())?.remove("a"), MODULE);
  expect((await list(page))?.map(({ runId }) => runId)).toEqual(["b"]);
  expect(await bytesOf(page, "a")).toBeNull();
});

test("there is no store where the browser refuses storage", async ({ page }) => {
  await openBlank(page);
  await page.evaluate(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException("storage is off", "SecurityError");
    };
  });
  expect(await list(page)).toBeNull();
});
