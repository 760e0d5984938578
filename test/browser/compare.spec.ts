// The Compare screen. A racer is a run like any other, so what it shows must be what the same
// configuration gives on the Train screen, to the bit: one seed, one engine.
import type { Page } from "@playwright/test";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { button, chartColumns, choose, expect, openLab, runToEnd, start, TABLE, TINY, test } from "./lab.ts";
import { expectShown } from "./numbers.ts";

const RACE = { ...TABLE, steps: 30 };

/** Starts a run, so that the race starts from its configuration, and opens the Compare screen. */
async function compareFrom(page: Page, config: RunConfigInput): Promise<void> {
  await openLab(page);
  await runToEnd(page, config);
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Does it matter?" })).toBeVisible();
}

async function enter(page: Page, name: string, value: number): Promise<void> {
  const input = page.getByRole("textbox", { name });
  await input.fill(String(value));
  await input.press("Enter");
}

const said = (page: Page) => page.locator(".race-controls [role=status]");
const rows = (page: Page) => page.getByRole("table", { name: /^Racers/ }).locator("tbody tr");

/** The cells of a racer by the titles of their columns. */
async function cellsOf(page: Page, racer: number): Promise<Readonly<Record<string, string>>> {
  const cells = await rows(page)
    .nth(racer)
    .locator("td")
    .evaluateAll((all) => all.map((cell) => [cell.getAttribute("data-title") ?? "", cell.textContent ?? ""] as const));
  return Object.fromEntries(cells);
}

test("three values race from one seed to the end, curve over curve, with the engine's numbers", async ({ page }) => {
  const rates = [0.5, 1, 0.1];
  await compareFrom(page, RACE);
  await choose(page, "What varies", "Learning rate");
  await button(page, "Add a racer").click();
  await enter(page, "C: Learning rate", 0.1);
  await button(page, "Start the race").click();
  await expect(said(page)).toHaveText("Finished: 3 racers");
  await expect(rows(page)).toHaveCount(3);
  const shown = await Promise.all(rates.map((_, racer) => cellsOf(page, racer)));
  expect(shown.map((cells) => cells["Learning rate"])).toEqual(rates.map(String));
  for (const cells of shown) {
    expect(cells.State).toBe("30 of 30 finished");
    expect(Object.keys(cells)).toEqual(["State", "Learning rate", "Greedy accuracy", "Reward, last 10 steps", "Verdict"]);
  }
  const lines = page.getByRole("region", { name: "Reward", exact: true }).locator("path.plot-line");
  await expect(lines).toHaveCount(3);
  expect(new Set(await lines.evaluateAll((all) => all.map((line) => line.getAttribute("stroke-dasharray")))).size).toBe(3);
  expect(new Set(await lines.evaluateAll((all) => all.map((line) => line.getAttribute("stroke")))).size).toBe(3);
  const reward = await chartColumns(page, "Reward");
  const accuracy = await chartColumns(page, "Evaluation accuracy");
  for (const [racer, learningRate] of rates.entries()) {
    const { metrics, evaluations } = await runToEnd(page, { ...RACE, learningRate });
    const rewards = metrics.map((record) => record.metrics.reward ?? Number.NaN);
    const id = "ABC"[racer] ?? "";
    expect(reward[`${id} reward`], `rewards of ${id}`).toEqual(rewards);
    expect(accuracy[`${id} greedyAccuracy`], `accuracy of ${id}`).toEqual(evaluations.map(({ greedyAccuracy }) => greedyAccuracy));
    const mean = rewards.slice(-10).reduce((a, b) => a + b) / 10;
    expectShown(shown[racer]?.["Reward, last 10 steps"] ?? "", mean, "mean reward of the last 10 steps");
    expectShown(shown[racer]?.["Greedy accuracy"] ?? "", evaluations.at(-1)?.greedyAccuracy ?? Number.NaN, "greedy accuracy");
  }
});

test("four transformers race, as many at once as there are cores", async ({ page }) => {
  test.setTimeout(120_000);
  await compareFrom(page, TINY);
  await choose(page, "What varies", "Seed");
  await button(page, "Add a racer").click();
  await button(page, "Add a racer").click();
  await expect(button(page, "Add a racer")).toBeDisabled();
  await button(page, "Start the race").click();
  await expect(said(page)).toHaveText("Finished: 4 racers", { timeout: 60_000 });
  await choose(page, "Third chart", "Entropy");
  const entropy = await chartColumns(page, "Entropy");
  for (const [racer, id] of ["A", "B", "C", "D"].entries()) {
    const { metrics } = await runToEnd(page, { ...TINY, seed: racer });
    expect(entropy[`${id} entropy`], id).toEqual(metrics.map((record) => record.metrics.entropy));
  }
});

test("a branch is its run up to the fork and another one after it", async ({ page }) => {
  const fork = 10;
  await compareFrom(page, RACE);
  await button(page, "Fork").click();
  await enter(page, "Fork after step", fork);
  await enter(page, "B: Learning rate", 2);
  await button(page, "Fork here").click();
  await expect(said(page)).toHaveText("Finished: one branch");
  await expect(rows(page).nth(1)).toContainText(`leaves after step ${fork}`);
  expect((await cellsOf(page, 0))["Learning rate"]).toBe("0.5");
  expect((await cellsOf(page, 1))["Learning rate"]).toBe("2");
  const starts = page.getByRole("region", { name: "Reward", exact: true }).locator("path.plot-line");
  const [trunk = 0, branch = 0] = await starts.evaluateAll((all) =>
    all.map((line) => Number(/^M([\d.]+)/.exec(line.getAttribute("d") ?? "")?.[1])),
  );
  expect(branch).toBeGreaterThan(trunk);
  const { "A reward": a = [], "B reward": b = [] } = await chartColumns(page, "Reward");
  expect(a).toHaveLength(30);
  // The step after the fork is still sampled from the same policy; its update is the first that differs.
  expect(b.slice(0, fork + 1)).toEqual(a.slice(0, fork + 1));
  expect(b.slice(fork + 1)).not.toEqual(a.slice(fork + 1));
  const { metrics } = await runToEnd(page, { ...RACE, changes: [{ afterStep: fork, settings: { learningRate: 2 } }] });
  expect(b).toEqual(metrics.map((record) => record.metrics.reward));
});

test("a value that cannot be raced is refused beside its field, and two racers must differ", async ({ page }) => {
  await compareFrom(page, TINY);
  await choose(page, "What varies", "Width");
  await enter(page, "B: Width", 17);
  await expect(page.getByText("heads must divide hiddenSize 17, got 2")).toBeVisible();
  await expect(button(page, "Start the race")).toBeDisabled();
  await enter(page, "B: Width", 16);
  await expect(page.getByText("Two racers are the same: give each another value.")).toBeVisible();
  await expect(button(page, "Start the race")).toBeDisabled();
  await enter(page, "B: Width", 24);
  await expect(button(page, "Start the race")).toBeEnabled();
});

test("a racer that fails says why, and the other goes on", async ({ page }) => {
  await compareFrom(page, { task: "boxed-arithmetic", steps: 1, promptsPerStep: 2, groupSize: 4, evalProblems: 4, evalSamples: 1 });
  // The first of the two to ask for its checkpoint is told that it is not there.
  await page.route("**/models/base/config.json", (route) => route.fulfill({ status: 404 }), { times: 1 });
  await button(page, "Start the race").click();
  await expect(said(page)).toHaveText("Ended; 1 of 2 failed", { timeout: 30_000 });
  await expect(rows(page).filter({ hasText: "1 of 1 finished" })).toHaveCount(1);
  await expect(rows(page).filter({ hasText: 'failed: asset "models/base/config.json" is missing (404)' })).toHaveCount(1);
});

test("a race is paused, goes on and is stopped, apart from the run on the Train screen", async ({ page }) => {
  await openLab(page);
  await start(page, { ...TINY, steps: 5000 });
  await page.evaluate(() => window.rolloutLab.pause());
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await button(page, "Start the race").click();
  const step = async (racer: number) => Number(/^\d+/.exec((await cellsOf(page, racer)).State ?? "")?.[0]);
  await expect.poll(() => step(0)).toBeGreaterThan(2);
  await button(page, "Pause all").click();
  await expect(said(page)).toHaveText("2 of 2 paused");
  await expect(rows(page).first()).toContainText("paused");
  const paused = await step(0);
  await button(page, "Go on, all").click();
  await expect.poll(() => step(0)).toBeGreaterThan(paused);
  await button(page, "Stop all").click();
  await expect(rows(page).first()).toContainText("stopped");
  await expect(rows(page).nth(1)).toContainText("stopped");
  expect(await page.evaluate(() => window.rolloutLab.snapshot().state)).toBe("paused");
  await button(page, "Clear").click();
  await expect(page.getByRole("heading", { name: "Does it matter?" })).toBeVisible();
});
