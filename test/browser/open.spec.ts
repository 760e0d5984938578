// Rollouts of other programs on the page: three steps that TRL wrote are dropped, and every number of a row stands on the screen.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "@playwright/test";
import { expect, openLab, test } from "./lab.ts";

const SAMPLES = join(import.meta.dirname, "../reference/traces/trl");
const FILES = [1, 2, 3].map((step) => `completions_0000${step}.parquet`);

/** Drops files on the page as somebody would. */
async function drop(page: Page, files: readonly { readonly name: string; readonly bytes: Buffer }[]): Promise<void> {
  const transfer = await page.evaluateHandle(
    (given) => {
      const data = new DataTransfer();
      for (const { name, base64 } of given)
        data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
      return data;
    },
    files.map(({ name, bytes }) => ({ name, base64: bytes.toString("base64") })),
  );
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

const dropTrl = (page: Page) =>
  drop(
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
  await drop(page, [{ name: "notes.txt", bytes: Buffer.from("hi") }]);
  await expect(page.getByRole("main").getByRole("alert")).toContainText("notes.txt could not be opened");
});
