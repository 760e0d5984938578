// Runs that are ended at random moments, in every way a run can end: none is lost, nothing that was told
// is, and each goes on to the same numbers, to the bit. A handful here; npm run test:kill makes more.
import type { Page } from "@playwright/test";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { profileFolder, startBrowser } from "./killing.ts";
import { engineIsUp, expect, reach, runToEnd, snapshot, start, TABLE, TINY, test, timeless } from "./lab.ts";

const TRIALS = Number(process.env.KILL_TRIALS ?? 6);
const SEED = Number(process.env.KILL_SEED ?? 1);

const KINDS = ["worker", "reload", "closed page", "killed browser", "killed in a pause", "killed in a save"] as const;
type Kind = (typeof KINDS)[number];
const RUNS: readonly (readonly [string, RunConfigInput])[] = [
  ["the table", { ...TABLE, steps: 2000, evalEvery: 100 }],
  ["the smallest transformer", { ...TINY, steps: 150, evalEvery: 40, evalProblems: 8, backend: "wasm" }],
];

/** Whole numbers below a limit, the same for the same seed (mulberry32). */
function dice(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}

async function open(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await engineIsUp(page);
}

const recordOf = async (page: Page) => {
  const { metrics, evaluations, baselines } = await snapshot(page);
  return { metrics: timeless(metrics), evaluations, baselines };
};

/** What a run comes to that nothing ends. */
const references = new Map<string, Awaited<ReturnType<typeof recordOf>>>();
async function reference(page: Page, url: string, name: string, config: RunConfigInput) {
  if (!references.has(name)) {
    await open(page, url);
    await runToEnd(page, { ...config, autosaveEvery: 0 });
    references.set(name, await recordOf(page));
  }
  return references.get(name)!;
}

// In one worker, which trains what they are compared with once.
test.describe.configure({ mode: "default", retries: 0 });

for (let trial = 0; trial < TRIALS; trial++) {
  const roll = dice(SEED * 1000 + trial);
  const kind: Kind = KINDS[trial % KINDS.length]!;
  const [name, config] = RUNS[(Math.floor(trial / KINDS.length) + trial) % RUNS.length]!;
  const waitMs = roll(1500);

  test(`trial ${trial}: ${name}, ${kind} after ${waitMs} ms`, async ({ page: plain, baseURL }) => {
    const url = `${baseURL}#/train`;
    const expected = await reference(plain, url, name, config);
    const profile = profileFolder();
    let browser = await startBrowser(profile.path);
    let { page } = browser;
    try {
      let told = 0;
      await page.exposeFunction("noteStep", (step: number) => {
        told = Math.max(told, step);
      });
      await open(page, url);
      await page.evaluate(() => {
        const { noteStep } = window as unknown as { noteStep(step: number): void };
        window.rolloutLab.on((event) => event.type === "steps" && noteStep(event.records.at(-1)?.step ?? 0));
      });
      const runId = await start(page, config);
      await page.waitForTimeout(waitMs);
      if (kind === "worker") await page.evaluate(() => window.rolloutLab.kill());
      if (kind === "worker" || kind === "reload") await page.reload();
      if (kind === "closed page") {
        const next = await browser.newPage();
        await page.close();
        page = next;
      }
      if (kind.startsWith("killed")) {
        const pausing = "() => void window.rolloutLab.pause()";
        const saving = "() => void window.dispatchEvent(new Event('pagehide'))";
        if (kind !== "killed browser") await page.evaluate(`(${kind === "killed in a pause" ? pausing : saving})()`);
        if (roll(2) === 1) await page.waitForTimeout(roll(30));
        await browser.kill();
        browser = await startBrowser(profile.path);
        ({ page } = browser);
      }
      if (kind !== "worker" && kind !== "reload") await page.goto(url);
      await engineIsUp(page);
      const saves = await page.evaluate(() => window.rolloutLab.saves());
      const save = saves.find((each) => each.runId === runId);
      if (told > 0) expect(save, "the run is there").toBeDefined();
      if (!save) return;
      expect(save.step, "nothing that was told is lost").toBeGreaterThanOrEqual(told);
      await page.evaluate((id) => window.rolloutLab.continue(id), runId);
      expect((await snapshot(page)).step).toBe(save.step);
      await page.evaluate(() => window.rolloutLab.resume().catch(() => {}));
      await reach(page, "finished");
      expect(await recordOf(page)).toEqual(expected);
      test.info().annotations.push({ type: "measured", description: `told ${told}, kept ${save.step}` });
    } finally {
      await browser.kill();
      profile.remove();
    }
  });
}
