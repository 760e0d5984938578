// Groups of conversations: where they part, what a critic foresaw in them, and how their screens look.
import { expect, openLab, runToEnd, testInSamePage as test } from "./lab.ts";
import { overflow, violationsOn } from "./looks.ts";

test.describe.configure({ mode: "default" });

/** A policy that can call a tool, with a critic. */
const CALCULATOR = { task: "calculator", taskOptions: { operations: 1 }, algorithm: "ppo", promptsPerStep: 2, groupSize: 6 } as const;

test("the tree of a group starts where its conversations part, and takes the whole page on demand", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...CALCULATOR, steps: 1, evalEvery: 0, evalProblems: 4 });
  // What it would say first is read without its template, whose tokens come on demand.
  await page.getByRole("button", { name: /^Ask the model start and now/ }).click();
  await page.locator(".ask-form").getByRole("button").click();
  const asked = page.locator(".asked-side").first();
  await expect(asked.locator(".asked-said").first()).toHaveText(/^calculate: \d/);
  await expect(asked.getByText("arguments", { exact: true }).first()).toBeHidden();
  await asked
    .getByText(/^\d+ tokens, .* in all$/)
    .first()
    .click();
  await expect(asked.getByText("arguments", { exact: true }).first()).toBeVisible();
  await page.goto("./#/rollouts?step=1");
  await page.getByText("Show where they part").click();
  const tree = page.getByRole("region", { name: "Where the group parts" });
  await expect(tree.getByText(/^All 6 begin with the same \d+ tokens$/)).toBeVisible();
  await expect(tree).not.toContainText("im_start");
  // That it goes on to the right is seen until its right end is.
  const frame = tree.locator(".tree-frame");
  await page.setViewportSize({ width: 320, height: 800 });
  await expect(frame).toHaveAttribute("data-goes-on", "true");
  const scrollTo = (x: number) => tree.locator(".tree-scroll").evaluate((element, left) => element.scrollTo({ left }), x);
  await scrollTo(1e5);
  await expect(frame).not.toHaveAttribute("data-goes-on");
  await scrollTo(0);
  await expect(frame).toHaveAttribute("data-goes-on", "true");
  await page.setViewportSize({ width: 1280, height: 800 });
  const width = async () => (await tree.boundingBox())!.width;
  const narrow = await width();
  await page.getByText("Full width").click();
  await expect.poll(width).toBeGreaterThan(1.5 * narrow);
  // A critic's figures colour tokens too.
  const colour = page.getByRole("button", { name: /Colour tokens by/ });
  await colour.click();
  await page.getByRole("option", { name: "TD error" }).click();
  await expect(page.locator(".channel-legend").last()).toContainText("▲");
  await expect(page.locator(".token").first()).toHaveAttribute("aria-label", /TD error [+−0]/);
  await page.getByRole("link", { name: "Same prompts over time" }).click();
  await expect(page.getByText("In conversations you see the first turn only")).toBeVisible();
});

test("a board stands after the reply that is on it", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, {
    task: "tic-tac-toe",
    algorithm: "grpo",
    promptsPerStep: 1,
    groupSize: 4,
    steps: 1,
    evalEvery: 0,
    evalProblems: 4,
  });
  await page.goto("./#/rollouts?step=1");
  const turns = page.getByRole("list", { name: "Conversation" }).locator(":scope > li");
  const reply = turns.filter({ hasText: /^\s*User context, not trained/ }).first();
  const move = Number((await reply.locator(".turn-text").innerText()).slice(2)) - 1;
  // Below the reply, before the next turn.
  const after = turns.filter({ hasText: "tokens of context" }).first();
  await expect(after.locator(".board td").nth(move)).toHaveText("O");
});

test("on a phone a tapped token stays in sight, and its card has all of its numbers @phone", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...CALCULATOR, algorithm: "grpo", steps: 1, evalEvery: 0, evalProblems: 4 });
  await page.goto("./#/rollouts?step=1");
  const token = page.locator(".token").nth(12);
  await token.tap();
  const card = page.getByRole("complementary", { name: "Token" });
  // Nothing lies over what was tapped, and what is told of it is in sight beside it.
  await expect
    .poll(() =>
      token.evaluate((each) => {
        const { left, top, width, height } = each.getBoundingClientRect();
        return each.contains(document.elementFromPoint(left + width / 2, top + height / 2));
      }),
    )
    .toBe(true);
  await expect(card.locator("header")).toBeInViewport({ ratio: 1 });
  // The preset leaves the measuring out; it is done for the step that is looked at.
  await expect(card.locator("header")).toContainText(/p when sampled .+ → after the update .+ %/);
  await expect(card.getByText("not measured")).toHaveCount(0);
  const scrolling = await card.evaluate((each) =>
    [each, ...each.querySelectorAll("*")]
      .filter((part) => /auto|scroll/.test(getComputedStyle(part).overflowY) && part.scrollHeight > part.clientHeight)
      .map(({ className }) => className),
  );
  expect(scrolling).toEqual([]);
});

test("axe finds nothing on the screens of a conversation run, and nothing sticks out", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...CALCULATOR, algorithm: "grpo", steps: 2, evalEvery: 1, evalProblems: 4 });
  for (const screen of ["train", "rollouts?step=2&token=9", "explain?step=2&phase=after", "time", "compare"]) {
    await page.goto(`./#/${screen}`);
    if (screen.startsWith("rollouts"))
      for (const fold of ["The same rollouts under every algorithm", "The same rollouts under other rewards"])
        await page.getByRole("button", { name: fold }).click();
    for (const [width, colorScheme] of [
      [1440, "light"],
      [320, "dark"],
    ] as const) {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
      await expect(page.locator("main h1")).toBeAttached();
      expect((await overflow(page)).width, `${screen}, ${width}`).toBeLessThanOrEqual(width);
      const found = (await violationsOn(page)).map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(" ")).join("; ")}`);
      expect(found, `${screen}, ${width}`).toEqual([]);
    }
  }
});
