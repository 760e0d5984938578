// Two runs whose folders are opened together stand side by side on the prompts that both were asked, and the address holds the view.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { choose, dropFiles, expect, openLab, testInSamePage as test } from "./lab.ts";
import { seriousProblems } from "./looks.ts";

test.describe.configure({ mode: "default" });

/** Rewards of four answers to each prompt, by the number in it. */
type Rewards = Readonly<Record<number, readonly number[]>>;
const BEFORE: Rewards = { 3: [0, 0, 1, 1], 4: [0, 0, 0, 0], 5: [1, 1, 1, 1], 6: [1, 1, 1, 1] };
const AFTER: Rewards = { 3: [1, 1, 1, 1], 4: [0, 0, 0, 1], 5: [1, 1, 0, 0], 9: [0, 0, 0, 0] };

const fileOf = (rewards: Rewards, step: number) =>
  Object.entries(rewards)
    .flatMap(([n, values]) =>
      values.map((score, i) => {
        const said = `Answer ${i + 1} of ${n}: \\boxed{${7 * Number(n)}}<|im_end|>`;
        return JSON.stringify({
          input: `<|im_start|>user\nWhat is ${n} times 7?<|im_end|>\n<|im_start|>assistant\n`,
          output: said,
          gts: "",
          score,
          step,
        });
      }),
    )
    .join("\n");

/** A folder with those of two runs in it. */
async function twoFolders(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "lab-pair-"));
  for (const [name, rewards] of [
    ["before", BEFORE],
    ["after", AFTER],
  ] as const) {
    await mkdir(join(folder, name));
    for (const step of [7, 8]) await writeFile(join(folder, name, `${step}.jsonl`), fileOf(rewards, step));
  }
  return folder;
}

const rowOf = (page: Page, prompt: string) => page.getByRole("row").filter({ has: page.getByRole("button", { name: prompt }) });

test("two folders that are opened together are compared prompt by prompt, and a link leads back", async ({ page }) => {
  await openLab(page, "#/open");
  const folder = await twoFolders();
  await page.locator('input[aria-label="A folder of rollouts"]').setInputFiles(folder);
  const main = page.getByRole("main");
  await expect(page.getByRole("heading", { name: "2 runs, told apart by their folders" })).toBeVisible();
  await page.getByRole("link", { name: "Two runs side by side" }).click();
  await choose(page, "Left", "before");
  await expect(main).toContainText("On 3 prompts that both were asked at step 8, the mean reward is 0.500 in before and 0.583 in after");
  await expect(main).toContainText("it rose on 2, fell on 1 and is the same on 0");
  await expect(main).toContainText("no difference is shown");
  await expect(main).toContainText("1 prompt of before is not compared: after was not asked it there, and never was.");
  await expect(page.getByRole("heading", { name: "3 prompts, by the difference of the mean reward" })).toBeVisible();
  const prompts = page.locator(".pair-prompt");
  await expect(prompts).toHaveText(["What is 3 times 7?", "What is 4 times 7?", "What is 5 times 7?"]);
  await expect(rowOf(page, "What is 3 times 7?")).toContainText("+0.5");
  await page.getByRole("columnheader", { name: "Mean reward" }).getByRole("button").click();
  await expect(prompts).toHaveText(["What is 5 times 7?", "What is 4 times 7?", "What is 3 times 7?"]);
  await choose(page, "Prompts", "Only in after (1)");
  await expect(prompts).toHaveText(["What is 9 times 7?"]);
  await choose(page, "Prompts", "Asked in both (3)");

  await prompts.filter({ hasText: "5 times" }).click();
  const [left, right] = ["before", "after"].map((name) => page.getByRole("region", { name: new RegExp(`^${name} `) }));
  const said = (answer: number) => new RegExp(`Answer.*${answer}.*of.*5:`);
  await expect(left!).toContainText(said(1));
  await right!.getByRole("button", { name: /Of 4 answers/ }).click();
  await page.getByRole("option", { name: "Worst reward" }).click();
  await expect(right!).toContainText(said(3));
  await expect(right!).toContainText("Total");

  expect(await seriousProblems(page)).toEqual([]);

  // The address holds the view, for whoever opens the same files.
  await page.reload();
  await expect(main).toContainText("This address shows two runs side by side");
  await page.locator('input[aria-label="A folder of rollouts"]').setInputFiles(folder);
  await expect(right!).toContainText(said(3));
  await page.getByRole("button", { name: /^Show (before|after) on all screens, at this answer$/ }).click();
  await expect(page.getByRole("heading", { name: /^Completion [13]$/ })).toBeVisible();
  await expect(main).toContainText("What is 5 times 7?");
  await rm(folder, { recursive: true });
});

test("a second run is put beside one that is open", async ({ page }) => {
  await openLab(page, "#/open");
  const drop = (rewards: Rewards) => dropFiles(page, [{ name: "8.jsonl", bytes: Buffer.from(fileOf(rewards, 8)) }]);
  await drop(BEFORE);
  await expect(page.getByRole("region", { name: "verl's rollouts", exact: true })).toContainText("16 rollouts");
  await page.getByRole("button", { name: "Compare with another run on the same prompts" }).click();
  const bytes = Buffer.from(fileOf(AFTER, 8));
  await page
    .locator('input[aria-label="Files of another run"]')
    .setInputFiles([{ name: "8.jsonl", mimeType: "text/plain", buffer: bytes }]);
  const main = page.getByRole("main");
  await expect(main).toContainText("the mean reward is 0.500 in 8.jsonl and 0.583 in 8.jsonl (2)");
  // What stood open before can be put beside what was dropped since.
  await page.getByRole("link", { name: "Change that, or add a run" }).click();
  await drop(BEFORE);
  await page.getByRole("button", { name: "Compare with another run on the same prompts" }).click();
  await page.getByRole("button", { name: "Put it beside this" }).click();
  await expect(page.getByRole("heading", { name: "Two runs on the same prompts" })).toBeVisible();
});
