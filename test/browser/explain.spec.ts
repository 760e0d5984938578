// Why a token moved, as somebody finds out who has just pressed Train; and an update taken part by part.
import {
  button,
  engineIsUp,
  expect,
  openLab,
  reachStep,
  runToEnd,
  slowDown,
  snapshot,
  start,
  TINY,
  testInSamePage as test,
} from "./lab.ts";
import { overflow, seriousProblems } from "./looks.ts";

test.describe.configure({ mode: "default" });

test("Train, the best and the worst answer, and why one token was pushed down", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TINY, innerEpochs: 2 });
  await page.getByRole("button", { name: /Update.*show what it did/ }).click();
  await page.getByRole("link", { name: "Explain this update, token by token" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Why did this token move?" })).toBeVisible();
  const answers = page.getByRole("button", { name: /^Explain answer/ });
  await answers.first().click();
  await expect(page.getByText(/so its advantage is \+/).first()).toBeVisible();
  await answers.last().click();
  await expect(page.getByText(/so its advantage is −/).first()).toBeVisible();
  // Phases by key, each with its formula and the token's numbers.
  await page.getByRole("heading", { level: 1 }).click();
  for (const name of ["Group", "Reward", "Advantage", "Ratio and clip", "Loss", "Gradient"]) {
    await page.keyboard.press("ArrowRight");
    await expect(page.getByRole("button", { name, exact: false }).and(page.locator("[aria-current=step]"))).toBeVisible();
    await expect(page.locator(".explain-formula .formula-block")).toHaveCount(2);
  }
  await expect(page.getByText(/Lowering the loss moves the log-prob the other way: ▼ down/)).toBeVisible();
  await expect(page).toHaveURL(/explain\?.*phase=gradient/);
  // A symbol and the place it comes from are marked together.
  await page.locator(".explain-formula [data-symbol=weight]").first().hover();
  await expect(page.locator(".explain-card [data-symbol=weight]")).toHaveAttribute("data-marked", "");
});

test("a link leads to its token and its phase, from a screen where another step is followed", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TINY, steps: 3 });
  await page.goto("/#/explain?step=2&prompt=2&completion=3&token=2&phase=advantage");
  await expect(page.locator(".explain-card")).toContainText("token 2 of 4, answer 3");
  await expect(page.getByRole("heading", { name: "Was that better or worse than expected?" })).toBeVisible();
  await expect(page.locator(".explain-where")).toContainText(/step 2.*prompt 2/s);
  await expect(page).toHaveURL(/step=2&prompt=2&completion=3&token=2&phase=advantage$/);
  // A link wins over what was chosen on the screen just before it.
  await page.evaluate(() => {
    window.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowLeft" }));
    window.location.hash = "#/explain?step=2&prompt=1&completion=4&token=3&phase=advantage";
  });
  await expect(page.locator(".explain-card")).toContainText("token 3 of 4, answer 4");
  await expect(page).toHaveURL(/step=2&completion=4&token=3&phase=advantage$/);
  // From there to what the policy said to the same prompt at any step, by key and by its picture.
  await page.getByRole("link", { name: "Over time" }).click();
  await expect(page.getByRole("heading", { level: 2, name: "After step 2" })).toBeVisible();
  await page.getByRole("slider", { name: "Show step" }).press("ArrowLeft");
  await expect(page.getByRole("heading", { level: 2, name: "After step 1" })).toBeVisible();
  const map = page.getByRole("application").first();
  await map.press("ArrowRight");
  await map.press("ArrowRight");
  await expect(page.locator(".landscape-reading").first()).toHaveText(/^step 2, token .+: \d/);
  await map.press("Enter");
  await expect(page).toHaveURL(/#\/time\?to=2$/);
});

test("an update is taken part by part, and says where it stands", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TINY, innerEpochs: 2, steps: 1 });
  await page.getByRole("link", { name: "Explain", exact: true }).click();
  await page.getByRole("navigation", { name: "Phases of the update" }).getByRole("button", { name: "After" }).click();
  for (const [next, place] of [
    ["step", /through “sample”/],
    // The answers have been sampled with their likelihoods: the engine takes nothing for this.
    ["Group", /through “sample”/],
    ["Reward", /through “score”/],
    ["Advantage", /through “advantage”/],
    ["Ratio and clip", /minibatch 1 of 1/],
  ] as const) {
    const forward = button(page, `Next: ${next}`);
    await expect(forward).not.toHaveAttribute("aria-disabled", "true");
    await forward.click();
    await expect(page.locator(".explain-stand")).toContainText(place);
  }
  await expect(page.getByText("Inner epoch 1 of 2, minibatch 1 of 1")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Has the policy moved since it sampled?" })).toBeVisible();
  await expect(page.getByText(/ratios from/)).toBeVisible();
});

test("where an older step's weights are gone, that is said in their place and the step is taken again while the run goes on", async ({
  page,
}) => {
  await openLab(page);
  await start(page, { ...TINY, steps: 0 });
  await reachStep(page, 6);
  await page.evaluate(() => window.rolloutLab.pause());
  await slowDown(page);
  await page.goto("/#/rollouts?step=3&completion=2&token=2");
  await page.evaluate(() => window.rolloutLab.resume());
  await expect(
    page.getByText(/^Likeliest tokens: the weights of step 3 are gone; the engine was at step \d+ when it was asked\.$/),
  ).toBeVisible();
  await button(page, "Take step 3 again").click();
  const likeliest = page.getByRole("table", { name: "Likeliest tokens here" });
  await expect(likeliest).toBeVisible();
  await expect(likeliest.getByText("not known")).toHaveCount(0);
  await expect(page.getByText("Step 3 was taken again beside the run.")).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0);
  expect((await snapshot(page)).state).toBe("running");
});

/** A step or two of a policy that can call a tool. */
const CALCULATOR = { task: "calculator", taskOptions: { operations: 1 }, algorithm: "grpo", promptsPerStep: 2, groupSize: 6 } as const;

const LINKED = [
  { name: "one turn", config: { ...TINY, steps: 410, seed: 5 }, step: 400 },
  { name: "a policy with a tool", config: { ...CALCULATOR, measureUpdate: false, steps: 2, evalEvery: 0, evalProblems: 4 }, step: 2 },
  {
    name: "two agents",
    config: {
      task: "checked-arithmetic",
      taskOptions: { frozenStart: "checker" },
      algorithm: "grpo",
      promptsPerStep: 2,
      groupSize: 6,
      steps: 2,
      evalEvery: 0,
      evalProblems: 4,
    },
    step: 2,
  },
] as const;

for (const { name, config, step } of LINKED)
  test(`a copied link of a token opens in a fresh browser on that token and phase, with both sides of its update: ${name}`, async ({
    page,
    context,
    browser,
  }) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await openLab(page);
    await runToEnd(page, config);
    await page.goto(`/#/explain?step=${step}&prompt=2&completion=3&token=2&phase=after`);
    await expect(page.locator(".explain-card")).toContainText(/token 2 of \d+, answer 3/);
    if (step === config.steps) await expect(page.locator(".explain-probabilities")).not.toContainText("not measured");
    const told = await page.locator(".explain-probabilities").innerText();
    await button(page, "Share this").click();
    await button(page, "Copy link to the settings").click();
    await expect(page.getByText("Copied.")).toBeVisible();
    const link = await page.evaluate(() => navigator.clipboard.readText());
    await page.keyboard.press("Escape");
    await expect(page.getByRole("dialog")).toHaveCount(0);
    const fresh = await browser.newContext();
    const other = await fresh.newPage();
    await other.addInitScript(() => localStorage.setItem("rollout-lab-tour", "seen"));
    await other.goto(link);
    await engineIsUp(other);
    // All that is said on the way, and whatever is an alarm.
    await other.evaluate(() => {
      const seen = { said: new Set<string>(), alarms: new Set<string>() };
      new MutationObserver(() => {
        for (const each of document.querySelectorAll(".way-to p")) seen.said.add(each.textContent ?? "");
        for (const each of document.querySelectorAll("[role=alert], .notice")) seen.alarms.add(each.textContent ?? "");
      }).observe(document.body, { childList: true, subtree: true, characterData: true });
      Object.assign(window, { seen });
    });
    await button(other, "Train it and open this place").click();
    await reachStep(other, step);
    expect((await snapshot(other)).step).toBe(step);
    await other.waitForFunction(() => ["paused", "finished"].includes(window.rolloutLab.snapshot().state));
    await expect(other.locator(".explain-card")).toContainText(/token 2 of \d+, answer 3/);
    await expect(other).toHaveURL(new RegExp(`explain\\?step=${step}&prompt=2&completion=3&token=2&phase=after$`));
    await expect(other.getByRole("button", { name: "After" }).and(other.locator("[aria-current=step]"))).toBeVisible();
    await expect(other.locator(".explain-probabilities")).toHaveText(told, { useInnerText: true });
    const likeliest = other.getByRole("table", { name: "Likeliest tokens here" });
    await expect(likeliest).toBeVisible();
    await expect(likeliest.getByText("not known")).toHaveCount(0);
    const seen = await other.evaluate(() => {
      const { said, alarms } = (window as unknown as { seen: Record<"said" | "alarms", Set<string>> }).seen;
      return { said: [...said], alarms: [...alarms] };
    });
    expect(seen.alarms).toEqual([]);
    // Two steps may be over before the page is drawn.
    if (step > 2) expect(seen.said.some((text) => new RegExp(`^Step \\d+ of ${step}$`).test(text))).toBe(true);
    await fresh.close();
  });

test("an update that its run did not measure is measured on demand, and its conversation is told by turns from phones on", async ({
  page,
}) => {
  await openLab(page);
  await runToEnd(page, { ...CALCULATOR, klCoef: 0, measureUpdate: false, steps: 2, evalEvery: 0, evalProblems: 4 });
  await page.getByRole("link", { name: "Explain", exact: true }).click();
  const after = page.locator(".explain-probability", { hasText: "after the update" });
  await expect(after).toContainText("nats");
  await page.getByRole("button", { name: /After$/ }).click();
  // A run at full speed lets go of the weights that sampled a step, which is said before anything is measured: its own numbers come of
  // taking it again.
  const moved = page.locator(".explain-moved");
  await expect(moved).toContainText("The weights that sampled step 2 are gone.");
  await expect(moved.getByRole("table")).toHaveCount(0);
  await moved.getByRole("button", { name: "Take step 2 again" }).click();
  const shares = page.getByRole("table", { name: "The parts of the change, in nats" });
  await expect(shares.getByRole("row").last()).toContainText("Together: the change");
  await expect(shares).toContainText("Adam’s momentum, from earlier steps");
  // Another token is a press away.
  const tokens = page.getByRole("table", { name: "Tokens whose push moved it most" });
  expect(await seriousProblems(page)).toEqual([]);
  await tokens.getByRole("button").first().click();
  await expect(page.getByRole("button", { name: "Measure what moved it" })).toBeVisible();

  // A conversation, turn by turn, in windows from phones on.
  await page.goto("./#/explain?step=2&completion=2&token=0&phase=loss");
  const turns = page.getByRole("list", { name: "Turns of answer 2" }).getByRole("listitem");
  await expect(turns.first()).toContainText("Assistant turn 1 of");
  await expect(turns.nth(1)).toContainText(/^ ?(Tool|User)/);
  await expect(page.locator(".explain-head")).not.toContainText("im_start");
  await expect(page.locator(".explain-difference")).not.toContainText("im_start");
  for (const width of [320, 375, 768, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect((await overflow(page)).width).toBe(width);
    // A formula that is wider than its line says so.
    const hides = await page
      .locator(".explain-formula .formula-block")
      .evaluateAll((lines) => lines.map((line) => line.scrollWidth > line.clientWidth + 1));
    await expect(page.locator(".explain-formula .formula-more")).toHaveCount(hides.filter(Boolean).length);
  }
  expect(await seriousProblems(page)).toEqual([]);
  await page
    .getByRole("button", { name: /^Advantage/ })
    .or(page.getByRole("button", { name: "4 Advantage" }))
    .first()
    .click();
  await expect(page.locator(".explain-formula math").first()).toBeVisible();
});
