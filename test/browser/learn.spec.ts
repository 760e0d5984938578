// Every lesson from its first question to its end, in a browser, on engines of the page's own: one half by keyboard at phone
// width, the other by mouse on a desktop, and in the long run all of them both ways. Answers are taken as they come; what a wrong one is told is tested without a browser.
import type { Locator, Page } from "@playwright/test";
import { isLong } from "../support/long.ts";
import { expect, testInEmptyPage as test } from "./lab.ts";
import { LESSON_IDS } from "./lessonIds.ts";
import { violationsOn } from "./looks.ts";

const BY_KEYBOARD = LESSON_IDS.filter((_, i) => isLong || i % 2 === 0);
const BY_MOUSE = LESSON_IDS.filter((_, i) => isLong || i % 2 === 1);
/** A lesson's run, on a machine that does other things as well. */
const RUN_MS = 120_000;

interface Hand {
  /** Presses what has this role and name. */
  readonly press: (name: RegExp) => Promise<void>;
  /** Chooses an answer of the question in view. */
  readonly choose: (group: string, index: number) => Promise<void>;
}

function byMouse(page: Page): Hand {
  return {
    press: (name) => page.getByRole("button", { name }).click(),
    choose: (group, index) => page.getByRole("radiogroup", { name: group }).locator(".answer").nth(index).click(),
  };
}

/** Goes on by Tab to what can be focused. It is looked up by its name once: to ask for it by name at each key takes longer than the keys. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const element = await target.elementHandle();
  // What is opened takes the focus, so what comes next is a few tabs away.
  for (let tabs = 0; tabs < 40 && !(await element?.evaluate((each) => each === document.activeElement)); tabs++)
    await page.keyboard.press("Tab");
  await expect(target).toBeFocused();
}

function byKeyboard(page: Page): Hand {
  const press = async (name: RegExp) => {
    await tabTo(page, page.getByRole("button", { name }));
    await page.keyboard.press("Enter");
  };
  const choose = async (group: string, index: number) => {
    const answers = page.getByRole("radiogroup", { name: group });
    const radios = await answers.getByRole("radio").elementHandles();
    const isIn = () =>
      radios[0]!.evaluate((radio) => radio.parentElement?.closest("[role=radiogroup]")?.contains(document.activeElement) ?? false);
    // After a wrong answer the focus is on Check, below the answers.
    const isBelow = await radios
      .at(-1)!
      .evaluate((radio) => (radio.compareDocumentPosition(document.activeElement ?? document.body) & 4) !== 0);
    for (let tabs = 0; tabs < 40 && !(await isIn()); tabs++) await page.keyboard.press(isBelow ? "Shift+Tab" : "Tab");
    await page.keyboard.press("Space");
    // From the answer that was tried last, round and round.
    for (let i = 0; i < 11 && !(await radios[index]!.isChecked()); i++) await page.keyboard.press("ArrowDown");
    await expect(answers.getByRole("radio").nth(index)).toBeChecked();
  };
  return { press, choose };
}

/** Nothing lies over the first words, such as the figure that stays above the text on a phone. */
function isUncovered(element: Element): boolean {
  const { left, top } = (element.firstElementChild ?? element).getBoundingClientRect();
  return element.contains(document.elementFromPoint(left + 2, top + 2));
}

async function finish(page: Page, id: string, { press, choose }: Hand, typed: (text: string) => Promise<void>): Promise<void> {
  await page.goto(`#/learn?lesson=${id}`);
  await expect(page.locator(".lesson h1")).toBeVisible();
  expect(await page.evaluate(() => window.scrollY)).toBe(0);
  if ((await page.getByRole("radiogroup", { name: "Your prediction" }).count()) > 0) await choose("Your prediction", 1);
  else await typed("0.3");
  await press(/^Lock in/);
  const verdict = page.locator(".lesson-verdict").first();
  await expect(verdict).toBeVisible({ timeout: RUN_MS });
  await expect(verdict.locator(".lesson-verdict-word")).toBeInViewport();
  expect(await verdict.evaluate(isUncovered)).toBe(true);
  while ((await page.getByRole("button", { name: /^Next: / }).count()) > 0) await press(/^Next: /);
  // One wrong answer on the way, if the first is: each gets its reason, and another may be tried.
  for (let option = 0; option < 4 && (await page.getByRole("button", { name: "Check" }).count()) > 0; option++) {
    await choose("Your answer", option);
    await press(/^Check$/);
    await expect(page.locator(".lesson-verdict").last()).toBeVisible();
    await expect(page.locator(".lesson-verdict-word").last()).toBeInViewport();
  }
  await expect(page.getByRole("heading", { name: "Where this comes from" })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
}

/** How many pages the sheet takes on either paper. */
async function printed(page: Page): Promise<readonly (number | undefined)[]> {
  const pages: (number | undefined)[] = [];
  for (const format of ["A4", "Letter"] as const) {
    const pdf = await page.pdf({ format, margin: { top: "1cm", right: "1cm", bottom: "1cm", left: "1cm" } });
    pages.push(pdf.toString("latin1").match(/\/Type\s*\/Page\b/g)?.length);
  }
  return pages;
}

const done = (page: Page) => page.locator(".learn-state", { hasText: "done" });

// In one page, which answers runs that it has made from memory: the sheet has the numbers of all lessons without training them again.
test("lessons are finished by keyboard and by mouse, stay finished, and stand on one printed sheet, with nothing for axe to find", async ({
  page,
}) => {
  test.setTimeout(2 * LESSON_IDS.length * RUN_MS);
  const problems: string[] = [];
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(message.text());
  });
  await test.step("GRPO on one sheet is one printed page with the whole objective", async () => {
    await page.goto("#/learn?page=sheet");
    const objective = page.getByRole("math", { name: /smaller of ratio times advantage and clipped ratio times advantage, less beta/ });
    await expect(objective).toBeVisible();
    expect(await printed(page)).toEqual([1, 1]);
  });
  await test.step("by keyboard at phone width", async () => {
    await page.setViewportSize({ width: 375, height: 740 });
    for (const id of BY_KEYBOARD)
      await finish(page, id, byKeyboard(page), async (text) => {
        await tabTo(page, page.locator(".prediction input"));
        await page.keyboard.type(text);
      });
    await page.goto("#/learn");
    await expect(done(page)).toHaveCount(BY_KEYBOARD.length);
  });
  if (isLong) {
    await page.evaluate(() => localStorage.removeItem("rollout-lab-lessons"));
    await page.reload();
    await expect(done(page)).toHaveCount(0);
  }
  await test.step("by mouse on a desktop, in either theme", async () => {
    await page.setViewportSize({ width: 1280, height: 800 });
    for (const [i, id] of BY_MOUSE.entries()) {
      await page.emulateMedia({ colorScheme: i % 2 === 0 ? "light" : "dark", reducedMotion: "reduce" });
      await finish(page, id, byMouse(page), (text) => page.locator(".prediction input").fill(text));
      const violations = await violationsOn(page);
      expect(violations.map(({ id: rule, nodes }) => `${id}: ${rule} ${nodes[0]?.html}`)).toEqual([]);
    }
    await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  });
  await test.step("the sheet is one page once all lessons are begun", async () => {
    await page.goto("#/learn?page=sheet");
    await expect(page.locator(".sheet-sentences")).not.toHaveCount(0);
    await expect.poll(() => page.locator(".sheet-sentences").count(), { timeout: RUN_MS }).toBeGreaterThan(8);
    expect(await printed(page)).toEqual([1, 1]);
  });
  await page.goto("#/learn");
  await expect(done(page)).toHaveCount(LESSON_IDS.length);
  await page.reload();
  await expect(done(page)).toHaveCount(LESSON_IDS.length);
  expect(problems).toEqual([]);
});

test("a figure is handed on as a frame that it fits in, with a way back to its lesson", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto("#/learn?page=teach");
  await page.getByText("The figure alone, for a slide").click();
  await expect(page.locator(".teach-preview [aria-busy=false]")).toBeVisible();
  await page.getByRole("button", { name: "Copy as a frame" }).click();
  const frame = await page.evaluate(() => navigator.clipboard.readText());
  const [, src = "", width, height] = /^<iframe src="([^"]+)" width="(\d+)" height="(\d+)"/.exec(frame) ?? [];
  await page.setViewportSize({ width: Number(width), height: Number(height) });
  await page.goto(src.replaceAll("&amp;", "&"));
  await expect(page.locator("[aria-busy=false]")).toBeVisible();
  const size = await page.evaluate(() => {
    const { scrollWidth, scrollHeight } = document.documentElement;
    return { scrollWidth, scrollHeight };
  });
  expect(size.scrollWidth).toBeLessThanOrEqual(Number(width));
  expect(size.scrollHeight).toBeLessThanOrEqual(Number(height) + 1);
  const home = page.getByRole("link", { name: "One number, many probabilities" });
  await expect(home).toBeInViewport();
  await expect(home).toHaveAttribute("href", /#\/learn\?lesson=policy-gradient$/);
});

test("the loop's source opens beside a lesson, marks the lines of its phase and tells their numbers @both", async ({ page }) => {
  await page.goto("#/learn?lesson=group-advantage");
  await page.locator(".prediction input").fill("2.5");
  await page.getByRole("button", { name: /^Lock in/ }).click();
  for (const title of ["Subtract the mean", "Divide by the spread"]) await page.getByRole("button", { name: `Next: ${title}` }).click();
  const lesson = page.locator(".lesson-text");
  const before = await lesson.boundingBox();
  const toggle = page.getByRole("button", { name: "See the line that runs" });
  await toggle.focus();
  await page.keyboard.press("Enter");
  const lines = page.locator(".loop-line[data-now]");
  await expect(lines).toHaveText([/const std = Math.sqrt/, /return judged_G\.map/]);
  await expect(lines.first()).toBeInViewport();
  expect(await lesson.boundingBox()).toEqual(before);
  await lines.getByRole("button", { name: "centre" }).click();
  await expect(page.getByRole("tooltip")).toHaveText(/^centre: 0.125/);
  expect(await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth)).toBeLessThanOrEqual(0);
  for (let presses = 0; presses < 2 && (await lines.count()) > 0; presses++) await page.keyboard.press("Escape");
  await expect(lines).toHaveCount(0);
  await expect(page.getByRole("button", { name: "See the line that runs" })).toBeFocused();
});
