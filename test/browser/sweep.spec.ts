// A sweep on the page: set up, trained by a queue of workers, paused, lost with the page and gone on with, and told on other screens.
import type { Page } from "@playwright/test";
import { isLong, longOnly } from "../support/long.ts";
import { button, choose, expect, openLab, runToEnd, snapshot, testInSamePage as test, testInEmptyPage } from "./lab.ts";
import { expectNothingSerious, overflow, seriousProblems } from "./looks.ts";

test.describe.configure({ mode: "default" });

const said = (page: Page) => page.locator(".race-controls [role=status]");
const charts = (page: Page) => page.getByRole("region", { name: "Curves of the combinations" }).getByRole("listitem");
const rows = (page: Page) => page.getByRole("table", { name: /^Combinations/ }).locator("tbody tr");
const saved = (page: Page) => page.evaluate(() => window.rolloutLab.saves());

/** What a saved run recorded. */
async function rewardsOf(page: Page, runId: string): Promise<readonly unknown[]> {
  await page.evaluate((id) => window.rolloutLab.continue(id), runId);
  return (await snapshot(page)).metrics.map(({ metrics }) => metrics.reward);
}

/** Opens a set-up by its address. */
async function setUp(page: Page, over: string, others = "preset=digit-sum-table&steps=30&evalEvery=10"): Promise<void> {
  await openLab(page, `#/sweep?${others}&${over}`);
  await expect(button(page, "Start the sweep")).toBeVisible();
}

test("two fields over seeds train in a queue, and each run is what the same settings give by themselves", async ({ page }) => {
  await setUp(page, "over=learningRate:0.2,1&over=groupSize:8,24&seeds=2");
  await expect(page.getByText("4 combinations, 8 runs of 30 steps each.")).toBeVisible();
  await button(page, "Start the sweep").click();
  await expect(page.getByRole("heading", { level: 1, name: "Sweep 1: Learning rate and Group size" })).toBeVisible();
  await expect(said(page)).toHaveText("Finished: 8 runs", { timeout: 90_000 });
  await expect(charts(page)).toHaveCount(4);
  await expect(charts(page).first()).toContainText("A Learning rate 0.2, Group size 8");
  await expect(charts(page).locator("path.multiple-seed")).toHaveCount(8);
  await expect(rows(page)).toHaveCount(4);
  await expect(rows(page).nth(3)).toContainText("D Learning rate 1, Group size 24");
  await expect(rows(page).nth(3)).toContainText("2 of 2");
  await expect(page.getByRole("region", { name: "What the sweep shows" })).toContainText(/Over 2 seeds each, the sweep shows/);
  // One step is read off all charts.
  const step = page.getByRole("slider", { name: "Step" });
  await step.press("Home");
  await expect(charts(page).first().getByRole("img")).toHaveAccessibleName(/at step 0, mean of 2 seeds$/);
  expect(await seriousProblems(page)).toEqual([]);
  const saves = await saved(page);
  expect(saves).toHaveLength(8);
  for (const { label } of saves) expect(label.tags).toEqual(["sweep 1"]);
  const one = saves.find(({ config }) => config?.learningRate === 1 && config.groupSize === 8 && config.seed === 1)!;
  const swept = await rewardsOf(page, one.runId);
  // The same settings by themselves, to the bit.
  const alone = await runToEnd(page, one.config!);
  expect(swept).toEqual(alone.metrics.map(({ metrics }) => metrics.reward));
  // Its runs are found by their tag, and lead back.
  await page.goto("./#/runs");
  await expect(page.getByRole("region", { name: "Sweeps" })).toContainText("Sweep 1: Learning rate and Group size 8 of 8 runs finished");
  await page.getByRole("link", { name: "Sweep 1: Learning rate and Group size" }).click();
  await button(page, "Its runs").click();
  await expect(page.locator(".runs-table tbody tr")).toHaveCount(8);
  await page.locator(".runs-table tbody tr").first().getByRole("link").click();
  await page.getByRole("link", { name: "Sweep 1: Learning rate and Group size" }).first().click();
  await rows(page).first().getByRole("button", { name: "Replay the run of A, seed 0" }).click();
  await expect(page.getByText("of 30 steps")).toBeVisible();
  expect((await snapshot(page)).config?.groupSize).toBe(8);
});

test("a run that fails says why and stands in no other's way; what cannot be swept is refused with a sentence", async ({ page }) => {
  await setUp(page, "over=groupSize:1,8");
  await expect(page.getByText("Group size 1: Group size must be >= 2, got 1.")).toBeVisible();
  await expect(button(page, "Start the sweep")).toBeDisabled();
  await setUp(page, "over=threads:1,2");
  await expect(page.getByText(/unknown field "threads"/)).toBeVisible();
  // A model that is not here fails as its run begins, and not before.
  await setUp(page, "over=learningRate:0.001,0.01&seeds=1", "preset=boxed-arithmetic&steps=2&checkpoint=nobody%2Fnothing");
  await button(page, "Start the sweep").click();
  await expect(said(page)).toHaveText("2 runs: 2 failed", { timeout: 60_000 });
  await expect(rows(page).first()).toContainText(/failed: .*nobody\/nothing/);
  await expect(button(page, "Go on")).toBeVisible();
  expect(await seriousProblems(page)).toEqual([]);
  // Why they failed is kept.
  await page.reload();
  await expect(said(page)).toHaveText("2 runs: 2 failed");
});

for (const preset of ["calculator", "solver-and-checker"] as const) {
  const title = `conversations are swept too: ${preset}`;
  const isUsual = preset === "calculator";
  test(isUsual ? title : longOnly(title), async ({ page }) => {
    test.skip(!isLong && !isUsual);
    test.setTimeout(240_000);
    await setUp(page, "over=learningRate:0.0003,0.001&seeds=1", `preset=${preset}&steps=2&evalEvery=0&promptsPerStep=1&groupSize=4`);
    await button(page, "Start the sweep").click();
    await expect(said(page)).toHaveText("Finished: 2 runs", { timeout: 200_000 });
    await expect(page.getByRole("region", { name: "What the sweep shows" })).toContainText("one seed each");
    await rows(page).first().getByRole("button", { name: "Replay the run of A, seed" }).click();
    await expect(page.getByText("of 2 steps")).toBeVisible();
  });
}

test("a sweep is reached by keyboard from Train, the palette and Compare, and nothing sticks out at 320 pixels @both", async ({ page }) => {
  await openLab(page, "#/compare");
  await button(page, "Sweep").focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Which value is best?" })).toBeVisible();
  await choose(page, "What is swept", "Algorithm");
  await page.getByRole("checkbox", { name: "Dr. GRPO" }).check();
  await button(page, "Sweep a second field").click();
  await expect(page.getByText(/^\d+ combinations, /)).toBeVisible();
  await expectNothingSerious(page, "the form");
  await page.setViewportSize({ width: 320, height: 700 });
  const { width, wide } = await overflow(page);
  expect([width, wide]).toEqual([320, []]);
  await button(page, "Race").click();
  await expect(button(page, "Start the race")).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search commands" }).fill("sweep a setting");
  await expect(page.getByRole("menuitem").first()).toContainText("Sweep a setting over several values");
  await page.keyboard.press("Enter");
  await expect(button(page, "Start the sweep")).toBeVisible();
});

testInEmptyPage("a page that closes in the middle loses nothing: the sweep goes on from where each run stands", async ({ page }) => {
  test.setTimeout(180_000);
  await setUp(page, "over=learningRate:0.2,1&seeds=2", "preset=digit-sum-table&steps=400&evalEvery=0");
  await button(page, "Start the sweep").click();
  const address = () => new URL(page.url()).hash;
  await expect.poll(address).toContain("id=");
  // Some runs have begun and are kept.
  await expect.poll(async () => (await saved(page)).length, { timeout: 60_000 }).toBeGreaterThan(0);
  await button(page, "Pause").click();
  await expect(said(page)).toContainText("paused");
  await page.reload();
  await expect(said(page)).toHaveText(/^(4 runs: .*(interrupted|waiting)|Finished: 4 runs)/, { timeout: 30_000 });
  const before = new Map((await saved(page)).map(({ runId, step }) => [runId, step]));
  await button(page, "Go on").click();
  await expect(said(page)).toHaveText("Finished: 4 runs", { timeout: 120_000 });
  // The page asks for the list again as a run ends; the last row of it is behind for that moment.
  await expect.poll(async () => (await saved(page)).map(({ step }) => step)).toEqual([400, 400, 400, 400]);
  const after = await saved(page);
  for (const runId of before.keys()) expect(after.map((save) => save.runId)).toContain(runId);
  // What was cut has the same bits as what was not.
  const one = after.find(({ runId }) => (before.get(runId) ?? 400) < 400) ?? after[0]!;
  const swept = await rewardsOf(page, one.runId);
  const alone = await runToEnd(page, one.config!);
  expect(swept).toEqual(alone.metrics.map(({ metrics }) => metrics.reward));
});

testInEmptyPage("a cancelled sweep keeps what it trained, can be gone on with, and is forgotten without its runs", async ({ page }) => {
  await setUp(page, "over=learningRate:0.2,1&seeds=3", "preset=digit-sum-table&steps=3000&evalEvery=0");
  await button(page, "Start the sweep").click();
  await expect.poll(async () => (await saved(page)).length, { timeout: 60_000 }).toBeGreaterThan(0);
  await button(page, "Cancel").click();
  await expect(said(page)).toContainText("it was cancelled");
  const kept = (await saved(page)).length;
  expect(kept).toBeGreaterThan(0);
  await expect(button(page, "Go on")).toBeVisible();
  await button(page, "Forget it").click();
  await button(page, "Forget the sweep").click();
  await expect(button(page, "Start the sweep")).toBeVisible();
  expect((await saved(page)).length).toBe(kept);
});
