// What can be changed while a run goes on reaches the engine at once; the rest waits for a restart and
// says so; every edit can be taken back and linked to.
import type { Page } from "@playwright/test";
import {
  atFullSpeed,
  button,
  eventAfter,
  expect,
  field,
  openLab,
  reach,
  reachStep,
  runToEnd,
  slowDown,
  snapshot,
  start,
  startBeside,
  TABLE,
  TINY,
  testInSamePage as test,
} from "./lab.ts";

test.describe.configure({ mode: "default" });

async function enter(page: Page, group: string, title: string, value: number): Promise<void> {
  const input = await field(page, group, title);
  await input.fill(String(value));
  await input.press("Enter");
}

async function choosePreset(page: Page, name: RegExp): Promise<void> {
  await page
    .getByRole("button", { name: /Preset/ })
    .first()
    .click();
  await page.getByRole("option", { name }).click();
}

test("learning rate, KL weight, clip range and temperature change while the run goes on", async ({ page }) => {
  await openLab(page);
  await startBeside(page, { ...TINY, klCoef: 0.01 });
  const changes = [
    ["Optimizer", "Learning rate", "learningRate", 0.0005],
    ["KL to reference", "KL weight", "klCoef", 0.07],
    ["Objective", "Clip below", "clipLow", 0.11],
    ["Objective", "Clip above", "clipHigh", 0.33],
    ["Sampling", "Temperature", "temperature", 0.8],
  ] as const;
  for (const [group, title, key, value] of changes) {
    const { settings } = await eventAfter(page, "settings", () => enter(page, group, title, value));
    expect(settings).toEqual({ [key]: value });
  }
  const { step, config, state } = await snapshot(page);
  expect(state).toBe("running");
  expect(config).toMatchObject({ learningRate: 0.0005, klCoef: 0.07, clipLow: 0.11, clipHigh: 0.33, temperature: 0.8 });
  await reachStep(page, step + 2);
  const { metrics } = await snapshot(page);
  expect(metrics[0]?.metrics).toMatchObject({ learning_rate: 0.003, kl_coef: 0.01 });
  expect(metrics.at(-1)?.metrics).toMatchObject({ learning_rate: 0.0005, kl_coef: 0.07 });
  await expect(page.getByText(/on restart/)).toHaveCount(0);
});

test("another change is marked, waits, and comes with a restart", async ({ page }) => {
  await openLab(page);
  await startBeside(page, TINY);
  const { runId } = await snapshot(page);
  await enter(page, "Sampling", "Group size", 6);
  await expect(page.getByText("1 change applies on restart.")).toBeVisible();
  await expect(page.locator(".field", { hasText: "Group size" }).getByText("on restart")).toBeVisible();
  expect((await snapshot(page)).config?.groupSize).toBe(8);
  await atFullSpeed(page);
  await reachStep(page, 21);
  await button(page, "Restart with changes").click();
  await page.getByRole("dialog").getByRole("button", { name: "Start the new run" }).click();
  await page.waitForFunction((before) => window.rolloutLab.snapshot().runId !== before, runId);
  await reachStep(page, 1);
  const after = await snapshot(page);
  expect(after.config).toMatchObject({ groupSize: 6, hiddenSize: 16 });
  expect(after.groups[0]?.trajectories).toHaveLength(6);
  await expect(page.getByText(/on restart/)).toHaveCount(0);
});

test("a preset of the same kind or of another is for the next run and leaves the one that goes on alone", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-transformer&steps=0&groupSize=8&innerEpochs=1");
  await slowDown(page);
  await button(page, "Train").click();
  await reachStep(page, 1);
  const before = (await snapshot(page)).config;
  await choosePreset(page, /^Solved, then lost/);
  await expect(page.getByText(/^These settings are for the next run/)).toBeVisible();
  const { step: chosen } = await snapshot(page);
  await reachStep(page, chosen + 2);
  expect((await snapshot(page)).config).toEqual(before);
  await choosePreset(page, /^Digit sum, logits table/);
  await expect(page.getByText(/^These settings are for the next run\. Digit sum, GRPO goes on as it is/)).toBeVisible();
  // What waits for another run does not apply at once.
  await field(page, "Optimizer", "Learning rate");
  await expect(page.locator(".field", { hasText: /^Learning rate/ })).not.toContainText("live");
  const { step } = await snapshot(page);
  await reachStep(page, step + 2);
  expect((await snapshot(page)).config).toEqual(before);
  await enter(page, "Optimizer", "Learning rate", 0.25);
  await reachStep(page, step + 4);
  expect((await snapshot(page)).config).toEqual(before);
  await atFullSpeed(page);
  await reachStep(page, 21);
  await button(page, "Start the next run").click();
  const question = page.getByRole("dialog", { name: "Replace this run by a new one?" });
  await expect(question).toContainText(/Digit sum, GRPO is at step \d+\. This run is saved/);
  await question.getByRole("button", { name: "Start the new run" }).click();
  await reach(page, "finished");
  expect((await snapshot(page)).config).toMatchObject({ model: "tabular", learningRate: 0.25 });
  await expect(page.locator(".top-run")).toHaveText(/^Digit sum, /);
});

test("a step beyond the last moves the end with it", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TABLE, steps: 12 });
  await button(page, "Step").click();
  await expect(page.getByText("13 of 13 steps")).toBeVisible();
  await page.evaluate(() => window.rolloutLab.step());
  await expect(page.getByText("14 of 14 steps")).toBeVisible();
  expect((await snapshot(page)).config?.steps).toBe(14);
  // That is no change of a setting.
  await expect(await field(page, "Run", "Steps")).toHaveValue("12");
  await expect(page.getByText(/on restart/)).toHaveCount(0);
});

test("an address keeps the last values that can be used", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  await enter(page, "Sampling", "Group size", 8);
  await expect(page).toHaveURL(/preset=digit-sum-table&groupSize=8$/);
  await enter(page, "Sampling", "Group size", 1);
  await expect(page.getByText("Group size must be >= 2, got 1", { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/preset=digit-sum-table&groupSize=8$/);
});

test("the last edit can be taken back and made again by button and by key, in the engine too", async ({ page }) => {
  await openLab(page);
  await startBeside(page, TINY);
  const rate = await field(page, "Optimizer", "Learning rate");
  await eventAfter(page, "settings", () => enter(page, "Optimizer", "Learning rate", 0.02));
  expect((await eventAfter(page, "settings", () => button(page, "Undo").click())).settings).toEqual({ learningRate: 0.003 });
  await expect(rate).toHaveValue("0.003");
  await eventAfter(page, "settings", () => enter(page, "Optimizer", "Learning rate", 0.04));
  await rate.blur();
  expect((await eventAfter(page, "settings", () => page.keyboard.press("Control+z"))).settings).toEqual({ learningRate: 0.003 });
  await expect(rate).toHaveValue("0.003");
  await expect(button(page, "Undo")).toBeDisabled();
  const redone = await eventAfter(page, "settings", () => page.keyboard.press("Control+Shift+Z"));
  expect(redone.settings).toEqual({ learningRate: 0.04 });
  await expect(rate).toHaveValue("0.04");
  await expect(button(page, "Redo")).toBeDisabled();
  await eventAfter(page, "settings", () => button(page, "Undo").click());
  await button(page, "Redo").click();
  await expect(rate).toHaveValue("0.04");
});

test("a value out of range is explained beside its field and cannot be started", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  await enter(page, "Sampling", "Group size", 1);
  await expect(page.locator(".field", { hasText: "Group size" }).getByText("Group size must be >= 2, got 1")).toBeVisible();
  await expect(button(page, "Train")).toBeDisabled();
  await enter(page, "Sampling", "Group size", 4);
  await expect(page.getByText(/Group size must be/)).toHaveCount(0);
  await expect(button(page, "Train")).toBeEnabled();
});

test("text where a number belongs is refused in words", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  const rate = await field(page, "Optimizer", "Learning rate");
  await rate.focus();
  await expect(page.locator(".field-hint")).toContainText("Step size at the top of the schedule");
  await expect(rate).toHaveAccessibleDescription(/^Step size at the top of the schedule/);
  await rate.fill("fast");
  await expect(page.getByText('Learning rate must be a number, got "fast"')).toBeVisible();
  await page.getByRole("heading", { name: "Watch a small model learn" }).click();
  await expect(rate).toHaveValue("fast");
  await expect(page.getByText('Learning rate must be a number, got "fast"')).toBeVisible();
  await rate.press("Escape");
  await expect(rate).toHaveValue("0.5");
});

test("a preset chosen by name, an edit, and a reward with its settings and a gate show in the address that opens them again", async ({
  page,
}) => {
  await openLab(page);
  await choosePreset(page, /^Digit sum, logits table/);
  await expect(page).toHaveURL(/#\/train\?version=3&preset=digit-sum-table$/);
  await enter(page, "Run", "Seed", 7);
  await expect(page).toHaveURL(/preset=digit-sum-table&seed=7$/);
  // A reward of the library.
  await button(page, "Add a reward").click();
  await page.getByRole("menuitem", { name: /^Length near a target/ }).click();
  const rule = page.getByRole("group", { name: "Length near a target" });
  await rule.getByRole("textbox", { name: "Target length" }).fill("4");
  await rule.getByRole("textbox", { name: "Target length" }).press("Enter");
  await button(page, "Add a gate").click();
  await page.getByRole("menuitem", { name: "Length near a target" }).click();
  await page.getByRole("textbox", { name: "Reward unless “Length near a target” is 1" }).fill("-1");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/rewardRules=%7B%22lengthTarget%22%3A%7B%22target%22%3A4%7D%7D&rewardGates=%7B%22lengthTarget%22%3A-1%7D$/);
  const link = page.url();
  await page.goto("about:blank");
  await page.goto(link);
  await expect(await field(page, "Run", "Seed")).toHaveValue("7");
  await expect(rule.getByRole("textbox", { name: "Target length" })).toHaveValue("4");
  await button(page, "Train").click();
  await reach(page, "finished");
  // A run that has just started has nothing waiting for a restart.
  await expect(page.getByText(/on restart/)).toHaveCount(0);
  const { config, groups } = await snapshot(page);
  expect(config).toMatchObject({ seed: 7, model: "tabular", algorithm: "builtin" });
  expect(config).toMatchObject({ rewardRules: { lengthTarget: { target: 4 } }, rewardGates: { lengthTarget: -1 } });
  expect(groups[0]?.trajectories[0]?.rewardParts.map(({ name }) => name)).toEqual(["sumCloseness", "lengthTarget"]);
  await button(page, "Remove Length near a target").click();
  await expect(page).not.toHaveURL(/reward/);
});

test("supervised training is a run like any other, with its loss", async ({ page }) => {
  await openLab(page);
  const { metrics } = await runToEnd(page, { ...TINY, kind: "supervised", steps: 12, learningRate: 0.01 });
  expect(metrics).toHaveLength(12);
  expect(metrics.at(-1)?.metrics.loss).toBeLessThan(metrics[0]?.metrics.loss ?? 0);
  await expect(page.getByRole("heading", { name: /^Loss/ })).toBeVisible();
  await expect(page.getByText("12 of 12 steps")).toBeVisible();
});

test("a run keeps its configuration when a bad one is sent after it", async ({ page }) => {
  await openLab(page);
  const before = await runToEnd(page, TABLE);
  await expect(start(page, { ...TABLE, learningRate: -1 })).rejects.toThrow("learningRate must be >= 0, got -1");
  const after = await snapshot(page);
  expect(after).toMatchObject({ runId: before.runId, step: 40, state: "finished" });
});
