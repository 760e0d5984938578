// What people do with kept runs, for killWork.spec.ts to end in its midst: forking one, bringing one from a file, deleting one and
// taking that back, and sweeping. Afterwards every run is there whole or not at all, and goes on to the same numbers and weights, to the bit.
import { createHash } from "node:crypto";
import type { Page } from "@playwright/test";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { askEngine, openBeside } from "./engineBeside.ts";
import { profileFolder, startBrowser } from "./killing.ts";
import { button, engineIsUp, expect, reach, runToEnd, snapshot, TINY, timeless } from "./lab.ts";

/** Weights that lie in files, some of them kept on the way. */
const BASE: RunConfigInput = { ...TINY, hiddenSize: 32, layers: 2, intermediateSize: 64, steps: 30, checkpointEvery: 10, autosaveEvery: 1 };
const FORK = { step: 15, settings: { learningRate: 0.01, steps: 60 } } as const;

const digest = (text: string) => createHash("sha256").update(text).digest("hex");

/** All that a run on screen is held to. */
async function recordOf(page: Page) {
  const { metrics, config } = await snapshot(page);
  return { metrics: timeless(metrics), config, weights: digest(await askEngine(page, { type: "export-model" })) };
}
type Held = Awaited<ReturnType<typeof recordOf>>;

const savesOf = (page: Page) => page.evaluate(() => window.rolloutLab.saves());

/** Puts a kept run on screen and takes what is left of its steps. */
async function finished(page: Page, runId: string): Promise<Held> {
  await page.evaluate((id) => window.rolloutLab.continue(id), runId);
  await page.evaluate(() => window.rolloutLab.resume().catch(() => {}));
  await reach(page, "finished");
  return recordOf(page);
}

/** What the browser keeps of runs that no run names, and what a run names that is not kept. */
export function strays(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const opening = indexedDB.open("rollout-lab");
      opening.onsuccess = () => resolve(opening.result);
      opening.onerror = () => reject(opening.error);
    });
    const all = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
      });
    const stores = database.transaction(["runs", "files"]);
    const rows: { runId: string; arrays?: Record<string, { file: string }> }[] = await all(stores.objectStore("runs").getAll());
    const keys = (await all(stores.objectStore("files").getAllKeys())) as [string, string][];
    database.close();
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("saves", { create: true });
    const named = new Set(rows.flatMap(({ arrays }) => Object.values(arrays ?? {}).map(({ file }) => file)));
    const loose: string[] = keys.filter(([runId]) => !rows.some((row) => row.runId === runId)).map((key) => `record ${key.join("/")}`);
    for await (const file of folder.keys()) if (!named.delete(file)) loose.push(`file ${file}`);
    return [...loose, ...[...named].map((file) => `missing ${file}`)];
  });
}

export interface Reference {
  /** A browser's folder in which the base run is kept. */
  readonly profile: ReturnType<typeof profileFolder>;
  readonly runId: string;
  readonly base: Held;
  readonly fork: Held;
  /** The base run as one file, in base64. */
  readonly file: string;
  /** How long each takes that nothing ends. */
  readonly ms: Readonly<Record<"fork" | "bring", number>>;
}

async function timed<T>(work: () => Promise<T>): Promise<[T, number]> {
  const begun = performance.now();
  return [await work(), performance.now() - begun];
}

/** The base run, and what becomes of it where nothing ends. */
export async function reference(url: string): Promise<Reference> {
  const profile = profileFolder();
  const browser = await startBrowser(profile.path);
  const { page } = browser;
  await openBeside(page, url);
  await runToEnd(page, BASE);
  const base = await recordOf(page);
  const { runId } = (await savesOf(page))[0]!;
  const [fork, forkMs] = await timed(async () => {
    await askEngine(page, { type: "fork", runId, ...FORK, forkAs: "the-fork" });
    await reach(page, "finished");
    return recordOf(page);
  });
  await page.evaluate(() => window.rolloutLab.reset());
  const { bytes } = JSON.parse(await askEngine(page, { type: "read-save", runId })) as { readonly bytes: string };
  await askEngine(page, { type: "delete-save", runId });
  const [added, bringMs] = await timed(() => bring(page, bytes, true));
  expect(added).toContain(runId);
  expect(await strays(page)).toEqual([]);
  await browser.kill();
  return { profile, runId, base, fork, file: bytes, ms: { fork: forkMs, bring: bringMs } };
}

const bring = (page: Page, bytes: string, isWaited: boolean) =>
  page
    .evaluate((text) => void Object.assign(window, { brought: Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)) }), bytes)
    .then(() =>
      page.evaluate((waits) => {
        const files = [{ name: "base.rollout-lab", bytes: (window as unknown as { brought: Uint8Array }).brought }];
        const { theEngine } = window as unknown as { theEngine: Worker };
        return new Promise<string>((resolve) => {
          const stop = window.rolloutLab.on((event) => {
            if (event.type !== "answer" || event.id !== 77) return;
            stop();
            resolve(JSON.stringify(event.outcome === "done" ? event.result : event.message));
          });
          theEngine.postMessage({ type: "add-save", id: 77, files });
          if (!waits) resolve("");
        });
      }, isWaited),
    );

export interface Trial {
  readonly url: string;
  readonly roll: (limit: number) => number;
  /** The page as it is now. */
  page(): Page;
  /** Ends it after so long, and opens it anew. */
  end(waitMs: number): Promise<void>;
}

/** A fork is there as far as it was told, and the run it left as it was. */
async function tryFork({ page, end, roll }: Trial, { runId, base, fork, ms }: Reference, kills: number): Promise<void> {
  for (let times = 0; times < kills; times++) {
    const isThere = (await savesOf(page())).some((save) => save.runId === "the-fork");
    if (isThere)
      await page().evaluate(() => window.rolloutLab.continue("the-fork").then(() => void window.rolloutLab.resume().catch(() => {})));
    else await askEngine(page(), { type: "fork", runId, ...FORK, forkAs: "the-fork" }, false);
    await page().waitForTimeout((ms.fork * roll(110)) / 100 / kills);
    const { step, runId: here } = await snapshot(page());
    await end(0);
    const kept = (await savesOf(page())).find((save) => save.runId === "the-fork");
    if (here === "the-fork" && step > FORK.step) expect(kept?.step ?? 0, "nothing that was told is lost").toBeGreaterThanOrEqual(step);
  }
  if (!(await savesOf(page())).some((save) => save.runId === "the-fork"))
    await askEngine(page(), { type: "fork", runId, ...FORK, forkAs: "the-fork" });
  expect(await finished(page(), "the-fork")).toEqual(fork);
  expect(await finished(page(), runId)).toEqual(base);
}

/** A run that was brought is there whole or not at all, and once it is brought again it is there once. */
async function tryBring({ page, end, roll }: Trial, { runId, base, file, ms }: Reference, kills: number): Promise<void> {
  await askEngine(page(), { type: "delete-save", runId });
  for (let times = 0; times < kills; times++) {
    await bring(page(), file, false);
    await end((ms.bring * roll(110)) / 100);
    for (const save of await savesOf(page())) expect(await finished(page(), save.runId)).toEqual(base);
  }
  await bring(page(), file, true);
  expect((await savesOf(page())).map((save) => save.runId)).toEqual([runId]);
  expect(await finished(page(), runId)).toEqual(base);
}

/** How long a deletion can be undone. */
const UNDO_MS = 8_000;

/** A run whose deletion can still be undone is untouched, whatever ends the page; one that is being deleted is there whole or not at all. */
async function tryDelete({ page, end, roll }: Trial, { runId, base, file }: Reference, kills: number): Promise<void> {
  for (let times = 0; times < kills; times++) {
    if ((await savesOf(page())).length === 0) await bring(page(), file, true);
    // The run on screen cannot be deleted from the table.
    await page().goto(`${new URL(page().url()).origin}/#/runs`);
    await page().reload();
    await engineIsUp(page());
    const begun = performance.now();
    await page()
      .getByRole("button", { name: /^What to do with / })
      .click();
    await page().getByRole("menuitem", { name: "Delete", exact: true }).click();
    const isUndone = roll(3) === 0;
    if (isUndone) await button(page(), "Undo").click();
    await end(isUndone ? roll(300) : (UNDO_MS * roll(120)) / 100);
    const isSoon = performance.now() - begun < UNDO_MS;
    const saves = await savesOf(page());
    if (isUndone || isSoon) expect(saves.map((save) => save.runId)).toEqual([runId]);
    for (const save of saves) expect(await finished(page(), save.runId)).toEqual(base);
  }
}

const SWEEP = "#/sweep?preset=digit-sum-table&steps=2000&evalEvery=0&over=learningRate:0.2,1&seeds=2";

/** Runs of a sweep go on from where each stands, and come to what each comes to by itself. */
async function trySweep({ url, page, end, roll }: Trial, { runId }: Reference, kills: number): Promise<void> {
  const said = () => page().locator(".race-controls [role=status]");
  const open = (hash: string) => page().evaluate((to) => location.assign(to), hash);
  let address = SWEEP;
  for (let times = 0; times <= kills; times++) {
    await open(address);
    const start = button(page(), "Start the sweep").or(button(page(), "Go on"));
    await expect(start.or(said().filter({ hasText: "Finished" })).first()).toBeVisible();
    if ((await start.count()) > 0) await start.click();
    if (times === kills) break;
    await page().waitForTimeout(roll(3_000));
    const hash = new URL(page().url()).hash;
    await end(0);
    if (hash.includes("id=")) address = hash;
  }
  await expect(said()).toHaveText("Finished: 4 runs", { timeout: 120_000 });
  const saves = (await savesOf(page())).filter((save) => save.runId !== runId);
  expect(saves.map(({ step }) => step)).toEqual([2000, 2000, 2000, 2000]);
  await openBeside(page(), url);
  for (const { runId: id, config } of saves) {
    await page().evaluate((given) => window.rolloutLab.continue(given), id);
    const swept = timeless((await snapshot(page())).metrics);
    await page().evaluate(() => window.rolloutLab.reset());
    const alone = await runToEnd(page(), config!);
    expect(swept).toEqual(timeless(alone.metrics));
    await page().evaluate(() => window.rolloutLab.reset());
  }
}

/** What is tried, in turn. */
export const WORK = [
  ["fork", tryFork],
  ["bring", tryBring],
  ["delete", tryDelete],
  ["sweep", trySweep],
] as const;
