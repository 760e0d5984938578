// The first screen, as somebody sees it who has never been here: few words, few controls, something that moves, and one way on. The settings
// come when they are asked for, by a press or by an address.
import type { Page } from "@playwright/test";
import { button, engineIsUp, expect, reach, snapshot, testInEmptyPage as test, withoutSettings } from "./lab.ts";
import { expectNothingSerious, overflow, picture } from "./looks.ts";

const [MOST_WORDS, MOST_CONTROLS] = [90, 12];

/** Opens the page for the first time; nobody has asked for the settings. */
async function arrive(page: Page, hash = ""): Promise<void> {
  await withoutSettings(page);
  await page.goto(`./${hash}`);
  await engineIsUp(page);
}

const landing = (page: Page) => page.getByRole("region", { name: "Watch a small model learn" });
const form = (page: Page) => page.getByRole("region", { name: "Configuration" });

/** Words that can be read on the whole page, and what can be pressed. */
function counted(page: Page): Promise<{ readonly words: number; readonly controls: number }> {
  return page.evaluate(() => {
    const controls = document.querySelectorAll<HTMLElement>("a[href], button, input, select, textarea, [role=slider], [tabindex='0']");
    const isSeen = (element: HTMLElement) => {
      const { width, height, bottom } = element.getBoundingClientRect();
      return element.checkVisibility({ visibilityProperty: true }) && width > 1 && height > 1 && bottom > 0;
    };
    return {
      words: document.body.innerText.trim().split(/\s+/).length,
      controls: [...controls].filter(isSeen).length,
    };
  });
}

test("the first screen has few words, few controls and one button, and moves, in light and dark @both", async ({ page }) => {
  await arrive(page);
  await expect(page.locator(".landing-answer").first()).toBeVisible();
  const tip = page.locator(".landing-curve circle");
  const place = await tip.getAttribute("cx");
  await expect(tip).not.toHaveAttribute("cx", place ?? "");
  const { words, controls } = await counted(page);
  expect(words).toBeLessThanOrEqual(MOST_WORDS);
  expect(controls).toBeLessThanOrEqual(MOST_CONTROLS);
  await expect(page.locator(".button-primary")).toHaveText("Train");
  // What is to be seen and what is to be pressed lies above the fold.
  await expect(page.getByRole("heading", { name: "Watch a small model learn" })).toBeInViewport({ ratio: 1 });
  await expect(button(page, "Train")).toBeInViewport({ ratio: 1 });
  // Paused, it leads into the recording as well.
  await button(page, "Pause the recording").click();
  await expect(page.getByRole("link", { name: "Look inside" })).toBeVisible();
  expect((await counted(page)).controls).toBeLessThanOrEqual(MOST_CONTROLS);
  await expectNothingSerious(page, "landing", (scheme) => picture(page, `landing-${scheme}-${page.viewportSize()?.width}`));
  const { width, wide } = await overflow(page);
  expect(width, wide.join(", ")).toBeLessThanOrEqual(page.viewportSize()!.width);
});

test("the first group has right and wrong answers, each pushed its way, and a key starts a run to which the focus goes along", async ({
  page,
}) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await arrive(page);
  const names = await page
    .locator(".landing-answer")
    .evaluateAll((answers) => answers.map((answer) => answer.getAttribute("aria-label")?.split(", ").slice(1).join(", ")));
  expect(names).toHaveLength(8);
  expect(new Set(names)).toEqual(new Set(["right, pushed up", "wrong, pushed down"]));

  await page.emulateMedia({ reducedMotion: null });
  // The button and the keyboard start a run from here, and the focus goes along.
  await button(page, "Train").focus();
  await page.keyboard.press("Enter");
  await expect(landing(page)).toHaveCount(0);
  await reach(page, "running");
  await page.keyboard.press("Space");
  await reach(page, "paused");
  await expect(page.locator(".transport-train")).toBeFocused();
  expect((await snapshot(page)).config?.task).toBe("boxed-arithmetic");
});

test("Train leads to the run without its settings, which come and go by a press and are found again @both", async ({ page }) => {
  await arrive(page, "#/train");
  await expect(form(page)).toHaveCount(0);
  await page.evaluate(() =>
    window.rolloutLab.start({ task: "digit-sum", algorithm: "builtin", model: "tabular", steps: 40, evalEvery: 10 }),
  );
  await reach(page, "finished");
  await expect(landing(page)).toHaveCount(0);
  if (page.viewportSize()!.width < 900) return;
  await expect(form(page)).toHaveCount(0);
  await button(page, "Settings").click();
  await expect(form(page)).toBeVisible();
  await button(page, "Hide settings").click();
  await expect(form(page)).toHaveCount(0);
});

test("an address with settings opens with the form @both", async ({ page }) => {
  await arrive(page, "#/train?preset=digit-sum-table");
  await expect(page.getByRole("toolbar", { name: "Run controls" })).toBeVisible();
  if (page.viewportSize()!.width >= 900) await expect(form(page)).toBeVisible();
  else await expect(button(page, "Configuration")).toBeVisible();
});

test("Settings leads from the first screen to the form, unfolded on a phone too @both", async ({ page }) => {
  await arrive(page);
  await expect(page.getByRole("toolbar", { name: "Run controls" })).toHaveCount(0);
  await button(page, "Settings").click();
  await expect(page.getByRole("toolbar", { name: "Run controls" })).toBeVisible();
  await expect(form(page)).toBeVisible();
});
