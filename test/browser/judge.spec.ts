// A second model as a reward: added on Customize, asked about typed answers, trained against, and the same to the bit as in Node.
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import { button, dropFiles, expect, openLab, reach, snapshot, testInEmptyPage as test, timeless } from "./lab.ts";
import { violationsOn } from "./looks.ts";

const SETTINGS = { promptsPerStep: 2, groupSize: 4, steps: 2, evalEvery: 0, evalProblems: 1, seed: 5, threads: 1 } as const;

test("a judge is added, asked about typed answers, trained against, and gives the bits of Node", async ({ page }) => {
  const query = new URLSearchParams({ version: "3", preset: "boxed-arithmetic", section: "judge" });
  for (const [key, value] of Object.entries({ ...SETTINGS, backend: "wasm" })) query.set(key, String(value));
  await openLab(page, `#/customize?${query}`);
  await button(page, "Add a judge").click();
  await page.getByRole("menuitem", { name: "Is the sum right?" }).click();
  await expect(page.getByLabel("What it is asked")).toHaveValue("Is this right? Work it out, then say yes or no.");
  await button(page, "Ask the judge").click();
  await expect(page.getByText(/^Verdict \d/).first()).toBeVisible();
  await expect(page.getByText(/2 answers judged.*Beside the policy its model takes/)).toBeVisible();
  await page.getByText("The prompt as it reads it").first().click();
  await expect(page.locator("pre").first()).toContainText("Is this right?");
  expect(await violationsOn(page, "main")).toEqual([]);

  await button(page, "Train").click();
  await reach(page, "finished");
  const { metrics, config } = await snapshot(page);
  expect(metrics[0]!.metrics["judge/asked"]).toBe(8);
  const { steps } = await trainRun(config!, createNodeHost());
  expect(timeless(metrics)).toEqual(timeless(steps));

  // The judge that stands in the form judges rollouts of another program too.
  const chats = ["It is 4.", "It is 5."].map((completion, i) => JSON.stringify({ prompt: "What is 2 + 3?", completion, reward: 1 - i }));
  await dropFiles(page, [{ name: "chats.jsonl", bytes: Buffer.from(chats.join("\n")) }]);
  await page.getByRole("link", { name: "Look at the rollouts" }).click();
  await button(page, "The same rollouts under other rewards").click();
  await button(page, "Add a reward").click();
  await page.getByRole("menuitem", { name: /^Checker/ }).click();
  await button(page, "Score with these").click();
  await expect(page.getByRole("heading", { name: "Step 0 under these rewards" })).toBeVisible();
  await expect(page.getByRole("table", { name: "Prompt 1: 2 completions" })).toContainText("It is 5.");
  // What it wrote has no answer of its scale in it, and is told.
  await expect(
    page.getByText(/^Checker gave no verdict on \d completions?: wrote ".*in which no answer of its scale stands/),
  ).toBeVisible();
});
