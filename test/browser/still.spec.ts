// What stands still: the Train screen while a run streams, a group that is held, and whatever is pointed at.
import { button, expect, openLab, reachStep, runButton, runToEnd, snapshot, start, TABLE, TINY, testInSamePage as test } from "./lab.ts";

test.describe.configure({ mode: "default" });

declare global {
  interface Window {
    /** Elements that have moved up or down without anybody having touched the page. */
    moved?: string[];
  }
}

const RUN = { ...TINY, steps: 0, promptsPerStep: 3, evalEvery: 5, evalProblems: 16 } as const;

for (const [width, height] of [
  [1280, 800],
  [390, 844],
] as const)
  test(`nothing moves after the first step or on an evaluation, ${width} pixels wide`, async ({ page }) => {
    await page.setViewportSize({ width, height });
    await openLab(page);
    await page.evaluate((config) => window.rolloutLab.start(config), RUN);
    await page.evaluate(() => window.rolloutLab.reset());
    await button(page, "Step phase").click();
    await expect(page.getByRole("heading", { name: "Reward", exact: true })).toBeVisible();
    await expect(page.locator(".readouts")).toBeVisible();
    await page.waitForTimeout(300);
    await page.evaluate(() => {
      window.moved = [];
      const look = (list: PerformanceObserverEntryList) => {
        for (const entry of list.getEntries() as (PerformanceEntry & {
          sources: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
        })[])
          for (const { node, previousRect: from, currentRect: to } of entry.sources)
            if (node instanceof HTMLElement && from.height > 0 && to.height > 0 && Math.abs(from.y - to.y) > 1)
              window.moved?.push(`${node.className} from ${from.y} to ${to.y} px`);
      };
      new PerformanceObserver(look).observe({ type: "layout-shift" });
    });
    await page.evaluate(() => window.rolloutLab.resume());
    await reachStep(page, 12);
    await page.waitForTimeout(300);
    expect(await page.evaluate(() => window.moved)).toEqual([]);
  });

test("nothing moves under the pointer: rows, words, charts, tokens and buttons", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TINY, steps: 6, evalEvery: 3, evalProblems: 16 });
  await expect(page.locator(".chart-overlay").first()).toBeVisible({ timeout: 30_000 });
  /** Where everything stands that has text, whatever is shown over the page. */
  const places = () =>
    page.evaluate(() =>
      Array.from(document.querySelectorAll("main h2, main h3, main a, main button, main dd, main [role=option]"))
        .filter((element) => element.closest("[role=tooltip]") === null)
        .map((element) => {
          const { x, y } = element.getBoundingClientRect();
          // A number stands at the end of its line, wherever it begins.
          return `${element.tagName} ${element.tagName === "DD" ? "" : Math.round(x)} ${Math.round(y + window.scrollY)}`;
        }),
    );
  /** Charts draw one after another. */
  const isAtRest = async () => {
    const before = await places();
    await page.waitForTimeout(500);
    return before.join() === (await places()).join();
  };
  const staysWhenHovered = async (...targets: readonly string[]) => {
    for (const target of targets) {
      // Pointing at what is out of sight scrolls, and what sticks to the window goes along.
      await page.locator(target).first().scrollIntoViewIfNeeded();
      await page.mouse.move(1, 1);
      await expect.poll(isAtRest).toBe(true);
      const before = await places();
      await page.locator(target).first().hover();
      expect(await places(), target).toEqual(before);
    }
  };
  await staysWhenHovered(".row", ".term", ".chart-overlay", ".readout", ".transport .button", ".field-box", ".phase-button");
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  await expect(page.locator(".token").first()).toBeVisible();
  await staysWhenHovered(".token", ".token >> nth=2", ".group-item", ".button");
});

test("a run's name in the list is as wide under the pointer as before, so that a press beside it is one", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, TABLE);
  await page.getByRole("link", { name: "Runs", exact: true }).click();
  const name = page.locator(".runs-name").first();
  await page.mouse.move(1, 1);
  const before = await name.boundingBox();
  await name.hover({ position: { x: 2, y: 2 } });
  expect(await name.evaluate((element) => element.matches(":hover"))).toBe(true);
  expect(await name.boundingBox()).toEqual(before);
});

test("a group that is held keeps its step, prompt and completions while the run goes on", async ({ page }) => {
  await openLab(page);
  await start(page, RUN);
  await reachStep(page, 3);
  const follow = page.getByRole("switch", { name: "Follow the newest step" });
  const panel = page.locator(".train-group .group");
  await page.locator(".toggle", { has: follow }).click();
  await expect(panel.getByRole("heading")).toHaveText(/^Held group step \d+/);
  const text = await panel.innerText();
  await reachStep(page, (await snapshot(page)).step + 20);
  expect(await panel.innerText()).toBe(text);
  // Another prompt of the same step can be asked for while the run goes on.
  await panel.getByRole("button", { name: "Next prompt" }).click();
  await expect(panel.getByText("2 of 3")).toBeVisible();
  expect((await panel.getByRole("heading").innerText()).split("\n")[0]).toBe(text.split("\n")[0]);
  // Rollouts hold the same.
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  await expect(page).toHaveURL(/step=\d+&prompt=2$/);
  await page.getByRole("link", { name: "Train", exact: true }).click();
  // Rollouts have a switch of the same name, which goes as Train is drawn.
  await expect(panel.getByRole("heading")).toHaveText(/^Held group step \d+/);
  await page.locator(".toggle", { has: follow }).click();
  await expect(panel.getByRole("heading")).toHaveText(/^Current group/);
  await expect(runButton(page)).toBeDisabled();
});
