// Rollouts that a save keeps, seen in the page after the run that made them is gone.
import { button, expect, openLab, runToEnd, snapshot, TABLE, testInEmptyPage as test } from "./lab.ts";

test("a run that is opened later shows its rollouts, explains them and scores them anew, without a step taken", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TABLE, steps: 230, evalEvery: 0 });
  await page.goto("/#/rollouts?step=230");
  const list = page.locator(".group-list");
  await expect(page.getByRole("heading", { name: "Group of 24" })).toBeVisible();
  const were = await list.innerText();
  await page.evaluate(() => window.rolloutLab.stop());
  await openLab(page);
  await page.reload();
  await page.getByRole("button", { name: /^Open the saved run at step 230$/ }).click();
  await expect(page.getByText("230 of 230 steps")).toBeVisible();
  await page.goto("/#/rollouts?step=1");
  await expect(page.getByRole("heading", { name: "Group of 24" })).toBeVisible();
  await expect(page.getByText("Step 1 comes from the run's record")).toBeVisible();
  await page.goto("/#/rollouts?step=230");
  await expect(list).toHaveText(were, { useInnerText: true });
  await button(page, "The same rollouts under other rewards").click();
  await expect(page.locator(".otherwise-panel").getByRole("button", { name: "Score with these" })).toBeVisible();
  await page.goto("/#/explain?step=1");
  await expect(page.getByRole("heading", { name: "Why did this token move?" })).toBeVisible();
  expect((await snapshot(page)).step).toBe(230);
});
