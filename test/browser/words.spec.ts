// Words that explain themselves: on hover, on focus and by a tap; dismissable, hoverable and persistent (WCAG 2.2, 1.4.13).
import { expect, openLab, runToEnd, TABLE, testInEmptyPage as test } from "./lab.ts";
import { violationsOn } from "./looks.ts";

test("a word shows its definition on hover and on focus, under the pointer too, until it is dismissed", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, TABLE);
  const word = page.getByRole("button", { name: "greedy accuracy" });
  const definition = page.getByRole("tooltip");
  await page.mouse.move(5, 5);
  await word.hover();
  await expect(definition).toContainText("each token is the likeliest one");
  await expect(word).toHaveAccessibleDescription(/likeliest/);
  await definition.hover();
  await page.waitForTimeout(700);
  await expect(definition).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(definition).toHaveCount(0);
  await page.mouse.move(0, 0);
  await word.focus();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Shift+Tab");
  await expect(definition).toContainText("each token is the likeliest one");
  await page.keyboard.press("Enter");
  const card = page.getByRole("dialog", { name: "greedy accuracy: what it means" });
  await expect(card.locator("dd").first()).toHaveText("100 %");
  await expect(definition).toHaveCount(0);
  const chance = card.getByRole("slider", { name: "probability of the right answer" });
  await page.keyboard.press("Tab");
  await expect(chance).toBeFocused();
  await page.keyboard.press("Home");
  await expect(card.locator("dd").first()).toHaveText("0 %");
  await page.keyboard.press("Escape");
  await expect(card).toHaveCount(0);
  await expect(word).toBeFocused();
});

test("a tap shows what a word means and where to read on, and a tap elsewhere takes it away @phone", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, TABLE);
  await page.getByRole("button", { name: "sampled at the start" }).tap();
  const start = page.getByRole("dialog", { name: "at the start: what it means" });
  await expect(start).toContainText("before the first step");
  await expect(start).toBeInViewport({ ratio: 1 });
  await page.touchscreen.tap(4, 4);
  await expect(start).toHaveCount(0);
  // The title of a chart says what is drawn first, then what its word means.
  await page.getByRole("button", { name: "Groups without spread", exact: true }).tap();
  const tied = page.getByRole("dialog", { name: "tied group: what it means" });
  await expect(tied).toContainText("Share of groups whose rewards are all equal");
  await expect(tied).toContainText("A group whose answers all earned the same");
  await tied.getByRole("link", { name: "All words" }).tap();
  await expect(page.locator("[data-linked]")).toContainText("tied group");
  await expect(page.locator("[data-linked]")).toBeInViewport();
  expect((await violationsOn(page)).map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([]);
  await page.getByRole("searchbox", { name: "Search the words" }).fill("kullback");
  await expect(page.locator(".words-entry")).toHaveCount(1);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  await page.getByRole("link", { name: "Lesson on “KL”" }).tap();
  await expect(page.locator(".lesson h1")).toHaveText("Staying near the reference");
});
