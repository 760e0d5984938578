// A shared link whose reward rule has a regular expression that backtracks for ever: whoever opens it stays the master
// of the page. Each verdict of the rule is given up after a second, and what is asked meanwhile is answered in between.
import { button, expect, openLab, reach, reachStep, snapshot, test } from "./lab.ts";

const rules = encodeURIComponent(JSON.stringify({ pattern: { pattern: "^((((((\\d+)+)+)+)+)+)+x$" } }));
const LINK = `version=3&preset=digit-sum-transformer&steps=0&evalEvery=0&evalProblems=1&task.length=16&rewardRules=${rules}`;
/** Three verdicts that are late, and a busy machine. */
const SOON = { timeout: 12_000 };

test("under a rule that never ends, Pause, Reset and Train answer within seconds", async ({ page }) => {
  test.setTimeout(120_000);
  await openLab(page, `#/train?${LINK}`);
  await button(page, "Train").click();
  await reachStep(page, 1);
  await button(page, "Pause").click();
  await expect(button(page, "Pause")).toBeDisabled(SOON);
  await reach(page, "paused");
  const { config, groups } = await snapshot(page);
  expect(config?.rewardRules).toHaveProperty("pattern");
  expect(JSON.stringify(groups)).toContain("took longer than 1000 ms");

  await button(page, "Train").click();
  await reach(page, "running");
  await button(page, "Reset").click();
  await button(page, "Forget the run").click();
  await expect(button(page, "Reset")).toBeDisabled(SOON);
  expect((await snapshot(page)).state).toBe("idle");

  // While the next run is still being prepared.
  await button(page, "Train").click();
  await reach(page, "preparing");
  await button(page, "Reset").click();
  await expect(button(page, "Reset")).toBeDisabled(SOON);
});

test("under a rule that never ends, a race is stopped within seconds", async ({ page }) => {
  test.setTimeout(120_000);
  await openLab(page, `#/compare?${LINK}&steps=50&vary=learningRate&values=0.001,0.002`);
  await button(page, "Start the race").click();
  // In the midst of the first verdicts.
  await page.waitForTimeout(3000);
  await button(page, "Stop all").click();
  await expect(button(page, "Start the race")).toBeEnabled(SOON);
});
