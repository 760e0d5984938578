// Runs that are ended while every core is held at 100 %, by the run's own kernel threads and by programs beside it: whatever
// ends one, its save has every step but the one in flight. Adapters beside the lab's own model and conversations
// of three turns with tools, or a pretrained model (KILL_MODEL). In the long run; npm run test:kill makes more.
import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import type { Page } from "@playwright/test";
import { asTable, BUSY_RUNS, dice } from "../support/killedRuns.ts";
import { tries } from "../support/long.ts";
import { openBeside } from "./engineBeside.ts";
import { ENDS, endBy, profileFolder, startBrowser } from "./killing.ts";
import { expect, test } from "./lab.ts";

const TRIALS = Number(process.env.KILL_BUSY ?? tries(0, 2));
const SEED = Number(process.env.KILL_SEED ?? 1);
const FIRST = Number(process.env.KILL_FIRST ?? 0);

/** Programs that do nothing but count, one for each core. */
function holdCores(): readonly ChildProcess[] {
  return Array.from({ length: availableParallelism() }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
}

/** Notes, outside the page, in which step its run is: the steps before it are over. */
async function noteSteps(page: Page, note: (step: number) => void): Promise<void> {
  await page.exposeFunction("noteStep", note);
  await page.evaluate(() => {
    const { noteStep } = window as unknown as { noteStep(step: number): void };
    window.rolloutLab.on((event) => event.type === "phase" && event.phase !== "evaluate" && noteStep(event.step));
  });
}

const rows: (readonly (string | number)[])[] = [];
test.describe.configure({ mode: "default", retries: 0 });
let busy: readonly ChildProcess[] = [];
test.beforeAll(() => {
  busy = holdCores();
});
test.afterAll(() => {
  for (const child of busy) child.kill("SIGKILL");
  if (rows.length > 0) console.log(asTable([["trial", "run", "ended by", "after ms", "in step", "kept"], ...rows]));
});

for (let trial = FIRST; trial < FIRST + TRIALS; trial++) {
  const roll = dice(SEED * 6007 + trial);
  const kind = ENDS[(trial >> 1) % ENDS.length]!;
  const [name, config, mostMs] = BUSY_RUNS[trial % BUSY_RUNS.length]!;
  const waitMs = roll(mostMs);

  test(`trial ${trial}: ${name}, ${kind}, on busy cores`, async ({ baseURL }) => {
    test.setTimeout(600_000);
    const url = `${baseURL}#/train`;
    const profile = profileFolder();
    let browser = await startBrowser(profile.path);
    const row: (string | number)[] = [trial, name, kind, waitMs];
    rows.push(row);
    try {
      let step = 0;
      await openBeside(browser.page, url);
      await noteSteps(browser.page, (now) => {
        step = Math.max(step, now);
      });
      await browser.page.evaluate((given) => window.rolloutLab.start(given), config);
      await expect.poll(() => step, { timeout: 300_000 }).toBeGreaterThan(1);
      await browser.page.waitForTimeout(waitMs);
      row.push(step);
      browser = await endBy(kind, browser, profile.path, 0);
      await openBeside(browser.page, url);
      const [save] = await browser.page.evaluate(() => window.rolloutLab.saves());
      row.push(save?.step ?? "nothing");
      expect(save?.step ?? 0, "all but the step in flight is kept").toBeGreaterThanOrEqual(Number(row[4]) - 1);
    } finally {
      await browser.kill();
      profile.remove();
    }
  });
}
