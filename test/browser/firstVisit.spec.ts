// The first visit and the ways through the page that need no pointer: the tour, the palette, the keys.
import type { Locator } from "@playwright/test";
import {
  button,
  engineIsUp,
  expect,
  openLab,
  reach,
  runToEnd,
  snapshot,
  TABLE,
  testInEmptyPage as test,
  testInSamePage,
  withoutSettings,
} from "./lab.ts";
import { overflow, seriousProblems } from "./looks.ts";

test.describe.configure({ mode: "default" });

const TOUR = "rollout-lab-tour";

test("the tour leads a first visitor to Train, an answer and a token, once, and again when asked for @both", async ({ page }) => {
  await page.addInitScript((key) => sessionStorage.getItem("again") ?? localStorage.removeItem(key), TOUR);
  await openLab(page, "#/train?preset=digit-sum-table");
  await page.evaluate(() => sessionStorage.setItem("again", "yes"));
  const tour = page.getByRole("complementary", { name: "Tour" });
  const press = (target: Locator) => (test.info().project.name === "phone" ? target.tap() : target.click());
  await expect(tour.getByRole("heading", { name: "Press Train" })).toBeVisible();
  // Who wants something else than what it proposes is not kept from it.
  if (test.info().project.name === "desktop") await page.getByLabel("Preset").first().click({ trial: true });
  await button(page, "Train").click();
  await expect(tour.getByRole("heading", { name: "Open an answer" })).toBeVisible();
  await press(page.locator("[data-tour-target] a").first());
  await expect(tour.getByRole("heading", { name: "Press a token" })).toBeVisible();
  await press(page.locator("[data-tour-target]").getByRole("option").nth(1));
  await expect(tour.getByRole("heading", { name: "That is the loop" })).toBeVisible();
  expect((await overflow(page)).width).toBeLessThanOrEqual(page.viewportSize()!.width);
  // The run goes on meanwhile: what is there of the token is shown, and nothing is an error.
  await expect(
    page.getByRole("table", { name: "Likeliest tokens here" }).or(page.getByText(/^Likeliest tokens: the weights/)),
  ).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
  await tour.getByRole("button", { name: "Done" }).click();
  await expect(tour).toHaveCount(0);
  // Never by itself again.
  await openLab(page);
  await page.reload();
  await engineIsUp(page);
  await expect(page.getByRole("heading", { name: "Watch a small model learn" })).toBeVisible();
  await expect(tour).toHaveCount(0);
  await button(page, "Help and shortcuts").click();
  await button(page, "Take the tour").click();
  await expect(tour.getByRole("heading", { name: "Press Train" })).toBeVisible();
  await tour.getByRole("button", { name: "Skip the tour" }).click();
  await expect(tour).toHaveCount(0);
});

test("the recording stands still for whoever asks for less motion, until it is played", async ({ page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await withoutSettings(page);
  await openLab(page);
  const tip = page.locator(".landing-curve circle");
  await expect(tip).toBeVisible();
  const place = await tip.getAttribute("cx");
  // Ten of its moments.
  await page.waitForTimeout(1_000);
  expect(await tip.getAttribute("cx")).toBe(place);
  await button(page, "Play the recording").click();
  await expect(tip).not.toHaveAttribute("cx", place ?? "");
});

testInSamePage("the palette finds actions, presets and settings by a few letters, and does them by key", async ({ page }) => {
  await openLab(page);
  const input = page.getByRole("searchbox", { name: "Search commands" });
  const ask = async (words: string) => {
    await page.keyboard.press("Control+k");
    await input.fill(words);
    await expect(page.getByRole("menuitem").first()).toHaveAttribute("data-focused", "true");
    await page.keyboard.press("Enter");
    await expect(input).toHaveCount(0);
  };
  await page.keyboard.press("Control+k");
  await expect(input).toBeFocused();
  expect(await seriousProblems(page)).toEqual([]);
  await input.fill("beta");
  await page.keyboard.press("Escape");
  await expect(input).toHaveCount(0);
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  // From another screen to a preset, and to a setting that is folded away.
  await ask("logits table");
  await expect(page).toHaveURL(/preset=digit-sum-table/);
  await ask("beta2");
  await expect(page.getByRole("textbox", { name: /^β2/ })).toBeFocused();
  await ask("train");
  await reach(page, "finished");
  expect((await snapshot(page)).config?.model).toBe("tabular");
  // Its menu is there once it is drawn.
  await expect(page.locator(".chart-overlay").first()).toBeVisible();
  await ask("chart of reward table");
  await expect(page.getByRole("menuitem", { name: "Show as table" })).toBeVisible();
});

testInSamePage("Evaluate answers a click at once, with what is measured and when next", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, TABLE);
  await page.getByRole("button", { name: /^Evaluate/ }).click();
  const panel = page.locator(".train-group");
  await expect(panel.getByRole("heading", { name: /^Evaluate last after step 40/ })).toBeVisible();
  await expect(panel.getByText("There is none to come in this run.")).toBeVisible();
  await expect(panel.getByRole("row")).toHaveCount(6);
});
