// Rollouts of other programs on the page: three steps that TRL wrote are dropped, and every number of a row stands on the screen.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { dropFiles, expect, openLab, testInSamePage as test } from "./lab.ts";

test.describe.configure({ mode: "default" });

const SAMPLES = join(import.meta.dirname, "../reference/traces/trl");
const FILES = [1, 2, 3].map((step) => `completions_0000${step}.parquet`);

const dropTrl = (page: Page) =>
  dropFiles(
    page,
    FILES.map((name) => ({ name, bytes: readFileSync(join(SAMPLES, name)) })),
  );

test("TRL's completions that are dropped are said to be what they are, and shown row by row", async ({ page }) => {
  await openLab(page, "#/learn");
  await dropTrl(page);
  await expect(page.getByRole("heading", { name: "TRL's completions" })).toBeVisible();
  const main = page.getByRole("main");
  await expect(main).toContainText("48 rollouts");
  await expect(main).toContainText("12 groups, by equal prompts, 4 rollouts each");
  await expect(main).toContainText("right, short");
  await expect(main).toContainText("Nothing leaves this tab");

  await page.getByRole("link", { name: "Look at the rollouts" }).click();
  await expect(page.getByRole("heading", { name: "Group of 4" })).toBeVisible();
  // The first row of the last step's file: right 1, short not scored, advantage 0.954.
  const row = page.locator(".group-item").filter({ hasText: "#1" });
  await expect(row).toContainText("reward 1");
  await expect(row).toContainText("Short –");
  await expect(row).toContainText("A +0.954");
  await page.getByRole("button", { name: "The advantages in the files, and those that the rewards give" }).click();
  await expect(main).toContainText("All 16 advantages come out of the total rewards.");
  await expect(main).toContainText("divided by its standard deviation + 0.0001, as in GRPO in TRL.");
  await page.getByRole("link", { name: "All rollouts" }).click();
  await expect(page.getByRole("heading", { name: "All 48 answers" })).toBeVisible();
  await page.goBack();
  // Nothing that no file holds.
  for (const name of ["As a frame", "Go on from here", "Fork here", "Take step 1 again"])
    await expect(page.getByRole("button", { name })).toHaveCount(0);
  await page.goto("./#/explain");
  await expect(page.getByRole("heading", { name: "What the files hold of this token" })).toBeVisible();
  await page.goto("./#/train");
  await expect(page.getByRole("region", { name: "Charts" })).toContainText("Reward");
  await expect(main).not.toContainText("What changed");
});

test("files without rollouts are refused with a sentence, and a place of rollouts opens again with their files", async ({ page }) => {
  await openLab(page, "#/rollouts?step=2&prompt=1&completion=3");
  await dropTrl(page);
  await expect(page.getByRole("heading", { name: "Completion 3" })).toBeVisible();
  expect(new URL(page.url()).hash).toContain("step=2");
  await dropFiles(page, [{ name: "notes.txt", bytes: Buffer.from("hi") }]);
  await expect(page.getByRole("main").getByRole("alert")).toContainText("notes.txt could not be opened");
});

/** A token export of prime-rl's with one answer that the trainer sees otherwise. @param first log-prob of its first token in the trainer */
const exported = (first: number, advantage: number) =>
  JSON.stringify({
    ...{ schema_version: 1, step: 3, env_name: "sums", token_ids: [7, 8, 11, 12, 13], position_ids: [0, 1, 2, 3, 4] },
    ...{ loss_mask: [false, false, true, true, true], advantages: [0, 0, advantage, advantage, advantage] },
    ...{ rewards: [0, 0, 1, 1, 1], inference_logprobs: [0, 0, -2, -1, -0.5], trainer_logprobs: [null, null, first, -1, -0.6] },
  });

test("what sampler and trainer differ by is a channel and charts, and corrections follow their thresholds", async ({ page }) => {
  await openLab(page, "#/learn");
  const bytes = Buffer.from([exported(-0.5, 1), exported(-2, -1)].join("\n"));
  await dropFiles(page, [{ name: "rank_0.jsonl", bytes }]);
  await page.getByRole("link", { name: "Look at the rollouts" }).click();
  await expect(page.getByRole("heading", { name: "Group of 2" })).toBeVisible();
  await page.getByRole("button", { name: /Colour tokens by/ }).click();
  await page.getByRole("option", { name: /Trainer minus sampler/ }).click();
  await expect(page.getByRole("option", { name: /Trainer minus sampler \+1.5/ })).toHaveCount(1);

  await page.getByRole("button", { name: "Sampler and trainer, and what corrections would drop" }).click();
  const main = page.getByRole("main");
  await expect(main).toContainText("Over 6 tokens the KL of the sampler to the trainer is");
  await expect(page.getByRole("heading", { name: "By place in the answer" })).toBeVisible();
  await expect(page.getByRole("heading", { name: "By step" })).toBeVisible();
  const rule = (name: string) => page.getByRole("group", { name, exact: true });
  await expect(rule("TIS")).toContainText(
    "Cuts the weight of 1 of 6 tokens (17 %), in 1 of 2 rollouts: ▲ 1 that the trainer finds likelier.",
  );
  await expect(rule("IcePop")).toContainText("Drops nothing of this step.");
  await expect(rule("DPPO, binary TV")).toContainText("Drops 1 of 6 tokens");
  await expect(page.getByRole("listbox", { name: "Answer 1, what TIS would have cut" }).getByRole("option").first()).toHaveAccessibleName(
    /cut: the trainer finds it likelier/,
  );
  // exp(1.5) is 4.48: a cap above that cuts nothing.
  const cap = rule("TIS").getByRole("slider");
  await cap.focus();
  await page.keyboard.press("End");
  await expect(rule("TIS")).toContainText("Cuts nothing of this step.");
  await page.getByRole("button", { name: /Mark in the answer/ }).click();
  await page.getByRole("option", { name: "DPPO, binary TV" }).click();
  await expect(page.getByRole("heading", { name: "Prompt 1, answer 1: 1 dropped" })).toBeVisible();
});

/** A step of verl's rollouts: 16 prompts with 8 answers each, of which every eleventh was cut off within its box. */
const CUT = Array.from({ length: 128 }, (_, i) => {
  const prompt = `<|im_start|>user\nWhat is ${(i >> 3) + 2} times 7?<|im_end|>\n<|im_start|>assistant\n`;
  const isCut = i % 11 === 5;
  const output = `${(i >> 3) + 2} times 7 makes ${7 * ((i >> 3) + 2)}, so the answer is \\boxed{${isCut ? "" : `${7 * ((i >> 3) + 2)}}<|im_end|>`}`;
  return { input: prompt, output, gts: String(7 * ((i >> 3) + 2)), score: isCut ? 0 : 1, step: 40, acc: !isCut };
});

test("answers that were cut off in the middle of the box are found at one press @both", async ({ page }) => {
  await openLab(page, "#/open");
  await dropFiles(page, [{ name: "40.jsonl", bytes: Buffer.from(CUT.map((row) => JSON.stringify(row)).join("\n")) }]);
  const report = page.getByRole("region", { name: "verl's rollouts", exact: true });
  await expect(report).toContainText("12 of 128 answers were cut off at the limit of tokens");
  await report.getByRole("link", { name: "12 of 128 answers end in the middle of \\boxed{" }).click();
  await expect(page.getByRole("heading", { name: "12 of 128 answers" })).toBeVisible();
  await page.getByRole("row").nth(1).getByRole("link").click();
  await expect(page.getByText("Cut off by the completion limit.")).toBeVisible();
  // A form that was chosen is said to be, and one that has nothing of it says so and leaves what stands.
  await page.goto("./#/open");
  await page.getByRole("button", { name: /Form of the files/ }).click();
  await page.getByRole("option", { name: "conversations", exact: true }).click();
  const chats = page.getByRole("region", { name: "conversations", exact: true });
  await expect(chats).toContainText("as you chose");
  await expect(chats).toContainText("128 rollouts");
});

test("ids are decoded by a tokenizer that is named, and a column is named where none was recognised", async ({ page }) => {
  await openLab(page, "#/open");
  const row = { prompt_ids: [5, 6], completion_ids: [70, 71, 72], reward: 1 };
  await dropFiles(page, [{ name: "ids.jsonl", bytes: Buffer.from(JSON.stringify(row)) }]);
  const report = page.getByRole("region", { name: "conversations", exact: true });
  await expect(report).toContainText("ids without text");
  const name = report.getByRole("textbox", { name: /^Tokenizer/ });
  await name.fill("lab");
  await name.press("Enter");
  await expect(report).toContainText("ids, with the texts of lab");
  await name.fill("no-such-model");
  await name.press("Enter");
  await expect(page.getByRole("main").getByRole("alert")).toContainText("no-such-model");
  await expect(report).toContainText("ids, with the texts of lab");
});

test("rollouts of another program are scored under other rewards, and what no file can answer is refused", async ({ page }) => {
  await openLab(page, "#/learn");
  await dropTrl(page);
  await page.getByRole("link", { name: "Look at the rollouts" }).click();
  await page.getByRole("button", { name: "The same rollouts under other rewards" }).click();
  const main = page.getByRole("main");
  await expect(main).toContainText("it asks what the environment knew (calls, prices, rewards of turns), which is in no file.");
  await expect(main).toContainText("it asks why an answer ended, which the files do not say.");
  await page.getByRole("button", { name: "Score with these" }).click();
  await expect(main).toContainText("0 of 16 completions would be pushed another way");
  await expect(main).toContainText("This rule makes all advantages in the files.");

  // Wrong answers are paid for instead of right ones.
  const weight = page.getByRole("group", { name: "right", exact: true }).getByRole("textbox", { name: "Weight" });
  await weight.fill("-1");
  await weight.press("Enter");
  await page.getByRole("button", { name: "Add a reward" }).click();
  await page.getByRole("menuitem", { name: /^Length/ }).click();
  await page.getByRole("button", { name: "Score again" }).click();
  await expect(main).toContainText(/\d+ of them the opposite way/);
  await expect(page.getByRole("row").filter({ hasText: "turned" }).first()).toBeVisible();
  for (const name of ["Take them into the form", "Take this step on a copy"])
    await expect(page.getByRole("button", { name })).toHaveCount(0);
});
