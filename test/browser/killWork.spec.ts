// What people do with kept runs (killedWork.ts), ended at random moments and again, after which the browser's storage holds nothing that
// no run names. One here; npm run test:kill makes more.
import { cpSync } from "node:fs";
import { expect, test } from "@playwright/test";
import { asTable, dice } from "../support/killedRuns.ts";
import { tries } from "../support/long.ts";
import { openBeside } from "./engineBeside.ts";
import { type Reference, reference, strays, type Trial, WORK } from "./killedWork.ts";
import { ENDS, endBy, type KillableBrowser, profileFolder, startBrowser } from "./killing.ts";

const TRIALS = Number(process.env.KILL_WORK ?? tries(1, 4));
const SEED = Number(process.env.KILL_SEED ?? 1);
const FIRST = Number(process.env.KILL_FIRST ?? 0);

let made: Promise<Reference> | null = null;
const rows: (readonly (string | number)[])[] = [];
test.describe.configure({ mode: "default", retries: 0 });
test.afterAll(() => {
  if (rows.length > 0) console.log(asTable([["trial", "what", "ended by", "outcome"], ...rows]));
  void made?.then(({ profile }) => profile.remove());
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
    await browser.page.reload();
    await openBeside(browser.page, url);
    await expect.poll(() => strays(browser.page), "storage is clean").toEqual([]);
    outcome = "equal, clean";
  } finally {
    rows.push([trial, WORK[trial % WORK.length]![0], ended.join(" "), outcome]);
    await browser.kill();
    profile.remove();
  }
}

for (let trial = FIRST; trial < FIRST + TRIALS; trial++) {
  const [what, work] = WORK[trial % WORK.length]!;
  const kills = 1 + dice(SEED * 977 + trial)(3);
  test(`trial ${trial}: ${what}, ended ${kills} times`, async ({ baseURL }) => {
    test.setTimeout(300_000);
    made ??= reference(`${baseURL}#/train`);
    const known = await made;
    await withBrowser(trial, `${baseURL}#/train`, known.profile.path, (given) => work(given, known, kills));
  });
}
