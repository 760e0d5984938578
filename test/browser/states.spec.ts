// Every state has its own face: empty, preparing, running, paused, finished, stopped, failed; in light
// and dark, at 320 pixels, and without motion where that is asked for.
import type { Page } from "@playwright/test";
import {
  button,
  expect,
  openLab,
  reach,
  reachStep,
  runToEnd,
  snapshot,
  start,
  TABLE,
  TINY,
  testInEmptyPage as test,
  testInSamePage,
} from "./lab.ts";
import { overflow } from "./looks.ts";

test.describe.configure({ mode: "default" });

const stateText = (page: Page) => page.locator(".position-state");

/** Holds requests for a path until released. */
async function hold(page: Page, pattern: string): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(pattern, async (route) => {
    await held;
    await route.continue();
  });
  return () => release();
}

testInSamePage("empty says what will happen and offers the one button that makes it happen", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  await expect(page.getByRole("heading", { name: "Watch a small model learn" })).toBeVisible();
  await expect(stateText(page)).toHaveText("ready");
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  await page.getByRole("link", { name: "Go to Train and start a run" }).click();
  await expect(page).toHaveURL(/preset=digit-sum-table/);
  // The screen before stays until the next one is drawn.
  await expect(page.locator(".button-primary")).toHaveCount(1);
  await expect(page.locator(".button-primary")).toHaveText("Train");
  await button(page, "Train").click();
  await reach(page, "finished");
  expect((await snapshot(page)).config?.model).toBe("tabular");
  await expect(page.getByRole("heading", { name: "Watch a small model learn" })).toHaveCount(0);
});

testInSamePage("an evaluation older than the run says once how old it is", async ({ page }) => {
  await openLab(page);
  await start(page, { ...TINY, steps: 0, evalEvery: 0 });
  await reachStep(page, 2);
  await button(page, "Pause").click();
  await reach(page, "paused");
  await expect(page.getByLabel("Evaluation after step 0").getByText("sampled at the start")).toBeVisible();
  await expect(page.getByText(/^measured at step 0, \d+ steps? ago$/)).toBeVisible();
  await runToEnd(page, { ...TINY, steps: 4, evalEvery: 2 });
  await expect(page.getByLabel("Evaluation after step 4")).toBeVisible();
  await expect(page.getByText(/^measured at step/)).toHaveCount(0);
});

testInSamePage("the time left is told for a run with a limit", async ({ page }) => {
  await openLab(page);
  await start(page, { ...TINY, steps: 100_000 });
  await reachStep(page, 3);
  await expect(stateText(page)).toHaveText(/^running · .+ left$/);
  await expect(page.getByRole("progressbar", { name: "Run progress" })).toBeVisible();
});

testInSamePage("at 320 pixels nothing scrolls sideways and Train stays in sight @phone", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 640 });
  await openLab(page);
  for (const run of [false, true]) {
    if (run) await runToEnd(page, { ...TINY, steps: 3, evalEvery: 1, evalProblems: 16 });
    for (const screen of ["Rollouts", "Train"]) {
      await page.getByRole("link", { name: screen, exact: true }).click();
      await expect(page.getByRole("heading", { level: 1, name: screen })).toBeAttached();
      const { width, wide } = await overflow(page);
      expect(width, `${screen}, ${run ? "finished" : "empty"}: ${wide.join(", ")}`).toBeLessThanOrEqual(320);
    }
    await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
    await expect(button(page, run ? "Continue 3 more" : "Train")).toBeInViewport();
  }
});

testInSamePage("a whole run by touch on a phone @phone", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  await button(page, "Train").tap();
  await reach(page, "finished");
  // The curve is what a phone shows first.
  await page.setViewportSize({ width: 375, height: 667 });
  await expect(page.locator("svg.chart-surface").first()).toBeInViewport({ ratio: 0.9 });
  await page.getByRole("link", { name: "Rollouts", exact: true }).tap();
  const token = page
    .getByRole("listbox", { name: /^Completion tokens/ })
    .getByRole("option")
    .nth(1);
  await token.tap();
  await expect(page.getByRole("complementary", { name: "Token" })).toContainText("token 2 of 4, pinned");
  expect((await overflow(page)).width).toBeLessThanOrEqual(375);
});

testInSamePage("light and dark follow the system, or the switch, which is remembered", async ({ page }) => {
  const ground = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await page.emulateMedia({ colorScheme: "light" });
  await openLab(page);
  const html = page.locator("html");
  await expect(html).toHaveAttribute("data-theme", "light");
  const light = await ground();
  await page.emulateMedia({ colorScheme: "dark" });
  await expect(html).toHaveAttribute("data-theme", "dark");
  const dark = await ground();
  expect(dark).not.toBe(light);
  await page.getByRole("button", { name: "Theme: system. Change to light" }).click();
  await expect(html).toHaveAttribute("data-theme", "light");
  expect(await ground()).toBe(light);
  await page.reload();
  await expect(html).toHaveAttribute("data-theme", "light");
  await page.getByRole("button", { name: "Theme: light. Change to dark" }).click();
  await page.emulateMedia({ colorScheme: "light" });
  await expect(html).toHaveAttribute("data-theme", "dark");
});

test("preparing, running, paused, finished and stopped each say so", async ({ page }) => {
  const release = await hold(page, "**/kernels/*.wasm");
  await openLab(page, "#/train?preset=digit-sum-transformer&steps=0");
  await button(page, "Train").click();
  await expect(stateText(page)).toHaveText(/^preparing/);
  await expect(button(page, "Train")).toBeDisabled();
  await expect(page.getByRole("progressbar").first()).toBeVisible();
  release();
  await expect(stateText(page)).toHaveText(/^running/);
  await expect(button(page, "Pause")).toBeEnabled();
  await button(page, "Pause").click();
  await expect(stateText(page)).toHaveText(/^paused( in step \d+)?$/);
  await page.evaluate(() => window.rolloutLab.stop());
  await expect(stateText(page)).toHaveText(/^stopped( in step \d+)?$/);
  await runToEnd(page, TABLE);
  await expect(stateText(page)).toHaveText("finished");
});

test("with reduced motion nothing moves by itself", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  const release = await hold(page, "**/kernels/*.wasm");
  await openLab(page);
  const moving = () =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter((animation) => animation.playState === "running" && Number(animation.effect?.getComputedTiming().duration ?? 0) > 10)
        .map((animation) => (animation.effect instanceof KeyframeEffect ? (animation.effect.target?.className ?? "") : "")),
    );
  const started = start(page, { ...TINY, steps: 0 });
  await expect(page.getByRole("progressbar").first()).toBeVisible();
  expect(await moving()).toEqual([]);
  release();
  await started;
  await reachStep(page, 3);
  expect(await moving()).toEqual([]);
  expect((await snapshot(page)).state).toBe("running");
});
