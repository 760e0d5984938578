// A shared link whose reward rule has a regular expression that backtracks for ever: whoever opens it stays the master
// of the page. Each verdict of the rule is given up after so many steps of the machine, and what is asked meanwhile is answered in between.
import { button, expect, openLab, reach, snapshot, testInEmptyPage as test } from "./lab.ts";

const rules = encodeURIComponent(JSON.stringify({ pattern: { pattern: "^((((((\\d+)+)+)+)+)+)+x$" } }));
const LINK = `version=3&preset=digit-sum-transformer&steps=0&evalEvery=0&evalProblems=1&task.length=16&rewardRules=${rules}`;
/** Three verdicts that are late, and a busy machine. */
const SOON = { timeout: 12_000 };

test("under a rule that never ends the run pauses and says so, and Train and Reset answer within seconds", async ({ page }) => {
  await openLab(page, `#/train?${LINK}`);
  await button(page, "Train").click();
  const said = page.getByText(/could not be scored in full: pattern: .*computed longer than 50 ms/).first();
  await expect(said).toBeVisible(SOON);
  await reach(page, "paused");
  await expect(button(page, "Pause")).toBeDisabled(SOON);
  expect((await snapshot(page)).config?.rewardRules).toHaveProperty("pattern");

  await button(page, "Train").click();
  await reach(page, "running");
  await button(page, "Reset").click();
  await expect(button(page, "Reset")).toBeDisabled(SOON);
  expect((await snapshot(page)).state).toBe("idle");

  // While the next run is still being prepared.
  const preparing = reach(page, "preparing");
  await button(page, "Train").click();
  await preparing;
  await button(page, "Reset").click();
  await expect(button(page, "Reset")).toBeDisabled(SOON);
});

test("under a rule that never ends, a race ends within seconds and says why", async ({ page }) => {
  await openLab(page, `#/compare?${LINK}&steps=50&vary=learningRate&values=0.001,0.002`);
  await button(page, "Start the race").click();
  // Two engines are started beside whatever else goes on: 5 s on a quiet machine, over 12 where three browsers share two cores.
  await expect(page.getByText("2 of 2 failed")).toBeVisible({ timeout: 30_000 });
  await expect(page.getByText(/failed: .*could not be scored in full: pattern: computed longer than 50 ms/)).toHaveCount(2);
  await expect(button(page, "Start the race")).toBeEnabled(SOON);
});
