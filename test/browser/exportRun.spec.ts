// The whole run as it leaves the page: the forms of the command line, by its own functions.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { button, expect, openLab, runToEnd, snapshot, TABLE, TINY, testInSamePage as test } from "./lab.ts";
import { seriousProblems } from "./looks.ts";

test.describe.configure({ mode: "default" });

/** Downloads one of the forms; gives its file. */
async function downloaded(page: Page, name: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  const waiting = page.waitForEvent("download");
  await button(page, `Download ${name}`).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Opens the dialog as the palette finds it. */
async function exportDialog(page: Page, words: string): Promise<void> {
  await page.keyboard.press("Control+k");
  await page.getByRole("searchbox", { name: "Search commands" }).fill(words);
  await expect(page.getByRole("menuitem").first()).toContainText("Export this run");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: "Share, export or report" })).toBeVisible();
}

test("a run is exported from the page as it is on the command line, with a report", async ({ page }, info) => {
  // It starts a second program.
  test.slow();
  await openLab(page);
  await runToEnd(page, { ...TINY, evalEvery: 2, evalProblems: 4, evalSamples: 1 });
  await exportDialog(page, "export");
  expect(await seriousProblems(page)).toEqual([]);
  const report = await downloaded(page, "report");
  expect(report.name).toBe("report.html");
  for (const text of ["What it said at first", "What it said last", "Curves", "Accuracy, sampled", "step 4: "])
    expect(report.bytes.toString("utf8")).toContain(text);
  const csv = await downloaded(page, "csv");
  const { runId } = await snapshot(page);
  for (const name of ["jsonl", "mlflow", "hf"]) {
    const { name: file, bytes } = await downloaded(page, name);
    expect([file, bytes.subarray(0, 4).toString("latin1")]).toEqual([`${runId}-${name}.zip`, "PK\u0003\u0004"]);
  }
  expect((await downloaded(page, "tensorboard")).name).toMatch(/^events\.out\.tfevents\.\d+\.rollout-lab$/);
  const traces = (await downloaded(page, "verifiers")).bytes.toString("utf8").trimEnd().split("\n");
  // All groups of the first, the evaluated and the last step.
  expect(traces).toHaveLength(3 * 16);
  const saved = await downloaded(page, "save");
  const [file, out] = [info.outputPath("mine.rollout-lab"), info.outputPath("out")];
  writeFileSync(file, saved.bytes);
  execFileSync(process.execPath, ["dist-cli/bin/rollout-lab.js", "export", file, "--to", "csv", "--out", out]);
  expect(csv.bytes.toString("utf8")).toBe(readFileSync(join(out, "metrics.csv"), "utf8"));
});

test("the palette knows what can be done with a run and with what is saved, and a table has no model @both", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, TABLE);
  for (const [words, title] of [
    ["download", "Download this run"],
    ["report", "Report of this run"],
    ["open folder", "Open a run from a folder or file"],
    ["fork", "Fork this run"],
  ] as const) {
    await page.keyboard.press("Control+k");
    await page.getByRole("searchbox", { name: "Search commands" }).fill(words);
    await expect(page.getByRole("menuitem").filter({ hasText: title })).toBeVisible();
    await page.keyboard.press("Escape");
  }
  await exportDialog(page, "tensorboard");
  await expect(button(page, "Download hf")).toHaveCount(0);
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
});
