// Checkpoints of saved runs as files of the browser: written beside their records, gone with them, left by no crash, and not
// missed where a browser has none.
import type { Page } from "@playwright/test";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { askEngine, openBeside } from "./engineBeside.ts";
import { engineIsUp, expect, openLab, reach, runToEnd, snapshot, TINY, testInEmptyPage as test, timeless } from "./lab.ts";

/** Weights of some 100 kB, of which every third step's are kept. */
const RUN: RunConfigInput = { ...TINY, hiddenSize: 32, layers: 2, intermediateSize: 64, steps: 9, checkpointEvery: 3 };

/** Names and sizes of the files that saved runs have in this browser; one that is removed while they are listed is not there. */
const filesHere = (page: Page) =>
  page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("saves", { create: true });
    const sizes: [string, number][] = [];
    for await (const [name, handle] of folder.entries()) {
      const file = await (handle as FileSystemFileHandle).getFile().catch((error: unknown) => {
        if (error instanceof DOMException && error.name === "NotFoundError") return null;
        throw error;
      });
      if (file) sizes.push([name, file.size]);
    }
    return sizes;
  });

const lastRun = (page: Page) => page.evaluate(async () => (await window.rolloutLab.saves())[0]!);

async function reopened(page: Page): Promise<void> {
  await page.reload();
  await engineIsUp(page);
}

test("checkpoints lie in files, forks begin at them to the bit, and deleting the run takes them along", async ({ page, baseURL }) => {
  await openBeside(page, `${baseURL}#/train`);
  const whole = await runToEnd(page, RUN);
  const files = await filesHere(page);
  expect(files.length).toBeGreaterThanOrEqual(9);
  expect(Math.min(...files.map(([, size]) => size))).toBeGreaterThanOrEqual(16 * 1024);
  await reopened(page);
  const { runId } = await lastRun(page);
  expect(await filesHere(page)).toHaveLength(files.length);
  await askEngine(page, { type: "fork", runId, step: 6, forkAs: "fork", paused: true });
  await page.evaluate(() => window.rolloutLab.resume().catch(() => {}));
  await reach(page, "finished");
  expect(timeless((await snapshot(page)).metrics)).toEqual(timeless(whole.metrics));
  await page.evaluate(() => window.rolloutLab.reset());
  expect(await filesHere(page)).toHaveLength(files.length);
  expect(await askEngine(page, { type: "delete-save", runId })).toBe("null");
  expect(await filesHere(page)).toEqual([]);
});

test("a file that a crash has left behind is gone once the page is opened again, and the run's own stay", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, RUN);
  const { runId } = await lastRun(page);
  const own = await filesHere(page);
  await page.evaluate(async (id) => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("saves");
    for (const name of [id, "run-of-nobody"]) {
      const writable = await (await folder.getFileHandle(`${name}~${crypto.randomUUID()}`, { create: true })).createWritable();
      await writable.write(new Uint8Array(1000));
      await writable.close();
    }
  }, runId);
  await reopened(page);
  await expect.poll(() => filesHere(page)).toEqual(own);
  await page.evaluate((id) => window.rolloutLab.continue(id), runId);
  expect((await snapshot(page)).step).toBe(9);
});

test("a browser without files for pages keeps the run in its database, and goes on with it once it has them", async ({ page, baseURL }) => {
  await openBeside(page, `${baseURL}#/train`);
  const refuse = () => {
    StorageManager.prototype.getDirectory = async () => {
      throw new DOMException("not in a private window", "SecurityError");
    };
  };
  await page
    .workers()
    .find((each) => each.url().includes("storeWorker-"))!
    .evaluate(refuse);
  await runToEnd(page, RUN);
  expect(await filesHere(page)).toEqual([]);
  await reopened(page);
  const { runId, step } = await lastRun(page);
  expect(step).toBe(9);
  await page.evaluate((id) => window.rolloutLab.continue(id), runId);
  await askEngine(page, { type: "set", settings: { steps: 12 } });
  await page.evaluate(() => window.rolloutLab.resume().catch(() => {}));
  await reach(page, "finished");
  const { metrics } = await snapshot(page);
  await page.evaluate(() => window.rolloutLab.stop());
  expect((await filesHere(page)).length).toBeGreaterThan(0);
  const whole = await runToEnd(page, { ...RUN, steps: 12 });
  expect(timeless(metrics)).toEqual(timeless(whole.metrics));
});
