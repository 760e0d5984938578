// Customize by keyboard alone, from the first screen to a policy that goes for a typed reward; and each of its sections on a
// narrow phone, light and dark.
import type { Page } from "@playwright/test";
import { button, expect, openLab, snapshot, testInSamePage as test } from "./lab.ts";
import { expectNothingSerious, overflow, picture } from "./looks.ts";

test.describe.configure({ mode: "default" });

/** Presses Tab until a button that is called so has the focus. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  const focused = () =>
    page.evaluate(() => {
      const at = document.activeElement;
      const labels = at instanceof HTMLButtonElement ? [at.getAttribute("aria-label"), at.textContent] : [];
      return labels.find((label) => label)?.trim() ?? "";
    });
  for (let presses = 0; presses < 150; presses++) {
    if (name.test(await focused())) return;
    await page.keyboard.press("Tab");
  }
  throw new Error(`150 presses of Tab do not reach ${name}`);
}

test("a reward is typed and trained by keyboard alone, from the first screen", async ({ page }) => {
  await openLab(page, "#/train?version=3&preset=digit-sum-table");
  await tabTo(page, /^Write a reward/);
  await page.keyboard.press("Enter");
  await expect(page.getByRole("menuitem").first()).toBeFocused();
  await page.keyboard.press("Enter");
  // Whoever chose it with the keyboard goes on in the editor.
  await expect(page.getByRole("textbox", { name: /^Code of/ })).toBeFocused();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText("export const reward = ({ text }) => (text.match(/7/g) ?? []).length / 4;");
  await page.keyboard.press("Escape");
  await tabTo(page, /^Train$/);
  await page.keyboard.press("Enter");
  await expect.poll(async () => (await snapshot(page)).metrics.at(-1)?.metrics.reward ?? 0, { timeout: 60_000 }).toBeGreaterThan(0.5);
});

/** What is opened in each section before it is looked at. */
const OPENED: Readonly<Record<string, (page: Page) => Promise<unknown>>> = {
  data: (page) => page.getByLabel("Prompts", { exact: true }).fill("What is 3 + 4? => 7\nWhat is 5 + 5? => 10"),
  model: (page) => expect(page.getByRole("heading", { name: "SmolLM2, which knows English" })).toBeVisible(),
  reward: async (page) => {
    await button(page, "Write a reward").click();
    await page.getByRole("menuitem").first().click();
    // With a finger nothing opens the phone's keyboard.
    await expect(page.getByRole("textbox", { name: /^Code of/ })).toBeVisible();
    await expect(page.getByRole("textbox", { name: /^Code of/ })).not.toBeFocused();
  },
  environment: async (page) => {
    await button(page, "Write an environment").click();
    await page.getByRole("menuitem").first().click();
    await expect(page.getByRole("heading", { name: "Play it yourself" })).toBeVisible();
  },
  judge: async (page) => {
    await button(page, "Add a judge").click();
    await page.getByRole("menuitem").first().click();
    await expect(page.getByLabel("What it is asked")).toBeVisible();
  },
  templates: (page) => expect(button(page, "Open Rhyme")).toBeVisible(),
  library: (page) => expect(page.getByRole("heading", { level: 2 }).first()).toBeVisible(),
};

for (const [section, open] of Object.entries(OPENED))
  test(`the section ${section} holds on a narrow phone, light and dark`, async ({ page }) => {
    await page.setViewportSize({ width: 320, height: 700 });
    // Of what another section has brought nothing is left.
    await openLab(page, `#/customize?preset=boxed-arithmetic&section=${section}`);
    await open(page);
    await expectNothingSerious(page, section, (scheme) => picture(page, `${section}-${scheme}`, true));
    const { width, wide } = await overflow(page);
    expect(width, wide.join(", ")).toBe(320);
  });
