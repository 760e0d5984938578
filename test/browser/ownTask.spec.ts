// A task that somebody brings: prompts typed and looked at as the model reads them, an environment played by hand and then
// trained, the same to the bit as in Node.
import AxeBuilder from "@axe-core/playwright";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import { button, expect, openLab, reach, snapshot, start, test, timeless } from "./lab.ts";

test("prompts are typed, shown as tokens, and are the task that is trained", async ({ page }) => {
  await openLab(page, "#/customize?section=data");
  const prompts = page.getByLabel("Prompts", { exact: true });
  await prompts.fill("What is 3 + 4? => 7\nWhat is 5 + 5? => 10\nWhat is 6 + 1? => 7");
  await prompts.blur();
  await expect(page.getByText("3 problems, all with an answer.")).toBeVisible();
  await button(page, "Show the first prompt's tokens").click();
  await expect(page.getByText("2 problems to train on, 1 held out.")).toBeVisible();
  await expect(page.locator(".opening-token").first()).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).include("main").analyze();
  expect(violations).toEqual([]);
});

test("an environment is played by hand and trained to the bits of Node", async ({ page }) => {
  await openLab(page, "#/customize?section=environment");
  await button(page, "Write an environment").click();
  await page.getByRole("menuitem", { name: "Guess by hints" }).click();
  await page.getByLabel("Say", { exact: true }).fill("no number");
  await button(page, "Say it").click();
  await expect(page.getByText(/The conversation is over/)).toBeVisible();
  const { violations } = await new AxeBuilder({ page }).include("main").analyze();
  expect(violations).toEqual([]);
  const source = 'export const step = ({ text, turn }) => (turn < 1 ? { say: "and?" } : { done: true, reward: text.length / 10 });';
  const problems = [1, 2, 3, 4].map((n) => ({ question: `Say ${n}`, answer: String(n) }));
  const config = {
    ...{ task: "mine", customTasks: { mine: { problems, environment: { source } } }, checkpoint: "base", backend: "wasm" as const },
    ...{ steps: 2, promptsPerStep: 2, groupSize: 4, evalEvery: 0 },
  };
  const started = start(page, config);
  await button(page, "Run this code").click();
  await started;
  await reach(page, "finished");
  const { metrics } = await snapshot(page);
  const node = await trainRun(config, createNodeHost());
  expect(timeless(metrics)).toEqual(timeless(node.steps));
});
