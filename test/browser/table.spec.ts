// All rollouts of a run as one table: bars and texts that keep some of them, an order, and the way to a conversation.
import { engineIsUp, expect, openLab, runToEnd, TABLE, testInSamePage as test } from "./lab.ts";

test.describe.configure({ mode: "serial" });

test("the table counts every answer of the run, and a bar keeps those under it", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TABLE, steps: 6, promptsPerStep: 4, groupSize: 8 });
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  await page.getByRole("link", { name: "All rollouts" }).click();
  await expect(page.getByRole("heading", { name: "All 192 answers" })).toBeVisible();
  await page.getByRole("button", { name: /^Right wrong: \d+ answers?\. Show these\.$/ }).click();
  const heading = page.getByRole("heading", { name: /^\d+ of 192 answers$/ });
  await expect(heading).toBeVisible();
  const found = Number((await heading.textContent())!.split(" ")[0]);
  expect(found).toBeGreaterThan(0);
  await expect(page.getByRole("row")).toHaveCount(Math.min(50, found) + 1);
  await expect(page.getByRole("row").filter({ hasText: "wrong" })).toHaveCount(Math.min(50, found));
});

test("a reload finds the same rows, and a condition that is dropped brings the others back", async ({ page }) => {
  const link = page.url();
  expect(link).toContain("where=right%3Bis%3Bwrong");
  await page.reload();
  await engineIsUp(page);
  await expect(page.getByRole("heading", { name: /^\d+ of 192 answers$/ })).toBeVisible();
  await page.getByRole("button", { name: "Drop “Right: wrong”" }).click();
  await expect(page.getByRole("heading", { name: "All 192 answers" })).toBeVisible();
});

test("rows are sorted from the best on, found by a regular expression, and open their conversation", async ({ page }) => {
  await page.getByRole("columnheader", { name: "Reward" }).getByRole("button").first().click();
  await expect(page.getByRole("columnheader", { name: "Reward" }).first()).toHaveAttribute("aria-sort", "descending");
  const search = page.getByRole("textbox", { name: "With this text" });
  await search.fill("/(/");
  await search.press("Enter");
  await expect(page.getByRole("alert")).toContainText("pattern must be a regular expression that comes to an end");
  await page.getByRole("button", { name: "Drop “like /(/”" }).click();
  await search.fill("/^\\D*\\d/");
  await search.press("Enter");
  await expect(page.getByRole("heading", { name: /192 answers$/ })).toBeVisible();
  const row = page.getByRole("row").nth(1).getByRole("link");
  const [, step, prompt, answer] = /Step (\d+), prompt (\d+), #(\d+)/.exec((await row.textContent())!)!;
  await row.click();
  await expect(page.locator(".scrubber-where")).toContainText(`step ${step}`);
  const place = new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
  expect([place.get("prompt") ?? "1", place.get("completion") ?? "1"]).toEqual([prompt, answer]);
});
