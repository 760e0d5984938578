// Templates: from Train to the code of one with a press, then trained with another; from the palette as well; and
// the one that is meant to be cheated shows its diagnosis and takes the mended reward.
import { button, expect, openLab, snapshot, testInSamePage as test } from "./lab.ts";
import { picture, violationsOn } from "./looks.ts";

test.describe.configure({ mode: "default" });

test("Train leads to the templates, a press opens one's code, and one more trains it", async ({ page }) => {
  await openLab(page);
  await page.getByRole("link", { name: "Teach it something of yours" }).click();
  await button(page, "Open Rhyme").click();
  await expect(page.getByRole("textbox", { name: "Code of Rhymes" })).toContainText("must share to rhyme");
  await expect(page.getByText("Look for:")).toBeVisible();
  await expect(page.locator(".bench-verdict").first()).toHaveText(/^1/);
  await picture(page, "template-open", true);
  await button(page, "Train").click();
  await expect.poll(async () => (await snapshot(page)).step).toBeGreaterThan(1);
  await picture(page, "template-training", true);
  const { config } = await snapshot(page);
  expect(config?.task).toBe("rhyme");
});

test("every template is a card that opens it, and axe finds nothing in them", async ({ page }) => {
  await openLab(page, "#/customize?section=templates");
  await expect(page.getByRole("listitem").filter({ has: page.getByRole("heading", { level: 3 }) })).toHaveCount(9);
  expect(await violationsOn(page, "main")).toEqual([]);
  await picture(page, "template-cards", true);
  await button(page, "Open Rhyming in turns").click();
  await expect(page.getByRole("heading", { name: "Play it yourself" })).toBeVisible();
  await expect(page.getByText(/^Repeat [A-Z][a-z]+\.$/)).toBeVisible();
  await picture(page, "template-game", true);
});

test("the palette opens the one that is meant to be cheated, whose mended reward takes its place", async ({ page }) => {
  await openLab(page);
  await page.keyboard.press("Control+k");
  await expect(page.getByPlaceholder(/^Search actions/)).toBeFocused();
  await page.keyboard.type("meant to be cheated");
  await page.getByRole("menuitem", { name: /Digits that are right/ }).click();
  const code = page.getByRole("textbox", { name: /^Code of/ });
  await expect(code).toContainText("Meant to be cheated");
  await page.getByText("What goes wrong, and how to fix it").click();
  await expect(page.getByText("What the run finds.")).toBeVisible();
  expect(await violationsOn(page, "main")).toEqual([]);
  await picture(page, "template-diagnosis", true);
  await button(page, "Use the corrected reward").click();
  await expect(code).toContainText("The mended reward");
  await expect(page.getByText("The corrected reward is in the editor")).toBeVisible();
});
