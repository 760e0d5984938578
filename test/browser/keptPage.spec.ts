// The page that is kept by its service worker: it opens and trains without a connection, has threads on a host that sends no headers, and changes
// over to another build only as a whole.
import type { Page } from "@playwright/test";
import { test as base, button, engineIsUp, expect, runToEnd, start, TABLE, TINY } from "./lab.ts";
import { nameOf, type TwoBuilds, twoBuilds } from "./twoBuilds.ts";

const test = base.extend<{ readonly host: TwoBuilds }>({
  // biome-ignore lint/correctness/noEmptyPattern: fixtures are told apart by what they take apart
  host: async ({}, use) => {
    const host = await twoBuilds();
    await use(host);
    host.close();
  },
});
test.use({ serviceWorkers: "allow" });

/** Opens the page for the first time, and waits until it is kept and has loaded once more by itself. A script that looks at it meanwhile counts as somebody who has touched it. */
async function openFirst(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.waitForEvent("load", { timeout: 90_000 });
  await engineIsUp(page);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
}

test("on a host without headers the page has threads from its second load on, and starts and trains without a connection", async ({
  page,
  context,
  host,
}) => {
  test.setTimeout(240_000);
  await openFirst(page, host.url);
  expect((await runToEnd(page, { ...TINY, threads: 2, backend: "wasm" })).backend?.threads).toBe(2);
  // A checkpoint that was used is kept; one that was not is missed by its name.
  const chat = { task: "boxed-arithmetic", steps: 1, promptsPerStep: 2, groupSize: 4, evalEvery: 0, evalProblems: 4 } as const;
  await runToEnd(page, chat);
  await page.evaluate(() => window.rolloutLab.reset());
  host.close();
  await context.setOffline(true);
  await page.goto(`${host.url}#/train`);
  await page.reload();
  await engineIsUp(page);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await runToEnd(page, TABLE);
  expect((await runToEnd(page, { ...TINY, threads: 2, backend: "wasm" })).backend?.threads).toBe(2);
  await runToEnd(page, chat);
  for (const screen of ["Rollouts", "Explain", "Learn", "Compare"]) {
    await page.getByRole("link", { name: screen, exact: true }).first().click();
    await expect(page.getByRole("heading", { level: 1 }).first()).toBeVisible();
    await expect(page.getByRole("alert")).toHaveCount(0);
  }
  await expect(start(page, { ...chat, task: "search" })).rejects.toThrow(/asset "models\/search\/.*could not be downloaded/);
});

test("a newer build is told, waits for the last tab of the older one, and gives way to the older one again", async ({
  page,
  context,
  host,
}) => {
  test.setTimeout(240_000);
  await openFirst(page, host.url);
  const other = await context.newPage();
  await other.goto(host.url);
  await engineIsUp(other);
  const changed = (of: Page) => of.evaluate(async () => void (await (await navigator.serviceWorker.getRegistration())?.update()));
  const notice = page.getByRole("status", { name: "A newer version" });
  for (const [build, before] of [
    ["newer", "older"],
    ["older", "newer"],
  ] as const) {
    host.use(host[build]);
    await changed(page);
    await expect(notice).toBeVisible();
    // All that the page asks for is of the build that it is of.
    expect([await page.title(), await nameOf(page)]).toEqual([before, before]);
    if (build === "newer") {
      await button(page, "Change over now").click();
      await expect(notice).toContainText("1 other tab still runs this one");
      await page.reload();
      expect([await page.title(), await nameOf(page), await nameOf(other)]).toEqual([before, before, before]);
      await expect(notice).toBeVisible();
      await other.close();
    }
    // A tab that was just closed may still be counted for a moment, and the change may come after all that was waited for it.
    const title = () => page.title().catch(() => "");
    await expect(async () => {
      if ((await title()) !== build) await button(page, "Change over now").click({ timeout: 2_000 });
      await expect.poll(title, { timeout: 5_000 }).toBe(build);
    }).toPass({ timeout: 60_000 });
    await page.waitForFunction(() => "rolloutLab" in window);
    await engineIsUp(page);
    expect(await nameOf(page)).toBe(build);
    expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
    await runToEnd(page, TABLE);
    await expect(notice).toHaveCount(0);
    // The last build's worker is registered by then, so that the next one is noticed.
    await page.waitForTimeout(3_500);
  }
});
