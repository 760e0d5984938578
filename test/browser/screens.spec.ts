// Each state of a screen without the usual content has a face of its own: what it says, what it offers, nothing
// that axe calls serious, nothing that sticks out at 320 pixels.
import type { Page } from "@playwright/test";
import {
  button,
  expect,
  openLab,
  openSpoilable,
  reach,
  reachStep,
  snapshot,
  start,
  startBeside,
  TINY,
  testInSamePage as test,
  testInEmptyPage,
} from "./lab.ts";
import { overflow, picture, seriousProblems } from "./looks.ts";

test.describe.configure({ mode: "default" });

const SMALL = { ...TINY, steps: 3, evalEvery: 1, evalProblems: 16, autosaveEvery: 1 } as const;
const SUPERVISED = { ...TINY, kind: "supervised", steps: 3, learningRate: 0.01 } as const;

/** Looks at what is on screen, wide and light, narrow and dark. */
async function look(page: Page, name: string, says: string | RegExp): Promise<void> {
  for (const [width, colorScheme] of [
    [1280, "light"],
    [320, "dark"],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
    await expect(page.locator("main").getByText(says).and(page.locator(":visible")).first()).toBeVisible();
    const { width: taken, wide } = await overflow(page);
    expect(taken, `${name}, ${width} px: ${wide.join(", ")}`).toBeLessThanOrEqual(width);
    await picture(page, `${name}-${width}`);
  }
  expect(await seriousProblems(page), name).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
}

const rollouts = (page: Page) => page.getByRole("link", { name: "Rollouts", exact: true }).click();

test("before a run", async ({ page }) => {
  await openLab(page);
  await look(page, "train-empty", "What will happen");
  await rollouts(page);
  await look(page, "rollouts-empty", /^A rollout is one conversation/);
  await expect(page.getByRole("link", { name: "Go to Train and start a run" })).toBeVisible();
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await look(page, "compare-empty", "What varies");
});

test("while the first step is under way", async ({ page }) => {
  await openLab(page);
  await start(page, { ...TINY, steps: 3 });
  await reach(page, "finished");
  await page.evaluate(() => window.rolloutLab.reset());
  await button(page, "Step phase").click();
  await reach(page, "paused");
  await look(page, "train-first-phase", "Reward");
});

test("a supervised run has no rollouts and says where its examples are", async ({ page }) => {
  await openLab(page);
  await start(page, SUPERVISED);
  await reach(page, "finished");
  await look(page, "train-supervised", /^Loss/);
  await rollouts(page);
  await look(page, "rollouts-supervised", /^Supervised training copies worked examples/);
  await page.getByRole("link", { name: "See the examples" }).click();
  await expect(page.getByRole("heading", { name: /^Loss/ })).toBeVisible();
});

test("a supervised run is gone on from with rewards, from the weights that it ended with", async ({ page }) => {
  await openLab(page);
  await start(page, { ...SUPERVISED, steps: 30 });
  await reach(page, "finished");
  await page.getByRole("button", { name: /^Ask the model start and now/ }).click();
  await button(page, "Ask").click();
  const greedy = (side: string | RegExp) =>
    page
      .locator(".asked-side", { has: page.getByRole("heading", { name: side }) })
      .locator(".asked-answer")
      .first();
  const learnt = await greedy("Now, after step 30").innerText();
  expect(learnt).not.toBe(await greedy("At the start").innerText());
  await button(page, "Go on with GRPO from here").click();
  // The run before has more steps than are waited for.
  await expect.poll(async () => (await snapshot(page)).config?.kind).toBe("reinforcement");
  await reachStep(page, 2);
  await button(page, "Pause").click();
  await reach(page, "paused");
  const { config, metrics } = await snapshot(page);
  expect(config).toMatchObject({
    kind: "reinforcement",
    algorithm: "grpo",
    startFrom: "run",
    task: "digit-sum",
    hiddenSize: 16,
    learningRate: 1e-3,
  });
  expect(metrics[0]?.metrics).toHaveProperty("reward");
  // Tokens and probabilities of the new run's start are those of the end of the run before.
  await button(page, "Ask").click();
  expect(await greedy("At the start").innerText()).toBe(learnt);
  await expect(page.getByRole("heading", { name: "Current group" })).toBeVisible();
  // What cannot be computed again from its start is said to be so before it is tried.
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  for (const kind of ["Race", "Fork"]) {
    await page.getByRole("button", { name: kind, exact: true }).click();
    await expect(page.getByText(/began with the weights of another/)).toBeVisible();
    await expect(page.getByRole("button", { name: kind === "Race" ? "Start the race" : "Fork here" })).toBeDisabled();
  }
});

testInEmptyPage("a run that failed says so on each screen", async ({ page }) => {
  await openSpoilable(page);
  await page.evaluate(() => {
    window.spoil = (event) => {
      if (event.type !== "state" || event.state !== "running") return event;
      return [
        { type: "state", runId: event.runId, state: "failed", reason: "the sky fell" },
        { type: "error", runId: event.runId, message: "the sky fell", recoverable: false },
      ];
    };
  });
  await startBeside(page, TINY);
  await expect(page.getByRole("heading", { name: "The run failed" })).toBeVisible();
  await look(page, "train-failed", "Reward");
  await expect(button(page, "Run again")).toBeEnabled();
});

testInEmptyPage("a run that keeps no rollouts has its curves when it is continued, and a step brings rollouts", async ({ page }) => {
  await openLab(page);
  await start(page, { ...SMALL, steps: 12, keptMegabytes: 0 });
  await reach(page, "finished");
  await page.evaluate(() => window.rolloutLab.stop());
  await page.reload();
  await page.getByRole("button", { name: /^Open the saved run at step 12$/ }).click();
  await expect(page.getByText("12 of 12 steps")).toBeVisible();
  await look(page, "train-continued", /The saved run holds no rollouts/);
  await rollouts(page);
  await look(page, "rollouts-continued", /^The saved run holds no rollouts/);
  await button(page, "Take step 13").click();
  await reachStep(page, 13);
  await expect(page.getByRole("heading", { name: "Group of 8" })).toBeVisible();
});
