// axe finds nothing serious on any screen, before and after a run, in light and in dark.
import type { Page } from "@playwright/test";
import { expect, openLab, runToEnd, TINY, testInSamePage as test } from "./lab.ts";
import { expectNothingSerious } from "./looks.ts";

test.describe.configure({ mode: "default" });

test("every control of a screen can be reached and seen by keyboard", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TINY, steps: 2 });
  const names = new Set<string>();
  for (let i = 0; i < 20; i++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      if (!(element instanceof HTMLElement) || element === document.body) return null;
      const style = getComputedStyle(element);
      const marked = [element, element.parentElement].some((each) => {
        if (!each) return false;
        const { outlineStyle, outlineWidth, boxShadow } = each === element ? style : getComputedStyle(each);
        return (outlineStyle !== "none" && outlineWidth !== "0px") || boxShadow !== "none";
      });
      return { name: element.getAttribute("aria-label") ?? element.textContent?.trim() ?? "", marked };
    });
    if (!focused) break;
    names.add(focused.name);
    expect(focused.marked, `focus on "${focused.name}" can be seen`).toBe(true);
  }
  for (const name of ["Skip to the screen", "Train", "Rollouts", "Step", "Reset"]) expect([...names]).toContain(name);
  const skip = page.getByRole("link", { name: "Skip to the screen" });
  await skip.focus();
  await expect(skip).toBeInViewport();
  await page.keyboard.press("Enter");
  await expect(page.locator("main")).toBeFocused();
  await expect(page).toHaveURL(/#\/train/);
});

async function checkAllScreens(page: Page): Promise<void> {
  for (const [screen, heading] of [
    ["Train", "Train"],
    ["Rollouts", "Rollouts"],
    ["Explain", "Why did this token move?"],
    ["Compare", "Compare"],
  ] as const) {
    await page.getByRole("link", { name: screen, exact: true }).click();
    await expect(page.getByRole("heading", { level: 1, name: heading })).toBeAttached();
    await page.evaluate(() => document.fonts.ready);
    await expectNothingSerious(page, screen);
  }
}

test("nothing serious after a run @both", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TINY, steps: 3, evalEvery: 1, klCoef: 0.02, evalProblems: 16 });
  await expect(page.locator(".chart-readout").first()).toBeVisible();
  await checkAllScreens(page);
});

test("nothing serious in a finished race and in the comparison of algorithms @both", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TINY, steps: 2 });
  await page.goto("/#/rollouts?step=2");
  await page.getByRole("button", { name: "The same rollouts under every algorithm" }).click();
  await expect(page.locator("table.strips")).toBeVisible();
  await expectNothingSerious(page, "strips");
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await page.getByRole("button", { name: "Start the race" }).click();
  await expect(page.locator(".race-controls [role=status]")).toContainText("Finished");
  await expectNothingSerious(page, "race");
});
