// The controls of a run by the names that people, screen readers and scripts share.

import type { Page } from "@playwright/test";
import { shareText } from "../../src/protocol/quantities.ts";
import {
  button,
  eventAfter,
  expect,
  field,
  liveStatus,
  openLab,
  reach,
  reachStep,
  runToEnd,
  snapshot,
  start,
  TABLE,
  TINY,
  testInSamePage as test,
  timeless,
} from "./lab.ts";

test.describe.configure({ mode: "default" });

const hereTitle = (page: Page) => page.locator("[aria-current=step] .phase-title");

test.describe("the run controls", () => {
  // First, while nothing is saved.
  test("ask before a long run is forgotten, and forget it", async ({ page }) => {
    await openLab(page);
    await runToEnd(page, TABLE);
    await button(page, "Reset").click();
    const question = page.getByRole("dialog", { name: "Forget this run?" });
    await expect(question).toContainText("Its 40 steps");
    await question.getByRole("button", { name: "Keep it" }).click();
    await expect(question).toBeHidden();
    expect((await snapshot(page)).step).toBe(40);
    await button(page, "Reset").click();
    await question.getByRole("button", { name: "Forget the run" }).click();
    await reach(page, "idle");
    expect(await snapshot(page)).toMatchObject({ runId: null, step: 0, metrics: [], groups: [], evaluations: [] });
    await page.reload();
    await expect(button(page, "Train")).toBeEnabled();
    await expect(page.getByRole("button", { name: /Continue the saved run/ })).toHaveCount(0);
  });

  test("go by their names, and say what can be done", async ({ page }) => {
    await openLab(page, "#/train?preset=digit-sum-table");
    for (const name of ["Train", "Step", "Step phase"]) await expect(button(page, name)).toBeEnabled();
    for (const name of ["Pause", "Reset"]) await expect(button(page, name)).toBeDisabled();
    for (const name of ["Train", "Rollouts"]) await expect(page.getByRole("link", { name, exact: true })).toBeVisible();
    await expect(page.getByRole("link", { name: "Train", exact: true })).toHaveAttribute("aria-current", "page");
  });

  test("announce milestones politely from start to reset", async ({ page }) => {
    await openLab(page, "#/train?preset=digit-sum-transformer&steps=0");
    await expect(liveStatus(page)).toHaveText("Ready to train.");
    await button(page, "Train").click();
    await expect(liveStatus(page)).toContainText("Training.");
    await button(page, "Pause").click();
    await expect(liveStatus(page)).toContainText("Paused.");
    const { evaluations } = await snapshot(page);
    const last = evaluations.at(-1);
    const percent = shareText(last?.sampledAccuracy ?? Number.NaN);
    await expect(liveStatus(page)).toContainText(`Evaluation after step ${last?.step}: ${percent} right when sampling.`);
    await page.evaluate(() => window.rolloutLab.reset());
    await expect(liveStatus(page)).toHaveText("Ready to train.");
  });

  test("pause where a step ends and go on from there", async ({ page }) => {
    await openLab(page, "#/train?preset=digit-sum-transformer&steps=0");
    await button(page, "Train").click();
    await reachStep(page, 3);
    await button(page, "Pause").click();
    await reach(page, "paused");
    await expect(button(page, "Pause")).toBeDisabled();
    const { step } = await snapshot(page);
    await expect(page.locator(".position-number")).toHaveText(String(step));
    await button(page, "Train").click();
    await reachStep(page, step + 3);
    const { metrics } = await snapshot(page);
    expect(metrics.map((record) => record.step)).toEqual(metrics.map((_, i) => i + 1));
  });

  test("finish at the step limit, and add as many steps again", async ({ page }) => {
    await openLab(page);
    expect((await runToEnd(page, TABLE)).step).toBe(40);
    await expect(page.getByText("40 of 40 steps")).toBeVisible();
    await expect(liveStatus(page)).toContainText("Finished: reached 40 steps.");
    await button(page, "Continue 40 more").click();
    await reachStep(page, 80);
    await expect(page.getByText("80 of 80 steps")).toBeVisible();
    await expect(button(page, "Continue 40 more")).toBeEnabled();
  });

  test("write added steps into the run's configuration, leave the setting, and keep them", async ({ page }) => {
    await openLab(page);
    await runToEnd(page, { ...TABLE, schedule: "linear" });
    await expect(page).toHaveURL(/steps=40/);
    await button(page, "Continue 40 more").click();
    await reachStep(page, 80);
    await reach(page, "finished");
    const extended = await snapshot(page);
    expect(extended.config).toMatchObject({
      steps: 80,
      changes: [
        { afterStep: 0, settings: { steps: 40 } },
        { afterStep: 40, settings: { steps: 80 } },
      ],
    });
    await expect(page.getByRole("textbox", { name: /^Steps/ })).toHaveValue("40");
    await expect(page).toHaveURL(/steps=40/);
    // Another live edit leaves the limit where it is.
    const rate = await field(page, "Optimizer", "Learning rate");
    await rate.fill("0.25");
    const { settings } = await eventAfter(page, "settings", () => rate.press("Enter"));
    expect(settings).toEqual({ learningRate: 0.25 });
    expect((await snapshot(page)).config?.steps).toBe(80);
    // The configuration alone gives the same run again.
    const again = await runToEnd(page, extended.config ?? {});
    expect(timeless(again.metrics)).toEqual(timeless(extended.metrics));
    expect(again.evaluations).toEqual(extended.evaluations);
    await expect(page).not.toHaveURL(/changes/);
  });

  test("take one step from nothing", async ({ page }) => {
    await openLab(page, "#/train?preset=digit-sum-table");
    await button(page, "Step").click();
    await reachStep(page, 1);
    await reach(page, "paused");
    await expect(page.getByText("1 of 300 steps")).toBeVisible();
    await button(page, "Step").click();
    await reachStep(page, 2);
    await reach(page, "paused");
    expect((await snapshot(page)).metrics).toHaveLength(2);
  });

  test("take one phase at a time and show which", async ({ page }) => {
    await openLab(page, "#/train?preset=digit-sum-table");
    for (const [phase, title] of [
      ["sample", "Sample"],
      ["score", "Score"],
      ["advantage", "Advantage"],
      ["update", "Update"],
    ] as const) {
      const event = await eventAfter(page, "groups", () => button(page, "Step phase").click());
      expect(event.phase).toBe(phase);
      await reach(page, "paused");
      await expect(hereTitle(page)).toHaveText(title);
      // What is right is known once answers are scored; what was expected stands throughout.
      await expect(page.locator(".group-answer")).toHaveText("Expected 18");
      if (phase === "sample") await expect(page.locator(".row-success")).toHaveCount(0);
    }
    expect((await snapshot(page)).metrics).toEqual([]);
    await page.locator(".phase-button", { hasText: "Evaluate" }).click();
    await expect(page.getByRole("heading", { name: "Evaluate last after step 0" })).toBeVisible();
    await button(page, "Step").click();
    await reachStep(page, 1);
  });

  test("run as slowly as the speed says", async ({ page }) => {
    await openLab(page, "#/train?preset=digit-sum-table");
    await page.getByRole("slider", { name: "Speed" }).press("Home");
    await expect(page.locator(".speed .slider-text")).toHaveText("1 phase / 2 s");
    await expect(page.getByRole("slider", { name: "Speed" })).toHaveAttribute("aria-valuetext", "1 phase / 2 s");
    const event = await eventAfter(page, "groups", () => button(page, "Train").click());
    expect(event.phase).toBe("sample");
    await expect(hereTitle(page)).toHaveText("Sample");
    await page.getByRole("slider", { name: "Speed" }).press("End");
    await reach(page, "finished");
    expect((await snapshot(page)).step).toBe(300);
  });
});

test.describe("the keyboard focus", () => {
  test("passes between Train and Pause, and from Reset to Train", async ({ page }) => {
    await openLab(page, "#/train?preset=digit-sum-transformer&steps=0");
    // A run that has taken no step is forgotten without a question.
    await button(page, "Step phase").click();
    await reach(page, "paused");
    await button(page, "Reset").focus();
    await page.keyboard.press("Enter");
    await reach(page, "idle");
    await expect(button(page, "Train")).toBeFocused();
    await page.keyboard.press("Enter");
    await reachStep(page, 1);
    await expect(button(page, "Pause")).toBeFocused();
    await page.keyboard.press("Space");
    await reach(page, "paused");
    await expect(button(page, "Train")).toBeFocused();
  });

  test("goes to the controls when the button that forgot a run goes away", async ({ page }) => {
    await openLab(page, "#/train?preset=digit-sum-transformer&steps=0");
    await button(page, "Train").focus();
    await page.keyboard.press("Enter");
    await reachStep(page, 21);
    await expect(button(page, "Pause")).toBeFocused();
    await page.keyboard.press("Space");
    await reach(page, "paused");
    await button(page, "Reset").focus();
    await page.keyboard.press("Enter");
    await page.getByRole("button", { name: "Forget the run" }).focus();
    await page.keyboard.press("Enter");
    await reach(page, "idle");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    await expect(button(page, "Train")).toBeFocused();
  });

  test("stays on the page when a notice is closed by key", async ({ page }) => {
    const closeByKey = async () => {
      const alert = page.getByRole("alert");
      await alert.getByRole("button", { name: "Close" }).focus();
      await page.keyboard.press("Enter");
      await expect(alert).toHaveCount(0);
      await expect(button(page, "Train")).toBeFocused();
    };
    await openLab(page, "#/train?preset=chess");
    await closeByKey();
    await expect(start(page, { groupSize: 1 })).rejects.toThrow("groupSize must be >= 2, got 1");
    await closeByKey();
  });

  test("stays on a control that cannot be pressed, and pressing it does nothing", async ({ page }) => {
    await openLab(page, "#/train?preset=digit-sum-table");
    const undo = button(page, "Undo");
    const seed = page.getByRole("textbox", { name: /^Seed/ });
    await seed.fill("77");
    await seed.press("Enter");
    await undo.focus();
    await page.keyboard.press("Enter");
    await expect(undo).toBeDisabled();
    await expect(undo).toBeFocused();
    await button(page, "Pause").focus();
    await page.keyboard.press("Enter");
    await button(page, "Reset").click({ force: true });
    expect(await snapshot(page)).toMatchObject({ state: "idle", error: null });
  });
});

test.describe("single keys", () => {
  test("train, pause, step and reset", async ({ page }) => {
    await openLab(page, "#/train?preset=digit-sum-transformer&steps=0");
    await page.keyboard.press("p");
    await reach(page, "paused");
    await expect(hereTitle(page)).toHaveText("Sample");
    await page.keyboard.press("s");
    await reachStep(page, 1);
    await reach(page, "paused");
    // One step is enough to be asked about: the save goes with it.
    await page.keyboard.press("r");
    const question = page.getByRole("dialog", { name: "Forget this run?" });
    await expect(question).toContainText("Its step, the rollouts and the save");
    await question.getByRole("button", { name: "Forget the run" }).click();
    await reach(page, "idle");
    await page.keyboard.press("Space");
    await reachStep(page, 2);
    await page.keyboard.press("Space");
    await reach(page, "paused");
  });
});

test("scripts get the same run as the buttons", async ({ page }) => {
  await openLab(page);
  await start(page, { ...TINY, steps: 0 });
  await page.evaluate(() => window.rolloutLab.pause());
  const { step } = await snapshot(page);
  await page.evaluate(() => window.rolloutLab.step());
  await expect(page.locator(".position-number")).toHaveText(String(step + 1));
  await page.evaluate(() => window.rolloutLab.resume());
  await reachStep(page, step + 3);
  await page.evaluate(() => window.rolloutLab.stop());
  const stopped = await snapshot(page);
  expect(stopped).toMatchObject({ state: "finished", reason: "stopped", engine: "ready", error: null });
  expect(stopped.metrics).toHaveLength(stopped.step);
  expect(stopped.groups[0]?.trajectories).toHaveLength(8);
  expect(JSON.parse(JSON.stringify(stopped))).toEqual(stopped);
});

// Last: what is switched off stays off.
test("single keys do nothing while somebody types, and can be switched off", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  const seed = page.getByRole("textbox", { name: /^Seed/ });
  await seed.press("s");
  await seed.press("Escape");
  expect((await snapshot(page)).state).toBe("idle");
  await page.getByRole("heading", { name: "Watch a small model learn" }).click();
  await page.keyboard.press("?");
  const help = page.getByRole("dialog", { name: "Help and shortcuts" });
  await help.getByText("Single-key shortcuts").click();
  await help.getByRole("button", { name: "Close" }).click();
  await expect(help).toBeHidden();
  await page.getByRole("heading", { name: "Watch a small model learn" }).click();
  await page.keyboard.press("s");
  expect((await snapshot(page)).state).toBe("idle");
});
