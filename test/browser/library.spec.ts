// The library of one's own things: kept from the form, versioned, compared, taken back, handed on as a file and by a link.
import { readFile } from "node:fs/promises";
import type { Page } from "@playwright/test";
import { readOwnFile } from "../../src/protocol/custom/ownFile.ts";
import { rewardStarters } from "../../src/ui/make/customize/reward/starters.ts";
import { button, expect, openLab, reach, testInSamePage as test, testInEmptyPage } from "./lab.ts";
import { violationsOn } from "./looks.ts";

test.describe.configure({ mode: "default" });

const AT = "#/customize?version=3&preset=digit-sum-table&steps=10&section=reward";
const EVEN = rewardStarters.find(({ id }) => id === "evenDigits")!;

async function writeReward(page: Page): Promise<void> {
  await button(page, "Write a reward").click();
  await page.getByRole("menuitem", { name: EVEN.title }).click();
  await expect(page.locator(".bench-verdict").first()).toHaveText("1");
}

async function changeCode(page: Page, code: string): Promise<void> {
  await page.getByRole("textbox", { name: /^Code of/ }).focus();
  await page.keyboard.press("Control+a");
  await page.keyboard.insertText(code);
}

const openLibrary = (page: Page) =>
  page.getByRole("navigation", { name: "Parts of Customize" }).getByRole("link", { name: "Library" }).click();
const row = (page: Page, title: string) => page.locator(".library-row").filter({ hasText: title });

test("a reward is kept with its versions, which are compared and gone back to, and taken into the form with one press", async ({
  page,
}) => {
  await openLab(page, AT);
  await openLibrary(page);
  await expect(page.getByText("Nothing is saved here yet.")).toBeVisible();
  await page.getByRole("link", { name: "3 Reward" }).click();
  await writeReward(page);
  await expect(page.getByText("Not in your library yet.")).toBeVisible();
  await button(page, "Keep it").click();
  await expect(page.getByText(/In your library as it is here: version 1/)).toBeVisible();
  await button(page, "Train").click();
  await reach(page, "finished");
  await changeCode(page, "export const reward = ({ text }) => text.length;\n");
  await expect(page.getByText(/Differs from what your library has: version 1/)).toBeVisible();
  await button(page, "Show what differs").click();
  await expect(page.getByLabel("What differs in Even digits").getByText("text.length;", { exact: false })).toBeVisible();
  await button(page, "Keep as version 2").click();
  await expect(page.getByText(/as it is here: version 2/)).toBeVisible();

  await openLibrary(page);
  await button(page, "Even digits").click();
  await expect(row(page, "Even digits")).toContainText("used by 1 run");
  await expect(page.getByLabel("From version 1 to 2").locator(".difference-new")).toHaveCount(1);
  expect(await violationsOn(page, "main")).toEqual([]);
  await button(page, "Go back to this: version 1").click();
  await expect(page.getByText("As version 1 was: Even digits, version 3.")).toBeVisible();
  await expect(row(page, "Even digits")).toContainText("in the form, changed there");
  await button(page, "Use Even digits").click();
  await expect(page.getByText(/as it is here: version 3/)).toBeVisible();
  await expect(page.getByRole("textbox", { name: /^Code of/ })).toContainText("filter");
});

test("prompts get a name as they are kept, and are taken whole into another form", async ({ page }) => {
  await openLab(page, "#/customize?section=data");
  const prompts = page.getByLabel("Prompts", { exact: true });
  await prompts.fill("What is 3 + 4? => 7\nWhat is 5 + 5? => 10\nWhat is 6 + 1? => 7");
  await prompts.blur();
  await button(page, "Keep it").click();
  await page.getByLabel("Name to keep it under").fill("Small sums");
  await page.keyboard.press("Enter");
  await expect(page.getByText(/as it is here: version 1/)).toBeVisible();
  await page.goto("./#/customize?version=3&preset=digit-sum-table&section=library");
  await expect(row(page, "Small sums")).toContainText("3 problems");
  await button(page, "Use Small sums").click();
  await expect(page.getByText("3 problems, all with an answer.")).toBeVisible();
  await expect(page.getByText(/as it is here: version 1/)).toBeVisible();
});

testInEmptyPage(
  "a kept thing leaves as one file and by a link, its code unread in both, and is renamed, duplicated, deleted and brought back",
  async ({ page, browser }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await openLab(page, AT);
    await writeReward(page);
    await button(page, "Keep it").click();
    await openLibrary(page);
    await button(page, "Even digits").click();
    const saved = page.waitForEvent("download");
    await button(page, "Save as a file").click();
    const text = await readFile(await (await saved).path(), "utf8");
    expect(readOwnFile(text)?.thing).toMatchObject({
      kind: "reward",
      name: "evenDigits",
      content: { title: "Even digits", source: EVEN.source },
    });
    await button(page, "Copy a link").click();
    await expect(page.getByText(/Link copied/)).toBeVisible();
    const link = await page.evaluate(() => navigator.clipboard.readText());

    const elsewhere = await (await browser.newContext()).newPage();
    await openLab(elsewhere, link.slice(link.indexOf("#")));
    await expect(elsewhere.getByText("It runs only when you allow it")).toBeVisible();
    await expect(elsewhere.getByRole("textbox", { name: "Code of Even digits" })).toContainText("filter");
    await elsewhere.evaluate((content) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], "mine.ts", { type: "text/plain" }));
      window.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
    }, text);
    await expect(row(elsewhere, "Even digits")).toBeVisible();
    await button(elsewhere, "Use Even digits").click();
    await expect(elsewhere.getByText("It runs only when you allow it")).toBeVisible();
    await elsewhere.context().close();

    await page.getByLabel("Name", { exact: true }).fill("Even ones");
    await page.keyboard.press("Enter");
    await expect(row(page, "Even ones")).toBeVisible();
    await button(page, "Duplicate").click();
    await expect(row(page, "Even ones copy")).toBeVisible();
    await button(page, "Delete").click();
    await expect(page.getByText("Even ones is deleted.")).toBeVisible();
    await expect(page.locator(".library-row")).toHaveCount(1);
    // Whatever is done in between, the way back stays, for each thing.
    await button(page, "Even ones copy").click();
    await button(page, "Duplicate").click();
    await expect(page.locator(".library-row")).toHaveCount(2);
    await button(page, "Delete").click();
    await expect(page.locator(".library-row")).toHaveCount(1);
    await page.reload();
    await button(page, "Undo: Even ones").click();
    await expect(page.getByText("Even ones is back.")).toBeVisible();
    await button(page, "Undo: Even ones copy").click();
    await expect(page.locator(".library-row")).toHaveCount(3);
    await page.reload();
    await expect(page.locator(".library-row")).toHaveCount(3);
  },
);

testInEmptyPage("what one tab keeps the other lists, and neither loses a version of the other", async ({ page }) => {
  await openLab(page, AT);
  await writeReward(page);
  await button(page, "Keep it").click();
  await expect(page.getByText(/as it is here: version 1/)).toBeVisible();
  const other = await page.context().newPage();
  await openLab(other, AT);
  await writeReward(other);
  await expect(other.getByText(/as it is here: version 1/)).toBeVisible();
  await changeCode(page, "export const reward = () => 1;\n");
  await changeCode(other, "export const reward = () => 2;\n");
  await button(page, "Keep as version 2").click();
  await button(other, "Keep as version 3").click();
  await openLibrary(page);
  await button(page, "Even digits").click();
  await expect(page.locator(".library-versions > li")).toHaveCount(3);
});

testInEmptyPage("where storage is full, what was to be kept stays in the form and a sentence says why", async ({ page }) => {
  await page.addInitScript(() => {
    const add = IDBObjectStore.prototype.put;
    IDBObjectStore.prototype.put = function (...given) {
      if (this.name === "versions") throw new DOMException("full", "QuotaExceededError");
      return add.apply(this, given);
    };
  });
  await openLab(page, AT);
  await writeReward(page);
  await button(page, "Keep it").click();
  await expect(page.getByText("storage for this site is full, so it was not kept")).toBeVisible();
  await expect(page.getByRole("textbox", { name: /^Code of/ })).toContainText("filter");
});
