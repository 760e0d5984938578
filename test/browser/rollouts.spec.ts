// The Rollouts screen: which step, prompt and trajectory, how tokens are coloured, and what is kept.
import { readFile } from "node:fs/promises";
import type { GroupRecord } from "../../src/protocol/records.ts";
import { showPiece } from "../../src/ui/step/tokens/drawing.ts";
import {
  button,
  dropFiles,
  engineIsUp,
  expect,
  openLab,
  reach,
  reachStep,
  runToEnd,
  snapshot,
  start,
  TABLE,
  TINY,
  testInSamePage as test,
  testInEmptyPage,
} from "./lab.ts";

test.describe.configure({ mode: "default" });

const CHANNELS = [
  "Advantage",
  "Change of log-prob",
  "Ratio",
  "Push",
  "Log-prob",
  "Entropy",
  "Entropy in training",
  "KL to reference",
  "Mask",
];

test("a step, a prompt and a completion are chosen, and the address names them", async ({ page }) => {
  await openLab(page);
  const sent = await page.evaluateHandle(() => {
    const groups: GroupRecord[] = [];
    window.rolloutLab.on((event) => {
      if (event.type === "groups") groups.push(...event.groups);
      if (event.type === "answer" && event.outcome === "done" && event.command === "inspect") groups.push(...event.result.groups);
    });
    return groups;
  });
  const { groups: newest } = await runToEnd(page, { ...TINY, steps: 5, promptsPerStep: 3 });
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Group of 8" })).toBeVisible();
  await expect(page.locator(".scrubber-where")).toContainText("step 5");
  await page.getByRole("button", { name: "Earlier step" }).click();
  await expect(page.locator(".scrubber-where")).toContainText("step 4");
  await expect(page.getByRole("switch", { name: "Follow the newest step" })).not.toBeChecked();
  const prompt = page.getByRole("listbox", { name: "Prompts" }).getByRole("option").nth(2);
  await prompt.click();
  const completions = page.getByRole("listbox", { name: "8 completions" }).getByRole("option");
  await completions.filter({ hasText: "#5" }).click();
  await expect(page).toHaveURL(/#\/rollouts\?step=4&prompt=3&completion=5$/);
  await expect(page.getByRole("heading", { name: "Completion 5" })).toBeVisible();
  const record = (await sent.evaluate((groups) => groups)).findLast(({ step, promptIndex }) => step === 4 && promptIndex === 2)
    ?.trajectories[4];
  const tokens = page.getByRole("listbox", { name: /^Completion tokens/ }).getByRole("option");
  await expect(tokens).toHaveCount(record?.tokens.length ?? -1);
  expect((await tokens.allTextContents()).map((text) => text[0])).toEqual(record?.pieces.map((piece) => showPiece(piece).text[0]));
  await expect(page.getByRole("list", { name: "Conversation" })).toContainText("Emit 4 digits whose sum is 18.");
  await page.getByText("Follow the newest step").click();
  await expect(page.locator(".scrubber-where")).toContainText("step 5");
  expect(newest[0]?.step).toBe(5);
});

test("tokens are coloured by every channel, each with a legend and its help", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TINY, steps: 6, klCoef: 0.05, innerEpochs: 2, learningRate: 0.02 });
  await page.goto("/#/rollouts?step=6");
  const first = page
    .getByRole("listbox", { name: /^Completion tokens/ })
    .getByRole("option")
    .first();
  await expect(first).toBeVisible();
  const helps = new Set<string>();
  for (const title of CHANNELS) {
    await page.getByRole("button", { name: /Colour tokens by/ }).click();
    await page.getByRole("option", { name: new RegExp(`^${title} (?!in )`) }).click();
    await expect(page.getByRole("listbox", { name: `Completion tokens, coloured by ${title}` })).toBeVisible();
    await expect(first).toHaveAttribute("aria-label", new RegExp(`, ${title} (?!none)`));
    await expect(page.locator(".channel-bar .channel-legend")).toContainText("not trained");
    if (title !== "Mask") await expect(page.locator(".channel-bar .channel-ramp")).toBeVisible();
    helps.add((await page.locator(".channel-help").textContent()) ?? "");
  }
  expect(helps.size).toBe(CHANNELS.length);
});

test("tokens that train nothing are hatched, said so, and still shown", async ({ page }) => {
  await openLab(page);
  // Untrained weights never end their turn, so every completion is cut off.
  const { groups } = await runToEnd(page, {
    ...TINY,
    task: "boxed-arithmetic",
    steps: 1,
    promptsPerStep: 1,
    maxCompletionTokens: 5,
    maskTruncated: true,
  });
  const cut = groups[0]?.trajectories.findIndex(({ stopReason }) => stopReason === "max-tokens") ?? -1;
  expect(cut).toBeGreaterThanOrEqual(0);
  expect(groups[0]?.trajectories[cut]?.channels.mask).toEqual([0, 0, 0, 0, 0]);
  await page.goto(`/#/rollouts?step=1&completion=${cut + 1}`);
  const tokens = page.getByRole("listbox", { name: /^Completion tokens/ }).getByRole("option");
  await expect(tokens).toHaveCount(5);
  for (const token of await tokens.all()) {
    await expect(token).toHaveAttribute("aria-label", /, not trained$/);
    expect(await token.evaluate((element) => getComputedStyle(element).backgroundImage)).toContain("repeating-linear-gradient");
  }
});

test("a token shows its numbers under the pointer and on focus, and is pinned by Enter", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TINY, steps: 2 });
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  const tokens = page.getByRole("listbox", { name: /^Completion tokens/ }).getByRole("option");
  const card = page.getByRole("complementary", { name: "Token" });
  await expect(card).toContainText("Point at a token");
  const below = page.getByRole("table", { name: "Reward" });
  const place = await below.boundingBox();
  await tokens.nth(2).hover();
  await expect(card).toContainText("token 3 of 4");
  expect(await below.boundingBox()).toEqual(place);
  await page.getByRole("heading", { name: /^Completion \d+$/ }).hover();
  await expect(card).toContainText("Point at a token");
  await tokens.first().press("ArrowRight");
  await expect(tokens.nth(1)).toBeFocused();
  await expect(card).toContainText("token 2 of 4");
  await page.keyboard.press("End");
  await expect(card).toContainText("token 4 of 4");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/token=4/);
  await expect(tokens.nth(3)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("Escape");
  await expect(page).not.toHaveURL(/token=/);
});

test("the selected completion is in sight of its list, and the page stays where it is", async ({ page }) => {
  await openLab(page);
  const { groups } = await runToEnd(page, { ...TINY, steps: 2, groupSize: 64 });
  const advantages = groups[0]?.trajectories.map(({ advantage }) => advantage!) ?? [];
  const last = advantages.indexOf(Math.min(...advantages));
  await page.goto(`/#/rollouts?step=2&completion=${last + 1}`);
  const row = page.locator(".group-list [role=option][data-selected]");
  await expect(row).toContainText(`#${last + 1}`);
  const below = () =>
    row.evaluate((element) => {
      const list = element.closest(".group-list")?.getBoundingClientRect();
      return element.getBoundingClientRect().bottom - (list?.bottom ?? Number.NaN);
    });
  await expect.poll(below).toBeLessThan(1);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  // Nor does a list move it that begins within the window and ends below.
  await page.setViewportSize({ width: 1280, height: 1300 });
  await page.getByRole("link", { name: "Train", exact: true }).click();
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  await expect.poll(below).toBeLessThan(1);
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
});

test("the last 200 steps are kept, and an older one says which are", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TABLE, steps: 250, evalEvery: 0, keptMegabytes: 0 });
  await page.goto("/#/rollouts?step=51");
  await expect(page.getByRole("heading", { name: "Group of 24" })).toBeVisible();
  await expect(page.locator(".scrubber-where")).toContainText("step 51");
  await expect(page.getByText("in memory: 51 to 250")).toBeVisible();
  await page.goto("/#/rollouts?step=50");
  await expect(page.getByRole("heading", { name: "Step 50 is not kept" })).toBeVisible();
  await expect(page.getByText("steps 51 to 250 are there")).toBeVisible();
  // The run can repeat it: then it is there like any other, with what the policy might have said before and after.
  await button(page, "Take step 50 again").click();
  await expect(page.getByRole("heading", { name: "Group of 24" })).toBeVisible();
  await expect(page.getByText("Step 50 was taken again beside the run.")).toBeVisible();
  await page
    .getByRole("listbox", { name: /^Completion tokens/ })
    .getByRole("option")
    .first()
    .press("Enter");
  const likeliest = page.getByRole("table", { name: "Likeliest tokens here" });
  await expect(likeliest).toBeVisible();
  await expect(likeliest.getByText("not known")).toHaveCount(0);
  expect((await snapshot(page)).step).toBe(250);
});

test("the newest step is followed while training goes on", async ({ page }) => {
  await openLab(page);
  await start(page, { ...TINY, steps: 0 });
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  const where = page.locator(".scrubber-where b");
  const before = Number(await where.textContent());
  await reachStep(page, before + 5);
  await expect.poll(async () => Number(await where.textContent())).toBeGreaterThan(before);
  // A pinned token holds its step, prompt and completion while the run goes on.
  await page
    .getByRole("listbox", { name: /^Completion tokens/ })
    .getByRole("option")
    .first()
    .press("Enter");
  await expect(page).toHaveURL(/token=1/);
  const held = await where.textContent();
  const card = page.getByRole("complementary", { name: "Token" });
  const numbers = await card.textContent();
  await reachStep(page, Number(held) + 5);
  await expect(where).toHaveText(held ?? "");
  expect(await card.textContent()).toBe(numbers);
  await page.getByText("Follow the newest step").click();
  await page.evaluate(() => window.rolloutLab.pause());
  const { step } = await snapshot(page);
  await expect(where).toHaveText(String(step));
});

test("at 320 and 375 pixels the card of a token neither scrolls within itself nor lays one thing over another", async ({ page }) => {
  await page.setViewportSize({ width: 320, height: 740 });
  await openLab(page);
  await runToEnd(page, { ...TINY, task: "calculator", steps: 1, klCoef: 0.05, maxCompletionTokens: 24 });
  await page.goto("/#/rollouts?step=1&token=3");
  const card = page.getByRole("complementary", { name: "Token" });
  await expect(card).toContainText("token 3 of");
  for (const width of [320, 375]) {
    await page.setViewportSize({ width, height: 740 });
    const odd = await card.evaluate((element) => {
      const inner = [element, ...element.querySelectorAll<HTMLElement>("*")].filter(
        (each) => each.scrollHeight > each.clientHeight + 2 && each.clientHeight > 0 && getComputedStyle(each).overflowY !== "visible",
      );
      const over = Array.from(element.querySelectorAll(".figures > div")).filter((row) => {
        const [name, value] = [row.querySelector("dt"), row.querySelector("dd")].map((each) => each?.getBoundingClientRect());
        return !name || !value || name.right > value.left || value.right > document.documentElement.clientWidth;
      });
      const cut = Array.from(element.querySelectorAll("dd")).filter((each) => each.scrollWidth > each.clientWidth);
      return [...inner, ...over, ...cut].map((each) => each.textContent);
    });
    expect(odd, `${width} pixels`).toEqual([]);
  }
});

test("a completion on the Train screen opens token by token, and its group is saved as JSON lines with every value", async ({ page }) => {
  await openLab(page);
  const { groups } = await runToEnd(page, { ...TINY, steps: 1 });
  await page.locator(".rows").getByRole("link").nth(3).click();
  await expect(page).toHaveURL(/#\/rollouts\?step=1.*completion=4/);
  await expect(page.getByRole("heading", { name: "Completion 4" })).toBeVisible();
  const tokens = page.getByRole("listbox", { name: /^Completion tokens/ }).getByRole("option");
  const said = groups[0]?.trajectories[3]?.pieces.map((piece) => showPiece(piece).text[0]);
  await expect.poll(async () => (await tokens.allTextContents()).map((text) => text[0])).toEqual(said);
  const waiting = page.waitForEvent("download");
  await page.getByRole("button", { name: "Save group as JSONL" }).click();
  const download = await waiting;
  expect(download.suggestedFilename()).toBe(`group-step-1-prompt-${groups[0]?.promptIndex}.jsonl`);
  const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\n");
  expect(lines.map((line) => JSON.parse(line).logprobs)).toEqual(groups[0]?.trajectories.map(({ channels }) => channels.oldLogprobs));
  // They open again where rollouts of others do.
  await dropFiles(page, [{ name: download.suggestedFilename(), bytes: await readFile(await download.path()) }]);
  await expect(page.getByRole("region", { name: "this lab's conversations", exact: true })).toContainText(`${lines.length} rollouts`);
});

testInEmptyPage(
  "a copied link opens in a fresh browser with its settings, says that the run is not there and trains it again",
  async ({ page, context, browser }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openLab(page);
    await runToEnd(page, { ...TINY, steps: 5, seed: 3 });
    await page.goto("/#/rollouts?step=4&prompt=2&completion=3&token=2");
    await expect(page.getByRole("heading", { name: "Completion 3" })).toBeVisible();
    const said = await page.locator(".group-list").innerText();
    await button(page, "Share this").click();
    await button(page, "Copy link to the settings").click();
    await expect(page.getByText("Copied.")).toBeVisible();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    const fresh = await browser.newContext();
    const other = await fresh.newPage();
    await other.goto(link);
    await engineIsUp(other);
    await expect(other.getByRole("heading", { name: "A run that is not here" })).toBeVisible();
    await expect(other.getByText("This link leads to step 4, prompt 2, completion 3, token 2 of a run.")).toBeVisible();
    await button(other, "Train it and open this place").click();
    await expect.poll(async () => (await snapshot(other)).step).toBe(4);
    await reach(other, "paused");
    await expect(other.getByRole("heading", { name: "Completion 3" })).toBeVisible();
    await expect(other).toHaveURL(/rollouts\?step=4&prompt=2&completion=3&token=2$/);
    // The same settings and the same seed are the same run.
    expect(await other.locator(".group-list").innerText()).toBe(said);
    expect((await snapshot(other)).config).toMatchObject({ seed: 3, steps: 5, hiddenSize: 16, learningRate: 0.003 });
    await fresh.close();
  },
);
