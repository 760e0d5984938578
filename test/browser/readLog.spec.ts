// The screen for logs: pasted lines of two programs, what is named of them, and a small run that shows the same.
import { readFileSync, writeFileSync } from "node:fs";
import { dropFiles, expect, openLab, testInSamePage as test } from "./lab.ts";
import { overflow, picture, seriousProblems } from "./looks.ts";

test.describe.configure({ mode: "default" });

const logOf = (file: string) => readFileSync(`test/reference/logs/${file}.txt`, "utf8");

test("a pasted log has its cause named, its curves drawn, and what it cannot decide told @both", async ({ page }, { project }) => {
  await openLab(page, "#/log");
  await expect(page.getByRole("heading", { name: "Read a log" })).toBeVisible();
  const lines = page.getByRole("textbox", { name: "Lines of the log" });
  await lines.fill("nothing of interest\nhere");
  await expect(page.getByRole("alert").filter({ hasText: "No line of 2 lines" })).toBeVisible();

  // A table of TRL, all of whose answers are cut off.
  await lines.fill(logOf("trl-5697"));
  const causes = page.getByRole("region", { name: "What it shows" });
  await expect(causes).toContainText(
    "Likely: Answers are cut off. In all 3 steps of the log all of the answers ended at the limit of 256 tokens",
  );
  await expect(page.getByText("Read: 3 steps, 1 to 10, from a table.")).toBeVisible();
  await page.getByRole("button", { name: /Which name was taken for what/ }).click();
  await expect(page.getByRole("cell", { name: "clipped_ratio", exact: true })).toBeVisible();
  await page.getByRole("button", { name: /What the log cannot decide/ }).click();
  await expect(page.getByText("needs update/kl", { exact: true })).toBeVisible();
  await picture(page, `log-cut-off-${project.name}`, true);

  // Lines that only look wrong: said to be none.
  await lines.fill(logOf("trl-3452"));
  await expect(causes).toContainText("The loss is 0 and the gradient is not. This is no fault: in all 8 steps");
  await expect(page.getByRole("region", { name: "Its curves", exact: true })).toContainText("Gradient norm");
  const { width, wide } = await overflow(page);
  expect(wide, `${width}`).toEqual([]);
  expect(await seriousProblems(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "dark" });
  await picture(page, `log-no-fault-dark-${project.name}`, true);
  expect(await seriousProblems(page)).toEqual([]);
});

test("a small run shows what was named of the log, beside its curves", async ({ page }) => {
  await openLab(page, "#/log");
  await page.getByRole("textbox", { name: "Lines of the log" }).fill(logOf("open-r1-704"));
  const causes = page.getByRole("region", { name: "What it shows" });
  await expect(causes).toContainText("There is no KL.");
  await causes.getByRole("button", { name: "Train a small run that shows it" }).first().click();
  await expect(causes.getByRole("status").first()).toContainText("Named of this run too: There is no KL.", { timeout: 40_000 });
  await expect(causes.getByText("Reward, the log", { exact: true })).toBeVisible();
  await expect(causes.getByText("Reward, this run", { exact: true })).toBeVisible();
  await picture(page, "log-living", true);
});

test("files of a log are read, and the way to it is beside the runs", async ({ page }) => {
  await openLab(page, "#/runs");
  await page.getByRole("link", { name: "read a log" }).click();
  await page.getByLabel("Files of a log").setInputFiles("test/reference/logs/verl-7412.txt");
  await expect(page.getByText("1 file: verl-7412.txt")).toBeVisible();
  await expect(page.getByRole("region", { name: "What it shows" })).toContainText("No cause is named");
  // What is dropped on this screen is a log, and no rollouts.
  await dropFiles(page, [{ name: "dropped.txt", bytes: Buffer.from(logOf("trl-5697")) }]);
  await expect(page.getByText("1 file: dropped.txt")).toBeVisible();
  await expect(page.getByRole("region", { name: "What it shows" })).toContainText("Likely: Answers are cut off");
  await page.getByRole("button", { name: "Take it away" }).click();
  await page.getByRole("button", { name: "Try a log of verl" }).click();
  await expect(page.getByRole("region", { name: "What it shows" })).toContainText("Likely: Answers are cut off");
});

test("a long file is read beside the page, which tells how far it is and stops when it is told to", async ({ page }, info) => {
  await openLab(page, "#/log");
  const line = (step: number) =>
    `{'loss': 0.0, 'reward': 0.${10 + (step % 80)}, 'reward_std': 0.2, 'kl': 0.00${step % 9}, 'step': ${step}}\n`;
  // Files that lie on the disk: megabytes that a test hands over itself pass through three programs.
  const long = (name: string, steps: number) => {
    const path = info.outputPath(name);
    writeFileSync(path, Array.from({ length: steps }, (_, i) => line(i + 1)).join(""));
    return path;
  };
  const files = page.getByLabel("Files of a log");
  await files.setInputFiles(long("long.log", 300_000));
  await expect(page.getByRole("progressbar", { name: "Log read" })).toBeVisible();
  await page.getByRole("button", { name: "Stop reading" }).click();
  await expect(page.getByRole("textbox", { name: "Lines of the log" })).toBeVisible();
  await expect(page.getByRole("progressbar", { name: "Log read" })).toBeHidden();

  // More steps than a chart draws are put together, and that is said.
  await files.setInputFiles(long("less.log", 30_000));
  await expect(page.getByText("Each is the mean of 2 logged steps.")).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText("Read: 15000 steps, 2 to 30000,")).toBeVisible();
  await picture(page, "log-long");
});
