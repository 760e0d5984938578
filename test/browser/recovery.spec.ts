// A closed tab, a crashed worker: what was saved is offered, and goes on at its step with its history.
import type { Page, Worker } from "@playwright/test";
import {
  button,
  engineIsUp,
  eventAfter,
  expect,
  field,
  liveStatus,
  openLab,
  reach,
  reachStep,
  runButton,
  STAGED_ERROR,
  snapshot,
  start,
  TINY,
  testInSamePage as test,
  testInEmptyPage,
  timeless,
} from "./lab.ts";

test.describe.configure({ mode: "default" });

/** Starts an endless run and waits for a save; gives the step of that save. */
async function runUntilSaved(page: Page): Promise<number> {
  await openLab(page);
  await start(page, { ...TINY, steps: 0, autosaveEvery: 1, evalEvery: 50 });
  await reachStep(page, 1);
  const { step } = await eventAfter(page, "saved", () => Promise.resolve());
  await page.evaluate(() => window.rolloutLab.pause());
  return step;
}

function trainerWorker(page: Page): Worker {
  const worker = page.workers().find((each) => each.url().includes("trainer-"));
  if (!worker) throw new Error("the page has no trainer worker");
  return worker;
}

/** The newest save there can be: `stop` saves and waits for it. */
async function stopAndSave(page: Page) {
  await page.evaluate(() => window.rolloutLab.stop());
  return snapshot(page);
}

test("a reload in the middle of a run offers to go on from the save, with its history", async ({ page }) => {
  await runUntilSaved(page);
  const before = await snapshot(page);
  await page.reload();
  await engineIsUp(page);
  const offer = page.getByRole("button", { name: /^Continue the saved run at step \d+$/ });
  const savedStep = Number((await offer.textContent())?.match(/\d+/)?.[0]);
  expect(savedStep).toBeGreaterThan(0);
  expect(savedStep).toBeLessThanOrEqual(before.step);
  await offer.click();
  // It trains on, and the controls have the focus.
  await reachStep(page, savedStep + 2);
  await expect(button(page, "Pause")).toBeFocused();
  const after = await snapshot(page);
  expect(after).toMatchObject({ runId: before.runId, config: before.config });
  expect(timeless(after.metrics.slice(0, savedStep))).toEqual(timeless(before.metrics.slice(0, savedStep)));
  expect(after.baselines).toEqual(before.baselines);
  const { metrics } = await snapshot(page);
  expect(metrics.map(({ step }) => step)).toEqual(metrics.map((_, i) => i + 1));
  // The steps that were lost with the tab come out the same the second time.
  const again = before.metrics.slice(savedStep, metrics.length);
  expect(timeless(metrics.slice(savedStep, savedStep + again.length))).toEqual(timeless(again));
});

test("a run that goes on after a reload still takes live changes", async ({ page }) => {
  await runUntilSaved(page);
  await page.reload();
  await engineIsUp(page);
  await page.getByRole("button", { name: /^Continue the saved run/ }).click();
  await reach(page, "running");
  const rate = await field(page, "Optimizer", "Learning rate");
  await expect(rate).toHaveValue("0.003");
  const { settings } = await eventAfter(page, "settings", async () => {
    await rate.fill("0.001");
    await rate.press("Enter");
  });
  expect(settings).toEqual({ learningRate: 0.001 });
});

test("an engine that is ended says so and goes on from the last save", async ({ page }) => {
  await runUntilSaved(page);
  await page.evaluate(() => window.rolloutLab.resume());
  await eventAfter(page, "saved", () => Promise.resolve());
  await page.evaluate(() => window.rolloutLab.kill());
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("The engine stopped");
  await expect(alert).toContainText("it was ended on request");
  await expect(liveStatus(page)).toHaveText("The engine stopped.");
  await expect(runButton(page)).toBeDisabled();
  const dead = await snapshot(page);
  expect(dead.engine).toBe("died");
  const go = alert.getByRole("button", { name: /^Continue from step \d+$/ });
  const savedStep = Number((await go.textContent())?.match(/\d+/)?.[0]);
  // A step is told once it is kept, so what is kept may lie ahead of what the page had heard of, and never behind.
  expect(savedStep).toBeGreaterThanOrEqual(dead.step);
  await go.click();
  await reachStep(page, savedStep + 1);
  await expect(alert).toHaveCount(0);
  await expect(button(page, "Pause")).toBeFocused();
  const after = await snapshot(page);
  expect(after).toMatchObject({ runId: dead.runId, engine: "ready" });
  expect(after.step).toBeGreaterThanOrEqual(savedStep);
  expect(timeless(after.metrics.slice(0, dead.step))).toEqual(timeless(dead.metrics));
});

test("a stray error in the worker is told and the run goes on", async ({ page }) => {
  await runUntilSaved(page);
  const { step } = await snapshot(page);
  await trainerWorker(page).evaluate((message) => reportError(new Error(message)), STAGED_ERROR);
  await expect(page.locator(".notice")).toContainText(STAGED_ERROR);
  await button(page, "Train").click();
  await reachStep(page, step + 2);
});

test("an engine that ends before any save begins anew", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  await page.evaluate(() => window.rolloutLab.kill());
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("There was no run.");
  await alert.getByRole("button", { name: "Restart the engine" }).click();
  await engineIsUp(page);
  await expect(alert).toHaveCount(0);
  await button(page, "Train").click();
  await reach(page, "finished");
  expect((await snapshot(page)).step).toBe(300);
});

test("a run that was reset is not offered again", async ({ page }) => {
  await runUntilSaved(page);
  const { runId } = await stopAndSave(page);
  expect(runId).not.toBeNull();
  await page.evaluate(() => window.rolloutLab.reset());
  await page.reload();
  await engineIsUp(page);
  await expect(page.getByRole("heading", { name: "Watch a small model learn" })).toBeVisible();
  await expect(page.getByRole("button", { name: /^Continue the saved run/ })).toHaveCount(0);
});

testInEmptyPage("an engine whose script cannot be loaded says so, and starts once it can", async ({ page }) => {
  const script = "**/assets/trainer-*.js";
  await page.route(script, (route) => route.fulfill({ status: 404, body: "not found" }));
  await page.goto("/");
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("its script could not be loaded");
  await expect(button(page, "Train")).toBeDisabled();
  await page.unroute(script);
  await alert.getByRole("button", { name: "Restart the engine" }).click();
  await engineIsUp(page);
  await expect(button(page, "Train")).toBeEnabled();
});

testInEmptyPage("a run belongs to one tab: another is told so, and has it once the first is closed", async ({ page, context }) => {
  await runUntilSaved(page);
  const { runId, step } = await snapshot(page);
  const second = await context.newPage();
  await openLab(second);
  const goOn = () =>
    second.evaluate(async (id) => {
      await window.rolloutLab.saves();
      return window.rolloutLab.continue(id ?? "").then(
        () => "continued",
        (error: Error) => error.message,
      );
    }, runId);
  expect(await goOn()).toContain(`another tab of this browser has the run ${runId}`);
  await page.close();
  expect(await goOn()).toBe("continued");
  expect((await snapshot(second)).step).toBe(step);
});

testInEmptyPage("a worker that falls silent is noticed, can be ended, and goes on from the last save", async ({ page }) => {
  await page.clock.install();
  await runUntilSaved(page);
  await page.evaluate(() => window.rolloutLab.resume());
  await trainerWorker(page).evaluate(() => close());
  await page.clock.fastForward(30_000);
  await expect(page.getByText("The engine has not answered for 20 seconds.")).toBeVisible();
  await button(page, "End the engine").click();
  const alert = page.getByRole("alert");
  await expect(alert).toContainText("it did not answer and was ended");
  await alert.getByRole("button", { name: /^Continue from step/ }).click();
  await reach(page, "running");
  const { step } = await snapshot(page);
  expect(step).toBeGreaterThan(0);
  await reachStep(page, step + 2);
});
