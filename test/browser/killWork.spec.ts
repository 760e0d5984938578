// What people do with kept runs, ended at random moments and again: forking one and bringing one from a file. Afterwards every run is there whole or not at all, goes on to the same numbers
// and weights, to the bit, and the browser's storage holds nothing that no run names. Two here; npm run test:kill makes more.
import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import type { Page } from "@playwright/test";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { asTable, dice } from "../support/killedRuns.ts";
import { askEngine, openBeside } from "./engineBeside.ts";
import { ENDS, endBy, type KillableBrowser, profileFolder, startBrowser } from "./killing.ts";
import { expect, reach, runToEnd, snapshot, TINY, test, timeless } from "./lab.ts";

const TRIALS = Number(process.env.KILL_WORK ?? 2);
const SEED = Number(process.env.KILL_SEED ?? 1);
const FIRST = Number(process.env.KILL_FIRST ?? 0);
const KINDS = ["fork", "bring"] as const;

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
function strays(page: Page): Promise<readonly string[]> {
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

interface Reference {
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

let known: Reference | null = null;
async function reference(url: string): Promise<Reference> {
  if (known) return known;
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
  known = { profile, runId, base, fork, file: bytes, ms: { fork: forkMs, bring: bringMs } };
  return known;
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

interface Trial {
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

const rows: (readonly (string | number)[])[] = [];
test.describe.configure({ mode: "default", retries: 0 });
test.afterAll(() => {
  if (rows.length > 0) console.log(asTable([["trial", "what", "ended by", "outcome"], ...rows]));
  known?.profile.remove();
});

/** A trial's browser on a copy of a profile, ended and opened again as the trial says. */
async function withBrowser(trial: number, url: string, from: string | null, work: (trial: Trial) => Promise<void>): Promise<void> {
  const roll = dice(SEED * 4241 + trial);
  const profile = profileFolder();
  if (from !== null) cpSync(from, profile.path, { recursive: true, filter: (path) => !/Singleton/.test(path) });
  let browser: KillableBrowser = await startBrowser(profile.path);
  const ended: string[] = [];
  const end = async (waitMs: number) => {
    const kind = ENDS[roll(ENDS.length)]!;
    ended.push(`${kind}+${Math.round(waitMs)}`);
    await browser.page.waitForTimeout(waitMs);
    browser = await endBy(kind, browser, profile.path, roll(2) * roll(30));
    await openBeside(browser.page, url);
  };
  let outcome = "NOT EQUAL";
  try {
    await openBeside(browser.page, url);
    await work({ url, roll, page: () => browser.page, end });
    await openBeside(browser.page, url);
    await expect.poll(() => strays(browser.page), "storage is clean").toEqual([]);
    outcome = "equal, clean";
  } finally {
    rows.push([trial, KINDS[trial % KINDS.length]!, ended.join(" "), outcome]);
    await browser.kill();
    profile.remove();
  }
}

for (let trial = FIRST; trial < FIRST + TRIALS; trial++) {
  const what = KINDS[trial % KINDS.length]!;
  const kills = 1 + dice(SEED * 977 + trial)(3);
  test(`trial ${trial}: ${what}, ended ${kills} times`, async ({ baseURL }) => {
    test.setTimeout(300_000);
    const made = await reference(`${baseURL}#/train`);
    const tries = { fork: tryFork, bring: tryBring };
    await withBrowser(trial, `${baseURL}#/train`, made.profile.path, (given) => tries[what](given, made, kills));
  });
}
