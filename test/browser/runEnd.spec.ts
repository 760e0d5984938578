// The end of a run says what changed, and leads on by one press.
import { button, expect, openLab, runToEnd, testInSamePage as test } from "./lab.ts";
import { overflow, picture, seriousProblems } from "./looks.ts";

test.describe.configure({ mode: "default" });

const SUMS = {
  task: "boxed-arithmetic",
  algorithm: "grpo",
  steps: 2,
  promptsPerStep: 4,
  groupSize: 8,
  evalEvery: 2,
  evalProblems: 8,
} as const;

test("a run that is over shows three held-out prompts before and after, why a token moved, and fails beside itself by one press @both", async ({
  page,
}) => {
  await openLab(page);
  await runToEnd(page, SUMS);
  const over = page.getByRole("region", { name: "What changed" });
  const prompts = over.getByRole("list", { name: "Held-out prompts, before and after" }).locator("> li");
  await expect(prompts).toHaveCount(3);
  await expect(prompts.first()).toContainText("before");
  // An answer that stayed the likeliest says how likely it was and is.
  await expect(prompts.first()).toContainText(/step 2|how likely[\d.<> %]+→/);
  await expect(prompts.first()).toContainText(/earned [01]/);
  // Sampled accuracy speaks loudest.
  const sizes = await page
    .locator(".readout-value")
    .evaluateAll((values) => values.map((each) => Number.parseFloat(getComputedStyle(each).fontSize)));
  expect(Math.max(...sizes.slice(1))).toBeLessThan(sizes[0]!);
  await picture(page, `over-${page.viewportSize()?.width}`, true);
  expect(await seriousProblems(page)).toEqual([]);
  const { width, wide } = await overflow(page);
  expect(width, wide.join(", ")).toBeLessThanOrEqual(page.viewportSize()!.width);
  await over.getByRole("link", { name: "Why did this token move?" }).click();
  await expect(page.getByRole("heading", { name: "Why did this token move?" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "How has its probability changed?" })).toBeVisible();
  await page.goto("./#/train");
  await button(page, "Make it fail").click();
  await expect(page).toHaveURL(/#\/compare/);
  await expect(page.getByText(/Learning rate/i).first()).toBeVisible();
});

test("a run that fails is not made to fail: one press puts what may help it into the form", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { task: "digit-sum", algorithm: "builtin", model: "tabular", rewardWeights: { sumCloseness: -1 }, steps: 60 });
  await expect(page.getByText("Likely: Reward hacking.")).toBeVisible();
  await button(page, "Mend it").click();
  await expect(page.getByText("The form has the weight 1 for “Closeness of the sum” now.")).toBeVisible();
  await expect(button(page, "Make it fail")).toHaveCount(0);
});
