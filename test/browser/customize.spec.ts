// A reward that somebody types: from the first screen to a policy that goes for it, the same to the bit as in Node, and
// shown before it runs where it came by a link.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import { readOwnFile } from "../../src/protocol/custom/ownFile.ts";
import { rewardStarters } from "../../src/ui/make/customize/reward/starters.ts";
import { button, engineIsUp, expect, openLab, reach, snapshot, start, TABLE, testInSamePage as test, timeless } from "./lab.ts";
import { violationsOn } from "./looks.ts";

test.describe.configure({ mode: "default" });

const EVEN = rewardStarters[0]!.source;
const OWN = { ...TABLE, rewardWeights: { sumCloseness: 0 } };

/** Empties the editor and types into it, with the keyboard alone. */
async function typeCode(page: Page, lines: readonly string[]): Promise<void> {
  await page.getByRole("textbox", { name: /^Code of/ }).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  for (const [i, line] of lines.entries()) {
    if (i > 0) await page.keyboard.press("Enter");
    // What brackets are closed by themselves is typed over.
    await page.keyboard.insertText(line);
  }
}

const earned = (page: Page) => page.locator(".bench-verdict").first();

test("a reward is written from the form, tried as it is typed, learnt, and given to the run as it goes on", async ({ page }) => {
  await openLab(page, "#/train?version=3&preset=digit-sum-table&steps=40");
  await button(page, "Write a reward").click();
  await page.getByRole("menuitem", { name: "Even digits" }).click();
  await expect(page.getByRole("heading", { name: "Customize", level: 1 })).toBeVisible();
  const code = page.getByRole("textbox", { name: "Code of Even digits" });
  await expect(code).toContainText("export function reward");
  await expect(earned(page)).toHaveText("1");
  await button(page, "Train").click();
  await reach(page, "finished");
  const { metrics, config } = await snapshot(page);
  expect(config?.rewardWeights).toEqual({ sumCloseness: 0 });
  expect(metrics.at(-1)!.metrics.reward! - metrics[0]!.metrics.reward!).toBeGreaterThan(0.2);

  // Other code turns the pushes of what was sampled at once, and nothing is trained on it yet.
  await typeCode(page, ["export function reward({ text }) {", "return Number(text) % 2;", "}"]);
  await expect(earned(page)).toHaveText("0");
  await expect(page.getByText(/^\d+ of \d+ rollouts would be pushed another way/)).toBeVisible();
  await expect(page.getByText(/flips|no push|now pushed/).first()).toBeVisible();
  await button(page, "Apply from the next step").click();
  await expect(button(page, "Apply from the next step")).toBeHidden();
  await button(page, "Step").click();
  await expect.poll(async () => (await snapshot(page)).step).toBe(41);
  const changed = await snapshot(page);
  const replaced = changed.config?.changes.filter(({ settings }) => "customRewards" in settings);
  expect(replaced?.map(({ afterStep }) => afterStep)).toEqual([0, 40]);
  expect(changed.metrics.at(-1)!.metrics["rewards/evenDigits/mean"]).toBe(changed.metrics.at(-1)!.metrics.reward);
  expect(await violationsOn(page, "main")).toEqual([]);
});

test("wrong code is told with its line, a case that is not met refuses the start, and the keyboard leaves the editor", async ({ page }) => {
  await openLab(page, "#/customize?version=3&preset=digit-sum-table&steps=10&section=reward");
  await button(page, "Write a reward").click();
  await page.getByRole("menuitem", { name: "Even digits" }).click();
  await expect(earned(page)).toHaveText("1");
  await typeCode(page, ["export function reward({ text }) {", "return text.nothing.here;", "}"]);
  await expect(page.getByText(/cannot read property 'here' of undefined \(line 2\)/).first()).toBeVisible();
  await expect(page.locator(".cm-lintRange-error")).toHaveText(/text.nothing.here/);
  // Nothing at all is told as well, and is not saved.
  await typeCode(page, []);
  await expect(page.getByText(/source must/).first()).toBeVisible();
  await expect(button(page, "Save as a file")).toBeDisabled();
  await typeCode(page, ["export function reward({ text }) {", "return text.length;", "}"]);
  await expect(earned(page)).toHaveText("2");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("textbox", { name: /^Code of/ })).toBeFocused();
  await page.keyboard.press("Escape");
  await page.keyboard.press("Tab");
  await expect(page.getByRole("textbox", { name: /^Code of/ })).not.toBeFocused();

  await page.getByRole("textbox", { name: "Must earn" }).fill("3");
  await page.keyboard.press("Enter");
  await expect(page.getByText("not as it must")).toBeVisible();
  await button(page, "Train").click();
  await expect(page.getByText(/"42" must earn 3, got 2/).first()).toBeVisible();
  // The bench says so too, before the start has been refused.
  await expect.poll(async () => (await snapshot(page)).state).toBe("idle");
  expect((await snapshot(page)).metrics).toEqual([]);
});

test("a reward goes out as a file, and one of the command line comes in, which waits until it was read", async ({ page }) => {
  await openLab(page, "#/customize?version=3&preset=digit-sum-table&steps=10&section=reward");
  const source = "export const reward = ({ text }) => text.length;\n";
  const picked = page.waitForEvent("filechooser");
  await button(page, "Open a file").click();
  await (await picked).setFiles({ name: "longest.mjs", mimeType: "text/javascript", buffer: Buffer.from(source) });
  await expect(page.getByText("It runs only when you allow it")).toBeVisible();
  await expect(earned(page)).toHaveText("…");
  await button(page, "Run this code").click();
  await expect(earned(page)).toHaveText("2");
  const saved = page.waitForEvent("download");
  await button(page, "Save as a file").click();
  const file = await saved;
  expect(file.suggestedFilename()).toBe("longest.ts");
  expect(readOwnFile(await readFile(await file.path(), "utf8"))?.thing.content.source).toBe(source);
});

test("code that came by a link is shown, runs once it is allowed, and is not asked about again", async ({ page }) => {
  // Code that nobody has read in this page.
  const own = encodeURIComponent(JSON.stringify({ evens: { source: `${EVEN}\n// from a link\n` } }));
  const link = `#/train?version=3&preset=digit-sum-table&steps=10&customRewards=${own}`;
  await openLab(page, link);
  await button(page, "Train").click();
  const dialog = page.getByRole("dialog", { name: "Read this code before it runs" });
  await expect(dialog.getByText("export function reward")).toBeVisible();
  expect(await violationsOn(page, '[role="dialog"]')).toEqual([]);
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

test("a program in the page starts no code that nobody allowed, and what it starts trains as it does in Node", async ({ page }) => {
  const source = `export function reward({ text }, { options, random }) {
  return Math.exp(-options.rate * text.length) + Math.sin(Number(text)) + random.uniform();
}`;
  const config = { ...OWN, seed: 5, customRewards: { mine: { source, options: { rate: 0.3 } } } };
  await openLab(page);
  const refused = page.evaluate((given) => window.rolloutLab.start(given).catch(String), config);
  await button(page, "Do not run it").click();
  expect(await refused).toContain("was not allowed to run");
  const started = start(page, config);
  await button(page, "Run this code").click();
  await started;
  await reach(page, "finished");
  const { metrics, evaluations } = await snapshot(page);
  const inNode = await trainRun(config, createNodeHost());
  expect(timeless(metrics)).toEqual(timeless(inNode.steps));
  expect(evaluations).toEqual(inNode.evaluations);
});
