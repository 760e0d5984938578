// A reward that somebody types: from the first screen to a policy that goes for it, the same to the bit as in Node, and
// shown before it runs where it came by a link.
import AxeBuilder from "@axe-core/playwright";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import { rewardTemplates } from "../../src/ui/customize/templates.ts";
import { button, engineIsUp, expect, openLab, reach, runToEnd, snapshot, TABLE, test, timeless } from "./lab.ts";

const EVEN = rewardTemplates[0]!.source;
const OWN = { ...TABLE, rewardWeights: { sumCloseness: 0 } };

test("a reward is typed into the form, learnt, and fails with its line", async ({ page }) => {
  await openLab(page, "#/train?version=3&preset=digit-sum-table&steps=40");
  await button(page, "Write a reward").click();
  await page.getByRole("menuitem", { name: "Even digits" }).click();
  const code = page.getByRole("textbox", { name: "Code" });
  await expect(code).toHaveValue(/export function reward/);
  await button(page, "Train").click();
  await reach(page, "finished");
  const { metrics, config } = await snapshot(page);
  expect(config?.rewardWeights).toEqual({ sumCloseness: 0 });
  expect(metrics.at(-1)!.metrics.reward! - metrics[0]!.metrics.reward!).toBeGreaterThan(0.2);

  await code.fill("export function reward({ text }) {\n  return text.nothing.here;\n}");
  await code.press("Control+Enter");
  await button(page, "Restart with changes").click();
  await button(page, "Start the new run").click();
  await expect(page.getByText(/no conversation could be scored: .*\(line 2\)/).first()).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).include(".custom-reward").analyze();
  expect(violations).toEqual([]);
});

test("code that came by a link is shown, runs once it is allowed, and is not asked about again", async ({ page }) => {
  const own = encodeURIComponent(JSON.stringify({ evens: { source: EVEN } }));
  const link = `#/train?version=3&preset=digit-sum-table&steps=10&customRewards=${own}`;
  await openLab(page, link);
  await button(page, "Train").click();
  const dialog = page.getByRole("dialog", { name: "Read this code before it runs" });
  await expect(dialog.getByText("export function reward")).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).include('[role="dialog"]').analyze();
  expect(violations).toEqual([]);
  await button(page, "Do not run it").click();
  await expect(dialog).toBeHidden();
  expect((await snapshot(page)).state).toBe("idle");
  await button(page, "Train").click();
  await button(page, "Run this code").click();
  await reach(page, "finished");
  await page.reload();
  await engineIsUp(page);
  await button(page, "Train").click();
  await reach(page, "finished");
});

test("a program in the page starts no code that nobody allowed", async ({ page }) => {
  await openLab(page);
  const refused = page.evaluate((config) => window.rolloutLab.start(config).catch(String), {
    ...OWN,
    customRewards: { mine: { source: EVEN } },
  });
  await button(page, "Do not run it").click();
  expect(await refused).toContain("was not allowed to run");
});

test("a reward of one's own trains in the page as it does in Node", async ({ page }) => {
  const source = `export function reward({ text }, { options, random }) {
  return Math.exp(-options.rate * text.length) + Math.sin(Number(text)) + random.uniform();
}`;
  const config = { ...OWN, seed: 5, customRewards: { mine: { source, options: { rate: 0.3 } } } };
  await openLab(page);
  await page.evaluate((text) => localStorage.setItem("rollout-lab-read-code", JSON.stringify([text])), source);
  await page.reload();
  const { metrics, evaluations } = await runToEnd(page, config);
  const inNode = await trainRun(config, createNodeHost());
  expect(timeless(metrics)).toEqual(timeless(inNode.steps));
  expect(evaluations).toEqual(inNode.evaluations);
});
