// Words that explain themselves: on hover, on focus and by a tap; dismissable, hoverable and persistent (WCAG 2.2, 1.4.13).
import { expect, openLab, runToEnd, TABLE, test } from "./lab.ts";

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
  const card = page.getByRole("dialog", { name: "greedy accuracy: an example" });
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

test("a tap shows a definition, and a tap elsewhere takes it away @phone", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, TABLE);
  await page.getByRole("button", { name: "sampled at the start" }).tap();
  const definition = page.getByRole("tooltip");
  await expect(definition).toContainText("before the first step");
  await page.waitForTimeout(700);
  await expect(definition).toBeVisible();
  await page.locator(".group-prompt").tap();
  await expect(definition).toHaveCount(0);
  const word = page.getByRole("button", { name: "greedy accuracy" });
  await word.tap();
  const card = page.getByRole("dialog", { name: "greedy accuracy: an example" });
  await expect(card).toContainText("each token is the likeliest one");
  await expect(card).toBeInViewport({ ratio: 1 });
  await page.touchscreen.tap(4, 4);
  await expect(card).toHaveCount(0);
});
