// The change over from one build of the page to another, ended at random moments and in every way: the page that opens next is of one
// build as a whole, has the runs that were kept, and goes on with them to the same numbers. In the long run; npm run test:kill makes more.
import type { Page } from "@playwright/test";
import { asTable, dice } from "../support/killedRuns.ts";
import { tries } from "../support/long.ts";
import { openBeside } from "./engineBeside.ts";
import { ENDS, endBy, profileFolder, startBrowser } from "./killing.ts";
import { button, expect, reach, runToEnd, snapshot, TINY, test, timeless } from "./lab.ts";
import { nameOf, twoBuilds } from "./twoBuilds.ts";

const TRIALS = Number(process.env.KILL_UPDATES ?? tries(0, 1));
const SEED = Number(process.env.KILL_SEED ?? 1);
const FIRST = Number(process.env.KILL_FIRST ?? 0);
const RUN = { ...TINY, steps: 60 };

/** A page that comes from its service worker as a whole. */
async function openKept(page: Page, url: string): Promise<void> {
  // It may be loading anew by itself, and what is asked of it then is never answered.
  await expect(async () => void (await page.goto("about:blank", { timeout: 10_000 }))).toPass();
  await openBeside(page, url);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
}

const rows: (readonly (string | number)[])[] = [];
test.describe.configure({ mode: "default", retries: 0 });
test.afterAll(() => {
  if (rows.length > 0) console.log(asTable([["trial", "ended by", "build after", "outcome"], ...rows]));
});

for (let trial = FIRST; trial < FIRST + TRIALS; trial++)
  test(`trial ${trial}: a change over to another build is ended`, async () => {
    test.setTimeout(300_000);
    const roll = dice(SEED * 7919 + trial);
    const host = await twoBuilds();
    const profile = profileFolder();
    let browser = await startBrowser(profile.path);
    const row: (string | number)[] = [trial];
    try {
      const url = `${host.url}#/train`;
      await browser.page.goto(url);
      // It loads once more by itself when it is kept; a script that looks at it meanwhile would count as somebody who has touched it.
      await browser.page.waitForEvent("load", { timeout: 90_000 });
      await openKept(browser.page, url);
      const whole = timeless((await runToEnd(browser.page, RUN)).metrics);
      await browser.page.evaluate(() => window.rolloutLab.reset());
      const runId = await browser.page.evaluate((config) => window.rolloutLab.start(config), { ...RUN, autosaveEvery: 1 });
      await expect.poll(async () => (await browser.page.evaluate(() => window.rolloutLab.saves()))[0]?.step).toBeGreaterThan(0);

      host.use(host.newer);
      const { page } = browser;
      await page.evaluate(() => void navigator.serviceWorker.getRegistration().then((registration) => registration?.update()));
      // While the newer build is fetched, or while the page changes over to it.
      const isTold = roll(2) === 0;
      if (isTold) {
        await expect(page.getByRole("status", { name: "A newer version" })).toBeVisible({ timeout: 60_000 });
        await button(page, "Change over now").click();
      }
      await page.waitForTimeout(roll(isTold ? 600 : 4_000));
      const kind = ENDS[trial % ENDS.length]!;
      // A page that is changing over may be gone already.
      browser = await endBy(kind, browser, profile.path, roll(30)).catch(() => browser);
      await openKept(browser.page, url);
      const title = await browser.page.title();
      row.push(kind, title);
      expect(["older", "newer"]).toContain(title);
      expect(await nameOf(browser.page), "all of one build").toBe(title);
      await browser.page.evaluate((id) => window.rolloutLab.continue(id), runId);
      await browser.page.evaluate(() => window.rolloutLab.resume().catch(() => {}));
      await reach(browser.page, "finished");
      expect(timeless((await snapshot(browser.page)).metrics)).toEqual(whole);
      row.push("equal");
    } finally {
      if (row.length < 4) row.push("NOT EQUAL");
      rows.push(row);
      await browser.kill();
      profile.remove();
      host.close();
    }
  });
