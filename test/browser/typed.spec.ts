// What is typed and not taken over yet: it outlives a reload, Escape, one wrong line and another screen; so does whose code it is.
import { rewardStarters } from "../../src/ui/make/customize/reward/starters.ts";
import { button, engineIsUp, expect, openLab, testInSamePage as test } from "./lab.ts";

test.describe.configure({ mode: "default" });

const STARTER = rewardStarters.find(({ id }) => id === "evenDigits")!.title;

test("typed prompts are there after a reload, after Escape and undo, and with one wrong line after another screen", async ({ page }) => {
  await openLab(page, "#/customize?section=data");
  const prompts = page.getByLabel("Prompts", { exact: true });
  await prompts.fill("What is 3 + 4? => 7\nWhat is 2 + 2? => 4");
  await page.reload();
  await engineIsUp(page);
  await expect(prompts).toHaveValue("What is 3 + 4? => 7\nWhat is 2 + 2? => 4");
  await expect(page.getByText(/^2 problems, all with an answer/)).toBeVisible();

  const more = "What is 3 + 4? => 7\nWhat is 2 + 2? => 4\nWhat is 5 + 1? => 6";
  await prompts.fill(more);
  await prompts.press("Escape");
  await expect(prompts).not.toHaveValue(more);
  await prompts.press("Control+z");
  await expect(prompts).toHaveValue(more);

  const wrong = `${more}\n=> 8`;
  await prompts.fill(wrong);
  await page.getByRole("link", { name: "Train", exact: true }).click();
  await expect(prompts).toBeHidden();
  await page.goBack();
  await expect(prompts).toHaveValue(wrong);
  await expect(page.getByText('Line 4 must have a prompt before "=>"')).toBeVisible();
  await prompts.fill(more);
  await prompts.blur();
  await expect(page.getByText(/^3 problems, all with an answer/)).toBeVisible();
});

test("code that was typed is its writer's own after a reload", async ({ page }) => {
  await openLab(page, "#/customize?version=3&preset=digit-sum-table&steps=10&section=reward");
  await button(page, "Write a reward").click();
  await page.getByRole("menuitem", { name: STARTER }).click();
  const code = page.getByRole("textbox", { name: /^Code of/ });
  await code.focus();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText("// mine");
  await expect(code).toContainText("// mine");
  await page.waitForFunction(() => window.location.hash.includes("mine"));
  await page.reload();
  await engineIsUp(page);
  await expect(code).toContainText("// mine");
  await expect(page.locator(".bench-verdict").first()).toHaveText("1");
  await expect(page.getByText("It runs only when you allow it")).toBeHidden();
});
