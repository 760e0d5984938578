// Saved runs as the page shows them: the list, what can be done with each, and whether the run is saved now.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import type { EngineEvent } from "../../src/protocol/messages.ts";
import {
  button,
  engineIsUp,
  eventAfter,
  expect,
  openLab,
  openSpoilable,
  reach,
  reachStep,
  runButton,
  runToEnd,
  snapshot,
  start,
  startBeside,
  TABLE,
  TINY,
  testInEmptyPage as test,
  testInSamePage,
  timeless,
} from "./lab.ts";

const list = (page: Page) => page.getByRole("list", { name: "Saved runs" });

test("saved runs are listed, downloaded as one file, deleted after a question, by keyboard too, and opened", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, TABLE);
  await runToEnd(page, { ...TINY, steps: 2 });
  await page.reload();
  await engineIsUp(page);
  // With name, step, date and size, the newest first.
  const rows = list(page).getByRole("listitem");
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(0)).toContainText(/Digit sum, tiny transformer, /);
  await expect(rows.nth(0)).toContainText("step 2 of 2");
  await expect(rows.nth(1)).toContainText("step 40 of 40");
  await expect(rows.nth(1).locator("time")).toContainText(String(new Date().getFullYear()));
  // Both have taken all their steps; what was trained elsewhere can be opened as well.
  await expect(page.getByRole("button", { name: "Open the saved run at step 2" })).toBeVisible();
  await expect(button(page, "Open a run from a folder or file")).toBeVisible();

  const waiting = page.waitForEvent("download");
  await rows
    .nth(0)
    .getByRole("button", { name: /^Download/ })
    .click();
  expect((await waiting).suggestedFilename()).toMatch(/^run-/);

  const remove = rows.nth(0).getByRole("button", { name: /^Delete/ });
  await remove.focus();
  await page.keyboard.press("Enter");
  await expect(button(page, "Keep")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(rows).toHaveCount(2);
  await remove.click();
  await eventAfter(page, "saves", () => page.getByRole("button", { name: /^Delete for good/ }).click());
  await expect(rows).toHaveCount(1);
  await expect(list(page)).toBeFocused();
  await page.reload();
  await engineIsUp(page);
  await expect(rows).toHaveCount(1);

  await rows.getByRole("button", { name: /^Open/ }).click();
  await reach(page, "finished");
  expect((await snapshot(page)).step).toBe(40);
  await expect(runButton(page)).toHaveText("Continue 40 more");
  await expect(runButton(page)).toBeFocused();
});

test.describe("a run of every kind", () => {
  test.describe.configure({ mode: "default" });
  for (const task of ["search", "calculator", "guess-number", "router", "tic-tac-toe"])
    testInSamePage(`${task} is saved from its start, while its worker measures and trains`, async ({ page }) => {
      await openLab(page);
      await page.evaluate(() => {
        const reasons: (string | null)[] = [];
        Object.assign(window, { reasons });
        window.rolloutLab.on((event) => event.type === "storage" && reasons.push(event.reason));
      });
      const saved = eventAfter(page, "saved", async () => {});
      await start(page, { task, algorithm: "grpo", steps: 1, evalEvery: 0, evalProblems: 32, promptsPerStep: 2, groupSize: 4 });
      await saved;
      await reach(page, "finished");
      expect(await page.evaluate(() => (window as unknown as { reasons: unknown[] }).reasons)).toEqual([]);
      // The save of the last step may come to its end after the run has.
      await expect.poll(async () => (await page.evaluate(() => window.rolloutLab.saves())).map(({ step }) => step)).toEqual([1]);
    });
});

test("a save that cannot be read is named with its reason and does not hide the others", async ({ page }) => {
  await openSpoilable(page);
  await runToEnd(page, TABLE);
  await page.addInitScript(() => {
    const broken = {
      runId: "run-broken",
      name: "run-broken",
      label: {},
      step: 7,
      savedAt: 1,
      bytes: 1_200_000,
      config: null,
      problem: "its log is cut short",
    };
    window.spoil = (event: EngineEvent) => (event.type === "saves" ? { ...event, runs: [broken, ...event.runs] } : event);
  });
  await page.reload();
  await engineIsUp(page);
  const rows = list(page).getByRole("listitem");
  await expect(rows).toHaveCount(2);
  await expect(rows.nth(1)).toContainText("It cannot be continued: its log is cut short");
  await expect(rows.nth(1)).toContainText("1.2 MB");
  await expect(rows.nth(1).getByRole("button", { name: /^(Continue|Open)/ })).toHaveCount(0);
  await expect(rows.nth(1).getByRole("button", { name: /^(Download|Delete)/ })).toHaveCount(2);
  await expect(rows.nth(0).getByRole("button", { name: /^Open/ })).toBeVisible();
});

test("whether the run is saved stands beside its steps, with the reason where it is not, and leads to all saves @both", async ({
  page,
}) => {
  await openSpoilable(page);
  await page.evaluate(() => {
    const storage = { type: "storage", runId: null, reason: "the browser's storage is full: delete saved runs to make room." } as const;
    window.spoil = (event) => (event.type === "started" ? [event, storage] : event);
  });
  await start(page, { ...TINY, steps: 0 });
  const mark = button(page, "not saved");
  await expect(mark).toBeVisible();
  await mark.click();
  const about = page.getByRole("dialog", { name: "Not saved" });
  await expect(about).toContainText("the browser's storage is full: delete saved runs to make room.");
  await about.getByRole("button", { name: "All runs" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Runs" })).toBeVisible();
  await expect(page.getByText("Nothing is saved at present: the browser's storage is full")).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth)).toBe(true);
  await page.goBack();
  await mark.focus();
  await expect(page.getByRole("tooltip")).toContainText("the browser's storage is full");
});

test("a run that another tab has is offered as a copy, and both go their own ways", async ({ page, context }) => {
  await openLab(page);
  await startBeside(page, TINY);
  await reachStep(page, 3);
  const second = await context.newPage();
  await openLab(second);
  await second.getByRole("button", { name: /^Continue the saved run/ }).click();
  const alert = second.getByRole("alert");
  await expect(alert).toContainText("another tab");
  await alert.getByRole("button", { name: "Continue a copy" }).click();
  await expect(alert).toHaveCount(0);
  await reachStep(second, 4);
  await second.evaluate(() => window.rolloutLab.pause());
  const copy = await snapshot(second);
  const { runId, state, metrics } = await snapshot(page);
  expect(state).toBe("running");
  expect(copy.runId).not.toBe(runId);
  expect(copy.step).toBeGreaterThanOrEqual(3);
  const both = Math.min(copy.step, metrics.length);
  expect(timeless(copy.metrics.slice(0, both))).toEqual(timeless(metrics.slice(0, both)));
  // What is done to the copy does nothing to the run it was taken from.
  await second.evaluate(() => window.rolloutLab.reset());
  await page.evaluate(() => window.rolloutLab.pause());
  const { step } = await snapshot(page);
  await page.reload();
  await engineIsUp(page);
  await expect(page.getByRole("button", { name: `Continue the saved run at step ${step}` })).toBeVisible();
});

/** The files of a folder as a folder picker gives them. */
const pickFolder = (page: Page, path: string) => page.getByLabel("A run's folder", { exact: true }).setInputFiles(path);

test("a run of the page goes on on the command line, and comes back to the page with the same numbers", async ({ page }, info) => {
  // It starts a second program.
  test.slow();
  await openLab(page);
  const half = await runToEnd(page, { ...TABLE, steps: 20 });
  await page.reload();
  await engineIsUp(page);
  const waiting = page.waitForEvent("download");
  await list(page)
    .getByRole("button", { name: /^Download/ })
    .click();
  const [file, out] = [info.outputPath("mine.rollout-lab"), info.outputPath("mine")];
  await (await waiting).saveAs(file);
  execFileSync(process.execPath, ["dist-cli/bin/rollout-lab.js", "train", file, "--resume", "--set", "steps=40", "--out", out]);

  await page.evaluate(() => indexedDB.deleteDatabase("rollout-lab"));
  await page.reload();
  await engineIsUp(page);
  await button(page, "Open a run from a folder or file").click();
  const bring = page.getByRole("region", { name: "Runs from elsewhere" });
  await expect(bring).toBeFocused();
  await page
    .getByLabel("A saved file", { exact: true })
    .setInputFiles({ name: "photo.png", mimeType: "image/png", buffer: Buffer.from("no") });
  await expect(bring.getByRole("alert")).toContainText("photo.png: it is no saved run");
  await page.goto("./#/train");

  // A file that is dropped is an entry of the drop; the run opens, finished, with its curves.
  const drop = await page.evaluateHandle(
    (bytes) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([new Uint8Array(bytes)], "last.rollout-lab"));
      return transfer;
    },
    [...readFileSync(`${out}/checkpoints/last.rollout`)],
  );
  await page.dispatchEvent("body", "dragover", { dataTransfer: drop });
  await page.dispatchEvent("body", "drop", { dataTransfer: drop });
  await reach(page, "finished");
  const { step, metrics, evaluations } = await snapshot(page);
  const lines = readFileSync(`${out}/metrics.jsonl`, "utf8").trim().split("\n");
  const rewards = lines.map((line) => JSON.parse(line).reward);
  expect([step, metrics.map(({ metrics: { reward } }) => reward)]).toEqual([40, rewards]);
  expect(rewards.slice(0, 20)).toEqual(half.metrics.map(({ metrics: { reward } }) => reward));
  expect(evaluations).toHaveLength(5);

  // Its folder is the same run, which is here already.
  await button(page, "saved").click();
  await page.getByRole("button", { name: "All runs" }).click();
  await pickFolder(page, out);
  await expect(bring.getByRole("status")).toContainText("Saved here now: mine.");
  await expect(page.locator(".runs-table tbody tr")).toHaveCount(1);
});

test("a run that is served with the page opens there, finished, with the conversations of its folder and no tour", async ({
  browser,
}, info) => {
  const out = info.outputPath("served");
  const lab = join(process.cwd(), "dist-cli/bin/rollout-lab.js");
  // Long enough that its save has its last step, which the page then need not take again.
  // The save itself keeps no rollouts, so those of the folder are what is there.
  const settings = ["steps=6", "promptsPerStep=2", "groupSize=4", "evalProblems=4", "evalSamples=1", "keptMegabytes=0"].flatMap((set) => [
    "--set",
    set,
  ]);
  execFileSync(process.execPath, [lab, "train", "configs/calculator.yaml", ...settings, "--out", out]);
  const server = spawn(process.execPath, [lab, "serve", out, "--port", "4600"]);
  const context = await browser.newContext();
  try {
    const url = await new Promise<string>((resolve) => {
      server.stdout.once("data", (text) => resolve(String(text).split("\n")[0]!));
    });
    const page = await context.newPage();
    await page.goto(url);
    await engineIsUp(page);
    await reach(page, "finished");
    expect((await snapshot(page)).metrics).toHaveLength(6);
    await expect(page.getByRole("complementary", { name: "Tour" })).toHaveCount(0);
    await page.getByRole("link", { name: "Rollouts" }).first().click();
    await expect(page.getByRole("heading", { name: "Completion 1" })).toBeVisible();
    await expect(page.getByText("recorded: 1, 6")).toBeVisible();
    await expect(page.getByText("This page has only the record of this step")).toBeVisible();
    await button(page, "Earlier step").click();
    await expect(page.locator(".scrubber-where b")).toHaveText("1");
  } finally {
    server.kill();
    await context.close();
  }
});

test("a served run that was stopped before its last step says so, and not that it is paused", async ({ page }, info) => {
  const out = info.outputPath("stopped");
  const lab = join(process.cwd(), "dist-cli/bin/rollout-lab.js");
  const records = join(out, "trajectories.jsonl");
  const training = spawn(process.execPath, [lab, "train", "configs/digit-sum.yaml", "--set", "steps=100000", "--out", out]);
  const ended = new Promise((resolve) => training.once("close", resolve));
  await expect.poll(() => existsSync(records)).toBe(true);
  training.kill("SIGINT");
  expect(await ended).toBe(130);
  // As an earlier version wrote its conversations.
  writeFileSync(records, readFileSync(records, "utf8").replaceAll(/"(pieces|promptPieces|trainLogprobs)":\[[^\]]*\],/g, ""));
  const server = spawn(process.execPath, [lab, "serve", out, "--port", "4610"]);
  try {
    await page.goto(await new Promise<string>((resolve) => server.stdout.once("data", (text) => resolve(String(text).split("\n")[0]!))));
    await engineIsUp(page);
    await reach(page, "finished");
    const { step } = await snapshot(page);
    await expect(page.getByText("Recording", { exact: true })).toBeVisible();
    await expect(page.getByText(`${step} of 100000 steps`)).toBeVisible();
    await expect(button(page, "Go on from here")).toBeEnabled();
    await expect(page.getByText("An earlier version may have written them")).toBeVisible();
  } finally {
    server.kill();
  }
});
