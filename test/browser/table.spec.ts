// All rollouts of a run as one table: bars and texts that keep some of them, an order, and the way to a conversation.
import { engineIsUp, expect, openLab, runToEnd, TABLE, testInEmptyPage as test } from "./lab.ts";

test("every answer is counted, kept by bars and expressions, sorted, and opens its conversation", async ({ page }) => {
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
  // What all of them have in common is told once.
  await expect(page.getByText(/^The same for all of them: .*Right: wrong/)).toBeVisible();
  // A reload finds the same rows.
  expect(page.url()).toContain("where=right%3Bis%3Bwrong");
  await page.reload();
  await engineIsUp(page);
  // The save keeps some of the steps, all of their answers.
  await expect(page.getByRole("heading", { name: /^\d+ of \d+ answers$/ })).toBeVisible();
  await expect(page.getByRole("cell", { name: "right", exact: true })).toHaveCount(0);
  await page.getByRole("button", { name: "Drop “Right: wrong”" }).click();
  await expect(page.getByRole("heading", { name: /^All \d+ answers$/ })).toBeVisible();

  await page.getByRole("columnheader", { name: "Reward" }).getByRole("button").first().click();
  await expect(page.getByRole("columnheader", { name: "Reward" }).first()).toHaveAttribute("aria-sort", "descending");
  const search = page.getByRole("textbox", { name: "With this text" });
  await search.fill("/(/");
  await search.press("Enter");
  await expect(page.getByRole("alert")).toContainText("pattern must be a regular expression that comes to an end");
  await page.getByRole("button", { name: "Drop “like /(/”" }).click();
  await search.fill("/^\\D*\\d/");
  await search.press("Enter");
  await expect(page.getByRole("heading", { name: /\d answers$/ })).toBeVisible();
  const row = page.getByRole("row").nth(1).getByRole("link");
  const [, step, prompt, answer] = /Step (\d+), prompt (\d+), #(\d+)/.exec((await row.textContent())!)!;
  await row.click();
  await expect(page.locator(".scrubber-where")).toContainText(`step ${step}`);
  const place = new URLSearchParams(new URL(page.url()).hash.split("?")[1]);
  expect([place.get("prompt") ?? "1", place.get("completion") ?? "1"]).toEqual([prompt, answer]);
});
