// What the page says about an algorithm's parts: the critic where there is one, groups that teach
// nothing, and options that do nothing in the chosen combination.
import { chartColumns, choose, expect, openLab, reach, runToEnd, snapshot, TINY, testInSamePage as test } from "./lab.ts";

test.describe.configure({ mode: "default" });

test("a run with a critic shows what it foresees, one without does not", async ({ page }) => {
  await openLab(page);
  const { metrics } = await runToEnd(page, { ...TINY, algorithm: "ppo", klCoef: 0.02, steps: 6 });
  const explained = metrics.map((record) => record.metrics["value/explained_variance"]);
  expect(explained.every((value) => value !== undefined && value <= 1)).toBe(true);
  const columns = await chartColumns(page, "Explained variance");
  expect(columns["value/explained_variance"]).toEqual(explained);
  await expect(page.getByRole("region", { name: "Explained variance" }).locator("path.plot-line")).toHaveCount(1);
  await expect(page.getByRole("region", { name: "Value loss" })).toBeVisible();
  await runToEnd(page, TINY);
  await expect(page.getByRole("region", { name: "Reward", exact: true })).toBeVisible();
  await expect(page.getByRole("region", { name: "Explained variance" })).toHaveCount(0);
  await expect(page.getByRole("region", { name: "Value loss" })).toHaveCount(0);
});

test("a group of equal rewards says why it moves no weight, and moves none", async ({ page }) => {
  await openLab(page);
  // A reward part of weight 0 is a metric only, so every completion earns 0.
  const { groups, metrics } = await runToEnd(page, { ...TINY, steps: 2, rewardWeights: { sumCloseness: 0 } });
  expect(groups[0]).toMatchObject({ zeroSpread: true });
  for (const { metrics: values } of metrics) expect(values).toMatchObject({ grad_norm: 0, frac_reward_zero_std: 1 });
  for (const { channels } of groups[0]?.trajectories ?? []) {
    expect(channels.lossWeights!.every((weight) => weight === 0)).toBe(true);
    expect(channels.newLogprobs).toEqual(channels.trainLogprobs);
  }
  await expect(
    page.getByText("All 8 rewards are equal (0), so every advantage is 0 and this group teaches nothing.", { exact: false }).first(),
  ).toBeVisible();
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  await expect(page.locator(".group-flat")).toHaveText(
    "All 8 rewards are equal (0), so every advantage is 0 and this group teaches nothing. With KL and entropy off it changes no weights at all.",
  );
  const pulled = await runToEnd(page, {
    ...TINY,
    steps: 2,
    klCoef: 0.1,
    learningRate: 0.05,
    entropyCoef: 0.01,
    rewardWeights: { sumCloseness: 0 },
  });
  expect(pulled.metrics[1]?.metrics.grad_norm).toBeGreaterThan(0);
  await expect(page.locator(".group-flat")).toContainText("still feel the pull towards the reference (KL) and the entropy bonus");
});

test("an option without effect says so and why, until it has one", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-transformer&klCoef=0");
  const fold = (title: string) => page.getByRole("heading", { level: 3 }).getByRole("button", { name: new RegExp(`^${title}`) });
  const folded = (section: RegExp) =>
    page.locator(".fold", { has: page.getByRole("button", { name: section }) }).getByRole("button", { name: /^Without effect/ });
  await fold("KL to reference").click();
  await expect(folded(/^KL to reference/)).toHaveText("Without effect7");
  await folded(/^KL to reference/).click();
  const placement = page.locator(".field-inert", { hasText: "Placement" });
  await expect(placement).toContainText("Now without effect: the KL weight is 0, so there is no reference.");
  await fold("Critic").click();
  await folded(/^Critic/).click();
  await expect(page.locator(".field-inert", { hasText: "Value clip" })).toContainText("Now without effect: there is no critic.");
  const weight = page.getByRole("textbox", { name: /^KL weight/ });
  await weight.fill("0.05");
  await weight.press("Enter");
  await expect(placement).toHaveCount(0);
  await choose(page, "Algorithm", "PPO");
  await expect(page.locator(".field-inert", { hasText: "Value clip" })).toHaveCount(0);
  await page.evaluate(() => window.rolloutLab.step());
  await reach(page, "paused");
  expect((await snapshot(page)).config).toMatchObject({ algorithm: "ppo", advantageBaseline: "critic", klCoef: expect.any(Number) });
});
