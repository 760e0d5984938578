// The screen Runs: found, named, tagged, pinned, compared, forked, deleted and kept again, by mouse and by keyboard; and quick with thousands.
import type { Page } from "@playwright/test";
import type { EngineEvent } from "../../src/protocol/messages.ts";
import { shareText } from "../../src/protocol/quantities.ts";
import {
  button,
  engineIsUp,
  expect,
  openLab,
  openSpoilable,
  reach,
  report,
  runToEnd,
  snapshot,
  start,
  TABLE,
  TINY,
  testInEmptyPage as test,
} from "./lab.ts";
import { expectNothingSerious, overflow, seriousProblems } from "./looks.ts";
import { speed } from "./pages.ts";

const rows = (page: Page) => page.locator(".runs-table tbody tr");
const search = (page: Page) => page.getByRole("searchbox", { name: "Search" });
const saved = (page: Page) => page.evaluate(() => window.rolloutLab.saves());

/** Three runs of two tasks, on the screen Runs. */
async function withRuns(page: Page): Promise<void> {
  await openLab(page);
  await runToEnd(page, TABLE);
  await runToEnd(page, { ...TABLE, seed: 2, learningRate: 0.25 });
  await runToEnd(page, { ...TINY, steps: 2 });
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await expect(rows(page)).toHaveCount(3);
}

/** The screen without runs, and with them. */
async function nothingSerious(page: Page): Promise<void> {
  await openLab(page, "#/runs");
  await expect(page.getByText("No runs are saved here yet.")).toBeVisible();
  expect(await seriousProblems(page)).toEqual([]);
  await withRuns(page);
  await rows(page).nth(1).getByRole("link").click();
  await expectNothingSerious(page, "runs");
  await page.setViewportSize({ width: 320, height: 700 });
  expect(await overflow(page)).toEqual({ width: 320, wide: [] });
}

test("nothing serious, nothing that sticks out, with runs and without @phone", async ({ page }) => nothingSerious(page));

test("runs are filtered, sorted, named, tagged and pinned, and stay so after a reload; several are deleted at once, and kept where that is undone", async ({
  page,
}) => {
  // The recorded runs that come with the page are listed, and open as recordings.
  await openLab(page, "#/runs");
  await page.getByRole("region", { name: "Recorded runs that come with the page" }).getByRole("link", { name: "Sums" }).click();
  await expect(page.getByText("of 100 steps")).toBeVisible();
  await expect(page.getByRole("button", { name: "Go on from here" })).toBeVisible();
  await page.evaluate(() => window.rolloutLab.reset());
  await test.step("nothing serious, nothing that sticks out, with runs and without", () => nothingSerious(page));
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await test.step("they are filtered, sorted and labelled; the one on screen is not deleted, and that is said", async () => {
    await expect(rows(page).nth(1)).toContainText("Digit sum, logits table, lr 0.25, seed 2");
    await expect(rows(page).nth(1)).toContainText("40 of 40");
    await rows(page).nth(0).getByRole("checkbox").check();
    await expect(button(page, "Delete 0")).toBeDisabled();
    await rows(page).nth(0).getByRole("checkbox").uncheck();

    await page.getByRole("button", { name: /^Steps/ }).click();
    await expect(rows(page).nth(2)).toContainText("2 of 2");
    await expect(page.getByRole("columnheader", { name: "Steps" })).toHaveAttribute("aria-sort", "descending");
    await page.getByRole("button", { name: /^Steps/ }).click();
    await expect(rows(page).nth(0)).toContainText("2 of 2");
    await search(page).fill("nothing is called so");
    await expect(page.getByText("No run is like that.")).toBeVisible();
    await button(page, "Show all").click();
    await expect(rows(page)).toHaveCount(3);
    await search(page).fill("seed 2");
    await expect(rows(page)).toHaveCount(1);
    await rows(page).getByRole("link").click();
    const detail = page.getByRole("complementary", { name: /^The run/ });
    await detail.getByRole("textbox", { name: "Name" }).fill("the good one");
    await page.keyboard.press("Enter");
    await detail.getByRole("textbox", { name: "Add a tag" }).fill("paper");
    await page.keyboard.press("Enter");
    await detail.getByRole("textbox", { name: "Notes" }).fill("see figure 3");
    await page.keyboard.press("Control+Enter");
    await detail.getByRole("button", { name: "Pin to the top" }).click();
    await search(page).fill("figure paper");
    await expect(rows(page)).toHaveCount(1);
    await page.reload();
    await engineIsUp(page);
    await expect(rows(page)).toHaveCount(3);
    await expect(rows(page).first()).toContainText("the good one");
    await expect(rows(page).first()).toContainText("paper");
    expect((await saved(page)).find(({ name }) => name === "the good one")?.label).toEqual({
      name: "the good one",
      notes: "see figure 3",
      tags: ["paper"],
      isPinned: true,
    });
  });
  await test.step("several are deleted at once, and kept where that is undone in time", async () => {
    await page.getByRole("checkbox", { name: "Choose all runs of this page" }).check();
    await button(page, "Delete 3").click();
    await expect(rows(page)).toHaveCount(0);
    expect(await saved(page)).toHaveLength(3);
    await button(page, "Undo").click();
    await expect(rows(page)).toHaveCount(3);
    await rows(page).nth(0).getByRole("checkbox").focus();
    await page.keyboard.press("Space");
    await button(page, "Delete 1").press("Enter");
    await expect(rows(page)).toHaveCount(2);
    await expect.poll(async () => (await saved(page)).length, { timeout: 20_000 }).toBe(2);
    await expect(page.getByText("1 run deleted.")).toBeVisible();
  });
});

test("each row has all that can be done with its run, by keyboard alone, and a run is forked at a step under another setting", async ({
  page,
}) => {
  await withRuns(page);
  await page.reload();
  await engineIsUp(page);
  await expect(page.getByRole("heading", { level: 1, name: "Runs" })).toBeVisible();
  const menu = (row: number) =>
    rows(page)
      .nth(row)
      .getByRole("button", { name: /^What to do with/ });
  const pick = async (row: number, name: string) => {
    const item = page.getByRole("menuitem", { name, exact: true });
    // A screen that has just come takes the focus once; a menu that came late is not closed again.
    await expect(async () => {
      if (!(await item.isVisible())) await menu(row).press("Enter");
      await expect(item).toBeVisible({ timeout: 2_000 });
    }).toPass();
    for (let presses = 0; presses < 10 && !(await item.evaluate((each) => each === document.activeElement)); presses++)
      await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await expect(page.getByRole("menu")).toHaveCount(0);
  };
  await menu(1).focus();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem")).toHaveText([
    "Open",
    "Train on",
    "Fork …",
    "Compare",
    "Export …",
    "Share as a file",
    "Download",
    "Pin to the top",
    "Delete",
  ]);
  expect(await seriousProblems(page)).toEqual([]);
  await page.keyboard.press("Escape");
  const shared = page.waitForEvent("download");
  await pick(1, "Share as a file");
  expect((await shared).suggestedFilename()).toMatch(/\.rollout$/);
  await pick(1, "Fork …");
  await expect(page.getByRole("region", { name: "Fork" })).toBeVisible();
  // The first that is compared is chosen, the second one makes the comparison.
  await pick(1, "Compare");
  await expect(rows(page).nth(1).getByRole("checkbox")).toBeChecked();
  await pick(2, "Compare");
  await expect(page.locator(".race-table tbody tr")).toHaveCount(2);
  await page.goto("./#/runs");
  await pick(2, "Export …");
  await expect(page.getByRole("dialog", { name: "Share, export or report" })).toBeVisible();
  await page.keyboard.press("Escape");
  await page.goto("./#/runs");
  await pick(1, "Train on");
  await expect.poll(async () => (await snapshot(page)).config?.seed).toBe(2);

  await page.goto("./#/runs");
  await page.reload();
  await engineIsUp(page);
  await rows(page).last().getByRole("link").click();
  await button(page, "Fork").click();
  const form = page.getByRole("region", { name: "Fork" });
  await form.getByRole("textbox", { name: "After step" }).fill("50");
  await page.keyboard.press("Enter");
  await expect(form).toContainText("The step must be a whole number from 0 to 40, got 50");
  await form.getByRole("textbox", { name: "After step" }).fill("10");
  await page.keyboard.press("Enter");
  await button(page, "Fork it").click();
  await reach(page, "paused");
  expect((await snapshot(page)).step).toBe(10);
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  await expect(rows(page)).toHaveCount(4);
  await expect(rows(page).nth(0)).toContainText("after step 10 of another run");
  await expect(rows(page).nth(0)).toContainText("from step 11");
});

test("kept runs stand over each other with what their difference is worth, which settings differ and what they said", async ({ page }) => {
  await openLab(page);
  for (const change of [{}, { seed: 1 }, { learningRate: 0.05 }, { learningRate: 0.05, seed: 1 }])
    await runToEnd(page, { ...TABLE, ...change });
  await page.reload();
  await engineIsUp(page);
  await page.goto("./#/runs");
  await page.getByRole("checkbox", { name: "Choose all runs of this page" }).check();
  await button(page, "Compare").click();
  const board = page.locator(".compare-board");
  await expect(board.getByRole("region", { name: "What the race shows" })).toContainText(/A difference|No difference shown/);
  // Seeds of one setting are one configuration.
  await expect(board.locator(".race-table tbody tr")).toHaveCount(2);
  await expect(board.getByRole("region", { name: "Settings that differ" })).toContainText("Learning rate");
  await expect(board.getByRole("region", { name: "Settings that differ" }).locator("tbody tr")).toHaveCount(1);
  await expect(board.getByRole("region", { name: "Evaluations" }).locator("tbody tr")).toHaveCount(4);
  await expect(board.getByRole("region", { name: "The same prompts" })).toBeVisible();
  expect(await seriousProblems(page)).toEqual([]);
  // The address alone opens it again.
  await page.reload();
  await expect(board.locator(".race-table tbody tr")).toHaveCount(2);
  await page
    .getByRole("button", { name: /^Leave .* out$/ })
    .first()
    .click();
  await expect(board.getByRole("region", { name: "Evaluations" }).locator("tbody tr")).toHaveCount(3);
});

test("a run that goes on stands over a kept one, and its figures are those of the engine while it goes and once it stands", async ({
  page,
}) => {
  await openLab(page);
  await runToEnd(page, TABLE);
  await speed(page).press("ArrowLeft");
  await start(page, { ...TABLE, learningRate: 0.05, steps: 100_000, evalEvery: 4 });
  await page.goto("./#/runs");
  await page.getByRole("checkbox", { name: "Choose all runs of this page" }).check();
  await button(page, "Compare").click();
  const board = page.locator(".compare-board");
  const evaluations = board.getByRole("region", { name: "Evaluations" }).locator("tbody tr").filter({ hasText: "0.05" });
  const shownStep = async () => Number(await evaluations.locator("td").nth(1).textContent());
  await expect.poll(shownStep).toBeGreaterThan(0);
  const before = await shownStep();
  expect((await snapshot(page)).state).toBe("running");
  await expect.poll(shownStep).toBeGreaterThan(before);
  await page.evaluate(() => window.rolloutLab.pause());
  await reach(page, "paused");
  const { step, evaluations: told } = await snapshot(page);
  const last = told.at(-1)!;
  await expect.poll(shownStep).toBe(last.step);
  await expect(evaluations).toContainText(shareText(last.sampledAccuracy));
  await expect(board.locator(".race-table tbody tr").filter({ hasText: "0.05" })).toContainText(`${step}`);
});

test("with 10,000 runs a key in the search takes less than 50 ms until it is drawn", async ({ page }) => {
  await openSpoilable(page);
  await runToEnd(page, TABLE);
  await page.addInitScript(() => {
    const words = ["calm", "brisk", "quiet", "bright", "early", "late", "keen", "mild"];
    window.spoil = (event: EngineEvent) => {
      if (event.type !== "saves" || event.runs.length === 0) return event;
      const one = event.runs[0]!;
      const runs = Array.from({ length: 10_000 }, (_, i) => ({
        ...one,
        ...{ runId: `run-${i}`, name: `${one.name} ${words[i % 8]} ${i}`, savedAt: one.savedAt - i, step: i % 41 },
      }));
      return { ...event, runs };
    };
  });
  await page.goto("./#/runs");
  await page.reload();
  await engineIsUp(page);
  await expect(page.getByText("10000 runs")).toBeVisible();
  const type = () =>
    page.evaluate(async () => {
      const input = document.querySelector<HTMLInputElement>(".runs-search input")!;
      const set = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!.set!;
      const [took, tasks]: [number[], number[]] = [[], []];
      new PerformanceObserver((list) => tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: "longtask" });
      const drawn = () => new Promise<void>((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
      input.focus();
      for (const text of ["c", "ca", "cal", "calm", "calm ", "calm 4", "calm 48", "calm 4", "calm", "", "q", "quiet 1"]) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        const begun = performance.now();
        set.call(input, text);
        input.dispatchEvent(new Event("input", { bubbles: true }));
        // Laid out and ready to be painted.
        document.body.getBoundingClientRect();
        took.push(performance.now() - begun);
        await drawn();
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
      return { took, tasks };
    });
  // A machine that does other things may take its core from the page at a key, and hardly at one of each of three rounds.
  let worst = Number.POSITIVE_INFINITY;
  for (let rounds = 0; rounds < 3 && worst >= 50; rounds++) {
    const { took, tasks } = await type();
    report("the longest task while typing over 10,000 runs", Math.max(0, ...tasks), "ms");
    worst = Math.max(...took);
  }
  report("a key in the search over 10,000 runs", worst, "ms");
  expect(worst).toBeLessThan(50);
});
