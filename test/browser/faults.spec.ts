// A part of the page that cannot be loaded or drawn says so in its place, with a way back; the rest of the
// page and the run go on.
import type { Page } from "@playwright/test";
import {
  button,
  eventAfter,
  expect,
  openLab,
  openSpoilable,
  reach,
  reachStep,
  runButton,
  runToEnd,
  snapshot,
  start,
  startBeside,
  TABLE,
  TINY,
  testInEmptyPage as test,
} from "./lab.ts";

const fault = (page: Page, title: string) => page.getByRole("alert").filter({ has: page.getByRole("heading", { name: title }) });

/** Starts a run of many steps, to see that it goes on. */
async function startLong(page: Page): Promise<void> {
  await startBeside(page, TINY);
  await reachStep(page, 1);
}

async function trainsOn(page: Page): Promise<void> {
  const { step } = await snapshot(page);
  await reachStep(page, step + 2);
}

test("a screen whose code does not come says so, and comes when it is asked for again", async ({ page }) => {
  await openLab(page);
  await startLong(page);
  for (const [screen, chunk] of [
    ["Rollouts", "RolloutsScreen"],
    ["Compare", "ExperimentScreen"],
  ] as const)
    await test.step(screen, async () => {
      const script = `**/assets/${chunk}-*.js*`;
      await page.route(script, (route) => route.abort());
      await page.getByRole("link", { name: screen, exact: true }).click();
      const face = fault(page, `The ${screen} screen could not be loaded`);
      await expect(face).toContainText("The run trains on.");
      await expect(face.getByRole("button", { name: "Reload the page" })).toBeVisible();
      await trainsOn(page);
      await face.getByRole("button", { name: "Try again" }).click();
      await expect(face).toBeVisible();
      await page.unroute(script);
      await face.getByRole("button", { name: "Try again" }).click();
      await expect(page.getByRole("heading", { level: 1, name: screen })).toBeAttached();
      await expect(face).toHaveCount(0);
      await trainsOn(page);
    });
});

test("code that fails to come once is loaded again without a word", async ({ page }) => {
  await openLab(page);
  let requests = 0;
  await page.route("**/assets/ExperimentScreen-*.js*", (route) => (requests++ === 0 ? route.abort() : route.continue()));
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Compare" })).toBeAttached();
  expect(requests).toBeGreaterThan(1);
  await expect(page.getByRole("alert")).toHaveCount(0);
});

test("styles that do not come are loaded again too, all of them", async ({ page }) => {
  await openLab(page);
  await page.waitForLoadState("networkidle");
  const refused = new Set<string>();
  await page.route("**/assets/*.css*", (route) => {
    refused.add(route.request().url());
    return route.abort();
  });
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  const face = fault(page, "The Compare screen could not be loaded");
  await expect(face).toBeVisible();
  await page.unroute("**/assets/*.css*");
  await face.getByRole("button", { name: "Try again" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Compare" })).toBeAttached();
  expect(await page.locator(".compare").evaluate((element) => getComputedStyle(element).display)).toBe("grid");
  expect(refused.size).toBeGreaterThan(1);
  const there = await page.evaluate(() => Array.from(document.styleSheets, ({ href, cssRules }) => cssRules.length > 0 && href));
  expect(there).toEqual(expect.arrayContaining([...refused]));
});

test("charts whose code does not come leave the run and its controls alone, and come back with the connection", async ({ page }) => {
  const scripts = /assets\/(Charts|Plot)-.*\.js/;
  await page.route(scripts, (route) => route.abort());
  await openLab(page);
  await startLong(page);
  const face = fault(page, "The charts could not be loaded");
  await expect(face).toBeVisible();
  await trainsOn(page);
  await button(page, "Pause").click();
  await reach(page, "paused");
  await page.unroute(scripts);
  await page.evaluate(() => window.dispatchEvent(new Event("online")));
  await expect(page.getByRole("region", { name: "Reward", exact: true }).locator("path.plot-line").first()).toBeVisible();
  await expect(face).toHaveCount(0);
});

test("a part that cannot be drawn says so alone, and its error can be copied", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await openSpoilable(page);
  await page.evaluate(() => {
    window.spoil = (event) =>
      event.type === "groups" ? { ...event, groups: [{ ...event.groups[0]!, trajectories: null as never }] } : event;
  });
  await startLong(page);
  const face = fault(page, "The current group could not be drawn");
  await expect(face).toContainText("This is a fault of the page, not of the run.");
  await expect(page.getByRole("region", { name: "Reward", exact: true }).locator("path.plot-line").first()).toBeVisible();
  await trainsOn(page);
  await face.getByRole("button", { name: "Copy the error" }).click();
  await expect(face.getByRole("button", { name: "Copied" })).toBeVisible();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  for (const part of ["The current group could not be drawn", "TypeError", "Address: http", "Browser: "]) expect(copied).toContain(part);
  await page.evaluate(() => {
    delete window.spoil;
  });
  await eventAfter(page, "groups", () => Promise.resolve());
  // The group that can be drawn is on screen before it is asked for.
  await snapshot(page);
  await face.getByRole("button", { name: "Try again" }).click();
  await expect(face).toHaveCount(0);
});

test("an evaluation that lacks fields does not blank the page, and the next run draws again", async ({ page }) => {
  await openSpoilable(page);
  await page.evaluate(() => {
    window.spoil = (event) => (event.type === "evaluation" ? { ...event, record: { step: event.record.step } as never } : event);
  });
  await runToEnd(page, TABLE);
  await expect(fault(page, "The charts could not be drawn")).toBeVisible();
  await expect(runButton(page)).toHaveText("Continue 40 more");
  await page.evaluate(() => {
    delete window.spoil;
  });
  await runToEnd(page, TABLE);
  await expect(page.getByRole("alert")).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Reward", exact: true }).locator("path.plot-line").first()).toBeVisible();
});

test("a fault around the screens leaves a page with a way back, at 320 pixels too", async ({ page }) => {
  await openSpoilable(page);
  await page.evaluate(() => {
    window.spoil = (event) => (event.type === "started" ? { ...event, backend: { id: "broken" } as never } : event);
  });
  await start(page, { ...TABLE, steps: 0 });
  await page.setViewportSize({ width: 320, height: 640 });
  const face = fault(page, "The page could not be drawn");
  await expect(face).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(320);
  expect((await snapshot(page)).state).toBe("running");
});
