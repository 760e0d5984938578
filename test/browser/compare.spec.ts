// The Compare screen. A run of a race is a run like any other, so what it shows must be what the same
// configuration gives on the Train screen, to the bit: one seed, one engine.
import type { Page } from "@playwright/test";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import { button, chartColumns, choose, expect, openLab, runToEnd, start, TABLE, TINY, testInSamePage as test } from "./lab.ts";
import { expectShown } from "./numbers.ts";

test.describe.configure({ mode: "default" });

const RACE = { ...TABLE, steps: 30 };

/** Takes the race that is shown off the board, and what was set up for it. */
async function clear(page: Page): Promise<void> {
  await button(page, "Clear").click();
  await expect(page.getByRole("heading", { name: "Does it matter?" })).toBeVisible();
  await page.goto("./#/compare?vary=algorithm");
  await expect(page.getByRole("button", { name: /What varies/ })).toContainText("Algorithm");
}

/** Starts a run, so that the race starts from its configuration, and opens the Compare screen. */
async function compareFrom(page: Page, config: RunConfigInput): Promise<void> {
  await openLab(page);
  await runToEnd(page, config);
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Does it matter?" })).toBeVisible();
  // Each race to begin with says what differs in it.
  await expect(page.getByText(/^Varies /)).toHaveText([
    "Varies Algorithm: GRPO, Dr. GRPO",
    "Varies Learning rate: 0.1, 0.5, 1",
    "Varies Inner epochs μ: 1, 4",
  ]);
}

async function enter(page: Page, name: string, value: number): Promise<void> {
  const input = page.getByRole("textbox", { name });
  await input.fill(String(value));
  await input.press("Enter");
}

const said = (page: Page) => page.locator(".race-controls [role=status]");
const rows = (page: Page) => page.getByRole("table", { name: /^Configurations/ }).locator("tbody tr");

/** The cells of a configuration by the titles of their columns. */
async function cellsOf(page: Page, place: number): Promise<Readonly<Record<string, string>>> {
  const cells = await rows(page)
    .nth(place)
    .locator("td")
    .evaluateAll((all) => all.map((cell) => [cell.getAttribute("data-title") ?? "", cell.textContent ?? ""] as const));
  return Object.fromEntries(cells);
}

test("a race that is closed in the middle is there after a reload, goes on from where each run stands, and is cleared by hand", async ({
  page,
}) => {
  await openLab(page, "#/compare?preset=digit-sum-table&steps=400&evalEvery=0&vary=learningRate&values=0.2,1");
  await button(page, "Start the race").click();
  const saved = () => page.evaluate(() => window.rolloutLab.saves());
  await expect.poll(async () => (await saved()).length, { timeout: 60_000 }).toBeGreaterThan(0);
  // Nothing is lost with the page, so it does not ask.
  await page.reload();
  await expect(page.getByRole("heading", { level: 1, name: "Race 1: Learning rate" })).toBeVisible();
  await expect(said(page)).toHaveText(/^(2 runs: .*(interrupted|waiting)|Finished: 2 configurations)/, { timeout: 30_000 });
  await expect(page.getByRole("textbox", { name: "B: Learning rate" })).toHaveValue("1");
  const before = (await saved()).map(({ runId }) => runId);
  const goOn = button(page, "Go on, all");
  if (await goOn.isVisible()) await goOn.click();
  await expect(said(page)).toHaveText("Finished: 2 configurations", { timeout: 90_000 });
  const after = await saved();
  expect(after.map(({ step, label }) => [step, label.tags])).toEqual([
    [400, ["race 1"]],
    [400, ["race 1"]],
  ]);
  for (const runId of before) expect(after.map((save) => save.runId)).toContain(runId);
  const swept = (await chartColumns(page, "Reward"))["A reward"];
  const { metrics } = await runToEnd(page, after.find(({ config }) => config?.learningRate === 0.2)!.config!);
  expect(swept).toEqual(metrics.map((record) => record.metrics.reward));
  await button(page, "Clear").click();
  await expect(said(page)).toBeHidden();
  await page.getByRole("link", { name: "Race 1: Learning rate" }).click();
  await expect(said(page)).toHaveText("Finished: 2 configurations");
  await clear(page);
});

test("three values race from one seed to the end, curve over curve, with the engine's numbers", async ({ page }) => {
  const rates = [0.5, 1, 0.1];
  await compareFrom(page, RACE);
  await choose(page, "What varies", "Learning rate");
  await button(page, "Add a configuration").click();
  await enter(page, "C: Learning rate", 0.1);
  await button(page, "Start the race").click();
  await expect(said(page)).toHaveText("Finished: 3 configurations");
  await expect(rows(page)).toHaveCount(3);
  const shown = await Promise.all(rates.map((_, place) => cellsOf(page, place)));
  const ACCURACY = "Right, sampled at step 30";
  for (const [place, cells] of shown.entries()) {
    await expect(rows(page).nth(place)).toContainText(`Learning rate ${rates[place]}`);
    await expect(rows(page).nth(place)).toContainText("step 30 of 30, finished");
    const [reached, against, target, ...others] = Object.keys(cells);
    expect([reached, against, ...others]).toEqual([ACCURACY, "Against A", "Cost", "Course", "Rollouts"]);
    expect(target).toMatch(/^Steps to \d+ %$/);
  }
  await expect(page.getByRole("region", { name: "What the race shows" })).toContainText(/At step 30 . \(Learning rate .*one seed each/);
  const lines = page.getByRole("region", { name: "Reward", exact: true }).locator("path.plot-line");
  await expect(lines).toHaveCount(3);
  expect(new Set(await lines.evaluateAll((all) => all.map((line) => line.getAttribute("stroke-dasharray")))).size).toBe(3);
  expect(new Set(await lines.evaluateAll((all) => all.map((line) => line.getAttribute("stroke")))).size).toBe(3);
  const reward = await chartColumns(page, "Reward");
  const accuracy = await chartColumns(page, "Accuracy of samples");
  const address = new URL(page.url()).hash;
  const title = page.getByRole("heading", { level: 1 });
  const kept = await title.innerText();
  for (const [place, learningRate] of rates.entries()) {
    const { metrics, evaluations } = await runToEnd(page, { ...RACE, learningRate });
    const rewards = metrics.map((record) => record.metrics.reward ?? Number.NaN);
    const id = "ABC"[place] ?? "";
    expect(reward[`${id} reward`], `rewards of ${id}`).toEqual(rewards);
    expect(accuracy[`${id} sampledAccuracy`], `accuracy of ${id}`).toEqual(evaluations.map(({ sampledAccuracy }) => sampledAccuracy));
    const percent = /^[\d.]+ %/.exec(shown[place]?.[ACCURACY] ?? "")?.[0] ?? "";
    expectShown(percent, evaluations.at(-1)?.sampledAccuracy ?? Number.NaN, "accuracy of the samples");
  }
  // The address holds the race: opened anew, it is set up as it was.
  await page.goto("about:blank");
  await openLab(page, address);
  await expect(page.getByRole("textbox", { name: "C: Learning rate" })).toHaveValue("0.1");
  await expect(page.getByRole("textbox", { name: "Steps" })).toHaveValue("30");
  await button(page, "Start the race").click();
  // What is kept of the race before is over as well.
  await expect(title).not.toHaveText(kept);
  await expect(title).toHaveText(/^Race \d+: Learning rate$/);
  await expect(said(page)).toHaveText("Finished: 3 configurations");
  expect((await chartColumns(page, "Reward"))["C reward"]).toEqual(reward["C reward"]);
  await clear(page);
});

test("a value that cannot be raced is refused, and four transformers race, as many at once as there are cores", async ({ page }) => {
  const config = { ...TINY, surrogate: "reinforce" } as const;
  await compareFrom(page, config);
  // Beside its field; and two configurations must differ.
  await choose(page, "What varies", "Width");
  await enter(page, "B: Width", 17);
  await expect(page.getByText("Heads must divide Width 17, got 2")).toBeVisible();
  await expect(button(page, "Start the race")).toBeDisabled();
  await enter(page, "B: Width", 16);
  await expect(page.getByText("Two configurations are the same: give each another value.")).toBeVisible();
  await expect(button(page, "Start the race")).toBeDisabled();
  await enter(page, "B: Width", 24);
  await expect(button(page, "Start the race")).toBeEnabled();
  await choose(page, "What varies", "Seed");
  await button(page, "Add a configuration").click();
  await button(page, "Add a configuration").click();
  await expect(button(page, "Add a configuration")).toBeDisabled();
  await button(page, "Start the race").click();
  await expect(said(page)).toHaveText("Finished: 4 configurations", { timeout: 60_000 });
  // What these runs do not measure is no longer waited for.
  await choose(page, "Third chart", "Clip fraction");
  await expect(page.getByRole("region", { name: "Clip fraction" })).toContainText("No run has measured it.");
  await expect(page.getByText("No values yet")).toHaveCount(0);
  await choose(page, "Third chart", "Entropy");
  const entropy = await chartColumns(page, "Entropy");
  for (const [place, id] of ["A", "B", "C", "D"].entries()) {
    const { metrics } = await runToEnd(page, { ...config, seed: place });
    expect(entropy[`${id} entropy`], id).toEqual(metrics.map((record) => record.metrics.entropy));
  }
  await clear(page);
});

test("a branch is its run up to the fork and another one after it", async ({ page }) => {
  const fork = 10;
  await compareFrom(page, RACE);
  await button(page, "Fork").click();
  await enter(page, "Fork after step", fork);
  await enter(page, "B: Learning rate", 2);
  await button(page, "Fork here").click();
  await expect(said(page)).toHaveText("Finished: one branch");
  await expect(rows(page).nth(1)).toContainText(`replayed the run: all numbers equal up to step ${fork}, where it leaves`);
  await expect(rows(page).nth(0)).toContainText("Learning rate 0.5");
  await expect(rows(page).nth(1)).toContainText("Learning rate 2");
  const starts = page.getByRole("region", { name: "Reward", exact: true }).locator("path.plot-line");
  // The curves are drawn a moment after the words; one without points yet lies at 0.
  const places = () => starts.evaluateAll((all) => all.map((line) => Number(/^M([\d.]+)/.exec(line.getAttribute("d") ?? "")?.[1])));
  await expect.poll(async () => (await places()).filter((x) => x > 0).length).toBe(2);
  const [trunk = 0, branch = 0] = await places();
  expect(branch).toBeGreaterThan(trunk);
  const { "A reward": a = [], "B reward": b = [] } = await chartColumns(page, "Reward");
  expect(a).toHaveLength(30);
  // The step after the fork is still sampled from the same policy; its update is the first that differs.
  expect(b.slice(0, fork + 1)).toEqual(a.slice(0, fork + 1));
  expect(b.slice(fork + 1)).not.toEqual(a.slice(fork + 1));
  const { metrics } = await runToEnd(page, { ...RACE, changes: [{ afterStep: fork, settings: { learningRate: 2 } }] });
  expect(b).toEqual(metrics.map((record) => record.metrics.reward));
  await clear(page);
});

test("several seeds make bands, and configurations of unequal cost are compared at equal updates", async ({ page }) => {
  await openLab(page, "#/compare?preset=digit-sum-table&steps=20&evalEvery=5&vary=innerEpochs&values=1,4&seeds=2");
  await button(page, "Start the race").click();
  await expect(said(page)).toHaveText("Finished: 2 configurations, 2 seeds each");
  const shows = page.getByRole("region", { name: "What the race shows" });
  await expect(shows).toContainText("For one step: A 1 update, B 4 updates.");
  await expect(shows).toContainText(/At step 20 .* Over 2 seeds each/);
  await expect(page.getByRole("region", { name: "Reward", exact: true }).locator("path.plot-band")).toHaveCount(2);
  await button(page, "updates").click();
  await expect(shows).toContainText("At 20 updates");
  await expect(shows).not.toContainText("For one step");
  expect(Object.keys(await cellsOf(page, 0))[0]).toBe("Right, sampled at 20 updates");
  const { update = [], "B reward": b = [] } = await chartColumns(page, "Reward");
  expect(update.filter((_, i) => Number.isFinite(b[i]))).toEqual(Array.from({ length: 20 }, (_, i) => 4 * (i + 1)));
  await button(page, "Open the rollouts of B, seed 1").click();
  await expect(page.getByRole("heading", { name: "Rollouts of B Inner epochs μ 4, seed 1" })).toBeVisible();
  await choose(page, "Step", "step 1");
  await expect(page.getByRole("heading", { name: /^Group of/ })).toBeVisible();
  await button(page, "Back to the race").click();
  await expect(shows).toBeVisible();
  await clear(page);
});

test("a configuration that fails says why, and the other goes on", async ({ page }) => {
  await openLab(page, "#/compare?preset=boxed-arithmetic&steps=1&promptsPerStep=2&groupSize=4&evalProblems=4&evalSamples=1&vary=algorithm");
  // The first of the two to ask for its checkpoint is told that it is not there; before them the memory of both is estimated from it.
  let isRefused = false;
  const config = "**/models/base/config.json";
  await page.route(config, async (route) => {
    const isPlanned = (await page.getByText(/^as many as fit \(/).count()) > 0;
    // Both may ask at once: who is first is settled without waiting in between.
    const isOfRace = isPlanned && !isRefused;
    isRefused ||= isOfRace;
    return isOfRace ? route.fulfill({ status: 404 }) : route.continue();
  });
  await button(page, "Start the race").click();
  await expect(said(page)).toHaveText("Ended; 1 of 2 failed", { timeout: 30_000 });
  await expect(rows(page).filter({ hasText: "step 1 of 1, finished" })).toHaveCount(1);
  await expect(rows(page).filter({ hasText: 'failed: asset "models/base/config.json" is missing (404)' })).toHaveCount(1);
  await page.unroute(config);
  await clear(page);
});

test("a race is paused, goes on and is stopped, apart from the run on the Train screen", async ({ page }) => {
  await openLab(page);
  await start(page, { ...TINY, steps: 5000 });
  await page.evaluate(() => window.rolloutLab.pause());
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await button(page, "Start the race").click();
  // The run on the Train screen keeps its controls there.
  await expect(page.getByRole("toolbar", { name: "Run controls" })).toHaveCount(0);
  const step = async (place: number) => Number(/step (\d+) of/.exec((await rows(page).nth(place).textContent()) ?? "")?.[1]);
  await expect.poll(() => step(0)).toBeGreaterThan(2);
  await button(page, "Pause all").click();
  await expect(said(page)).toHaveText("2 runs: 2 paused");
  await expect(rows(page).first()).toContainText("paused");
  const paused = await step(0);
  await button(page, "Go on, all").click();
  await expect.poll(() => step(0)).toBeGreaterThan(paused);
  await button(page, "Stop all").click();
  await expect(rows(page).first()).toContainText("stopped");
  await expect(rows(page).nth(1)).toContainText("stopped");
  expect(await page.evaluate(() => window.rolloutLab.snapshot().state)).toBe("paused");
  await clear(page);
});
