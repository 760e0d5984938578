// A library of many runs in the browser, one of them very long: how long the page takes to open, to show the screen Runs, to
// search, to open the long run and to delete one, and which tasks of the page's thread took 50 ms or more meanwhile. The long run
// is trained there; the others are copies of a short one under names of their own, put into the browser's storage at once.
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import { projectRoot } from "../scripts/environment.mjs";
import { serve } from "../scripts/serve.mjs";
import { browserFlags, findBrowser } from "../scripts/testing/browser.mjs";
import { encodeLabel } from "../src/protocol/run/runLabel.ts";
import { renamedSave } from "../src/train/save/importedSave.ts";
import { unpackFiles } from "../src/train/save/rollout/packedFiles.ts";

const RUNS = 500;
const LONG_STEPS = 100_000;
const TABLE = { task: "digit-sum", algorithm: "grpo", model: "tabular", promptsPerStep: 1, groupSize: 2, evalEvery: 0 } as const;

/** Tasks of the page's thread since it was last asked, in milliseconds. */
const WATCH = `window.longTasks = [];
new PerformanceObserver((list) => { for (const { duration } of list.getEntries()) window.longTasks.push(Math.round(duration)); }).observe({ type: "longtask", buffered: true });
window.Worker = class extends Worker {
  constructor(...given) {
    super(...given);
    if (given[1]?.name === "trainer") window.theEngine ??= this;
  }
}`;

const longTasks = (page: Page) =>
  page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks.splice(0).sort((a, b) => b - a));

/** What the page's engine has told: a snapshot copies every record, which on a long run is the longest task of all. */
interface Heard {
  step: number;
  state: string;
  isRecording: boolean;
}

/** Waits until the engine is up, and hears what it tells from then on. */
async function idle(page: Page): Promise<void> {
  await page.waitForFunction(() => ["ready", "quiet"].includes(window.rolloutLab?.snapshot().engine ?? ""), null, { timeout: 120_000 });
  await page.evaluate(() => {
    const heard: Heard = { step: 0, state: "idle", isRecording: false };
    Object.assign(window, { heard });
    window.rolloutLab.on((event) => {
      if (event.type === "started") Object.assign(heard, { step: event.step, isRecording: event.recording !== undefined });
      else if (event.type === "steps" || event.type === "history")
        heard.step = (event.type === "steps" ? event.records : event.steps).at(-1)?.step ?? 0;
      else if (event.type === "state") heard.state = event.state;
    });
  });
}

/** Waits until that has been told. */
async function told(page: Page, wanted: Partial<Heard>): Promise<void> {
  await page.waitForFunction(
    (all) => Object.entries(all).every(([key, value]) => (window as unknown as { heard: Record<string, unknown> }).heard[key] === value),
    wanted,
    { timeout: 1_800_000 },
  );
}

async function train(page: Page, steps: number): Promise<void> {
  await page.evaluate((config) => window.rolloutLab.start(config), { ...TABLE, steps });
  await told(page, { state: "finished", step: steps });
}

/** The save of the page's newest run as bytes. */
function download(page: Page, runId: string): Promise<readonly number[]> {
  return page.evaluate(
    (id) =>
      new Promise<readonly number[]>((resolve) => {
        const stop = window.rolloutLab.on((event) => {
          if (event.type !== "answer" || event.id !== 99 || event.outcome !== "done") return;
          stop();
          resolve(Array.from((event.result as { bytes: Uint8Array }).bytes));
        });
        (window as unknown as { theEngine: Worker }).theEngine.postMessage({ type: "read-save", id: 99, runId: id });
      }),
    runId,
  );
}

interface Copy {
  readonly runId: string;
  readonly summary: unknown;
  readonly files: readonly (readonly [string, string])[];
}

function store(page: Page, copies: readonly Copy[]): Promise<void> {
  return page.evaluate(async (all) => {
    const opening = indexedDB.open("rollout-lab");
    const database = await new Promise<IDBDatabase>((resolve) => {
      opening.onsuccess = () => resolve(opening.result);
    });
    const transaction = database.transaction(["runs", "files"], "readwrite");
    for (const { runId, summary, files } of all) {
      transaction.objectStore("runs").put({ runId, revision: 1, summary });
      for (const [name, text] of files)
        transaction.objectStore("files").put(
          Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)),
          [runId, name],
        );
    }
    await new Promise((resolve) => {
      transaction.oncomplete = resolve;
    });
    database.close();
  }, copies);
}

async function fill(page: Page): Promise<void> {
  await train(page, 20);
  await page.evaluate(() => window.rolloutLab.stop());
  const [row] = await page.evaluate(() => window.rolloutLab.saves());
  if (!row) throw new Error("internal: the short run was not saved");
  const files = unpackFiles(Uint8Array.from(await download(page, row.runId)));
  const { step, savedAt, bytes, digest } = row;
  for (let from = 1; from < RUNS - 1; from += 50) {
    const copies = Array.from({ length: Math.min(50, RUNS - 1 - from) }, (_, i): Copy => {
      const runId = `copy-${from + i}`;
      const label = encodeLabel({ name: `Copy number ${from + i}`, tags: [`tag ${(from + i) % 7}`] });
      const put = [...renamedSave(files, runId), ["label", label] as const];
      const summary = { runId, step, savedAt: savedAt - 1000 * (from + i), bytes, digest };
      return { runId, summary, files: put.map(([name, content]) => [name, Buffer.from(content).toString("base64")] as const) };
    });
    await store(page, copies);
  }
}

/** Does something on the page; how long it took and the longest tasks of its thread meanwhile. */
async function measured(page: Page, what: string, work: () => Promise<unknown>): Promise<string> {
  await page.waitForTimeout(1_500);
  await longTasks(page);
  const begun = performance.now();
  await work();
  const ms = performance.now() - begun;
  await page.waitForTimeout(1_500);
  const tasks = await longTasks(page);
  return `| ${what} | ${Math.round(ms)} | ${tasks.length === 0 ? "none" : `${tasks.length}, longest ${tasks[0]} ms`} |`;
}

const heapMegabytes = async (page: Page) => {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  const { usedSize } = await session.send("Runtime.getHeapUsage");
  await session.detach();
  return `${(usedSize / 1e6).toFixed(0)} MB`;
};

/** Measures and gives the table as text. */
export async function measureLibrary(longSteps = LONG_STEPS): Promise<string> {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error("no Chrome, Chromium or Edge was found (set CHROME_PATH)");
  const server = await serve({ port: 4389, host: "localhost", folder: join(projectRoot, "dist") });
  const browser = await chromium.launch({ executablePath, args: [...browserFlags] });
  try {
    const page = await (await browser.newContext({ serviceWorkers: "block" })).newPage();
    await page.addInitScript(WATCH);
    const open = async (hash: string) => {
      await page.goto("about:blank");
      await page.goto(`${server.url}${hash}`);
      await idle(page);
    };
    await open("#/train");
    const before = await heapMegabytes(page);
    await fill(page);
    const lines: string[] = [];
    lines.push(await measured(page, `train ${longSteps} steps of a table`, () => train(page, longSteps)));
    const trained = await heapMegabytes(page);
    await page.evaluate(() => window.rolloutLab.stop());
    const { runId: long } = (await page.evaluate(() => window.rolloutLab.saves()))[0]!;
    await open("#/train");
    lines.push(await measured(page, "open the page", () => open("#/train")));
    lines.push(
      await measured(page, "open Runs", async () => {
        await page.evaluate(() => void location.assign("#/runs"));
        await page.getByText(`${RUNS} runs`, { exact: true }).first().waitFor();
        await page.locator(".runs-table tbody tr").nth(24).waitFor();
      }),
    );
    const search = page.getByRole("searchbox");
    lines.push(
      await measured(page, "search, 14 keys", async () => {
        await search.pressSequentially("Copy number 31");
        await page.getByText(/^\d+ of \d+ runs$/).waitFor();
      }),
    );
    await search.fill("");
    lines.push(
      await measured(page, "delete one, till it is gone from the list", async () => {
        const row = page.locator(".runs-table tbody tr", { hasText: "Copy number 5" }).first();
        await row.getByRole("checkbox").check();
        await page.getByRole("button", { name: "Delete 1", exact: true }).click();
        await page
          .getByText(`${RUNS - 1} runs`, { exact: true })
          .first()
          .waitFor();
      }),
    );
    await page.waitForTimeout(9_000);
    const runs = await heapMegabytes(page);
    lines.push(
      await measured(page, "open the long run", async () => {
        await page.evaluate((id) => void location.assign(`#/runs?run=${id}`), long);
        await page.getByRole("complementary").getByRole("button", { name: "Open", exact: true }).click();
        await told(page, { isRecording: true });
      }),
    );
    lines.push(
      await measured(page, "go to its last step", async () => {
        await page.getByRole("slider", { name: "Step of the recording" }).press("End");
        await told(page, { step: longSteps });
      }),
    );
    const opened = await heapMegabytes(page);
    return [
      `| ${RUNS} runs, one of ${longSteps} steps | ms | tasks of 50 ms and more |`,
      "|---|---|---|",
      ...lines,
      "",
      `The page's heap: ${before} empty, ${trained} once the long run was trained, ${runs} with the list, ${opened} with the long run open.`,
    ].join("\n");
  } finally {
    await browser.close();
    server.close();
  }
}
