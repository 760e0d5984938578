// A task that somebody brings: prompts typed and looked at as the model reads them, an environment played by hand and then
// trained, the same to the bit as in Node.
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import { button, expect, openLab, reach, snapshot, start, testInSamePage as test, timeless } from "./lab.ts";
import { violationsOn } from "./looks.ts";

test.describe.configure({ mode: "default" });

/** A form as it is at first, whatever was written into it before. */
const FORM = "#/customize?version=3&preset=boxed-arithmetic";

test("prompts are typed, shown as tokens, and are the task that is trained", async ({ page }) => {
  await openLab(page, `${FORM}&section=data`);
  const prompts = page.getByLabel("Prompts", { exact: true });
  await prompts.fill("What is 3 + 4? => 7\nWhat is 5 + 5? => 10\nWhat is 6 + 1? => 7");
  await prompts.blur();
  await expect(page.getByText("3 problems, all with an answer.")).toBeVisible();
  await button(page, "Show the first prompt's tokens").click();
  await expect(page.getByText("2 problems to train on, 1 held out.")).toBeVisible();
  await expect(page.locator(".opening-token").first()).toBeVisible();
  expect(await violationsOn(page, "main")).toEqual([]);
});

test("an environment is played by hand and trained to the bits of Node", async ({ page }) => {
  await openLab(page, `${FORM}&section=environment`);
  await button(page, "Write an environment").click();
  await page.getByRole("menuitem", { name: "Guess by hints" }).click();
  await page.getByLabel("Say", { exact: true }).fill("no number");
  await button(page, "Say it").click();
  await expect(page.getByText(/The conversation is over/)).toBeVisible();
  expect(await violationsOn(page, "main")).toEqual([]);
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

test("an environment is written in the editor, told its faults by line, and its tools are called with arguments of all kinds", async ({
  page,
}) => {
  await openLab(page, `${FORM}&section=environment`);
  await button(page, "Write an environment").click();
  await page.getByRole("menuitem", { name: "Guess by hints" }).click();
  const code = page.getByRole("textbox", { name: "Code of the environment" });
  await expect(code).toContainText("export function step");
  const write = async (lines: readonly string[]) => {
    await code.focus();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(lines.join("\n"));
  };
  await write([
    "export const draw = ({ random }) => ({ question: 'Go ' + random.below(900), answer: '1' });",
    "export function step({ text }) {",
    "  return text.nothing.here;",
    "}",
  ]);
  await page.getByLabel("Say", { exact: true }).fill("something");
  await button(page, "Say it").click();
  await expect(page.locator(".cm-lintRange-error")).toHaveText(/text.nothing.here/);
  await write([
    "export const draw = ({ random }) => ({ question: 'Go ' + random.below(900), answer: '1' });",
    "const size = { kind: 'string', choices: ['small', 'large'] };",
    "const note = { kind: 'string', optional: true };",
    "export const tools = [{ name: 'order', description: 'Orders.', parameters: { count: 'number', gift: 'boolean', items: { kind: 'array', items: 'string' }, size, note },",
    "  run: (given) => JSON.stringify(given) }];",
    "export const step = ({ calls }) => (calls.length > 0 ? undefined : { done: true, reward: 1 });",
  ]);
  await page.getByRole("button", { name: /Say or call/ }).click();
  await page.getByRole("option", { name: /Call order/ }).click();
  await page.getByLabel(/^count/).fill("3");
  await page.getByLabel(/^items/).fill('["tea"]');
  await button(page, "Call order").click();
  await expect(page.getByText('{"count":3,"gift":true,"items":["tea"],"size":"small"}')).toBeVisible();
  await button(page, "Format").click();
  await expect(code).toContainText('answer: "1"');
  expect(await violationsOn(page, "main")).toEqual([]);
});

test("the way leads from typed prompts to a start, which waits where nothing is earned", async ({ page }) => {
  await openLab(page, FORM);
  await page.getByRole("link", { name: /^1 Prompts/ }).click();
  await page.getByLabel("Prompts", { exact: true }).fill("one\ntwo\nthree");
  await page.getByRole("link", { name: /^3 Reward/ }).click();
  await expect(page.getByRole("link", { name: /^1 Prompts 3 prompts/ })).toBeVisible();
  await page.getByRole("listitem", { name: "One sentence" }).getByRole("button").click();
  const code = page.getByRole("textbox", { name: "Code of One sentence" });
  await code.fill("export function reward(text, answer) { return text === answer ? 1 : 0; }");
  await expect(page.getByText(/A reward is called with one object/).first()).toBeVisible();
  expect(await violationsOn(page, "main")).toEqual([]);
  await button(page, "4 Train").click();
  const dialog = page.getByRole("dialog", { name: "This run would learn nothing yet" });
  await expect(dialog.getByText(/^0 of \d+ answers earn anything/)).toBeVisible();
  await expect(dialog.getByRole("heading", { name: "The reward expects other arguments" })).toBeVisible();
  await dialog.getByRole("button", { name: "Change something first" }).click();
  expect((await snapshot(page)).state).toBe("idle");
  await button(page, "4 Train").click();
  await dialog.getByRole("button", { name: "Train all the same" }).click();
  await expect.poll(async () => (await snapshot(page)).state).not.toBe("idle");
});
