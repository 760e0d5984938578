// A saved run is played from its records: it looks like the live run at every step, and training goes on from any of them.
import { button, expect, openLab, reach, reachStep, runToEnd, snapshot, TABLE, testInEmptyPage as test } from "./lab.ts";
import { overflow, picture, seriousProblems } from "./looks.ts";

test("a run is replayed, moved, explained and gone on from", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TABLE, steps: 120, evalEvery: 40, keptMegabytes: 50 });
  const live = await snapshot(page);
  await page.reload();
  await page.getByRole("button", { name: /^Replay .*step 120/ }).click();
  const controls = page.getByRole("toolbar", { name: "Recording controls" });
  await expect(controls.getByText("Recording", { exact: true })).toBeVisible();
  // It moves by itself, and slowly enough that it does not come to its end before it is paused.
  await page.getByRole("slider", { name: "Speed" }).focus();
  await page.keyboard.press("Home");
  await reachStep(page, 4);
  await button(page, "Pause").click();
  await reach(page, "paused");
  const place = page.getByRole("slider", { name: "Step of the recording" });
  await place.focus();
  await page.keyboard.press("End");
  await expect.poll(async () => (await snapshot(page)).step).toBe(120);
  const end = await snapshot(page);
  expect(end.metrics).toEqual(live.metrics);
  expect(end.evaluations).toEqual(live.evaluations);
  await page.keyboard.press("Home");
  await expect.poll(async () => (await snapshot(page)).metrics.length).toBe(0);
  await page.keyboard.press("ArrowRight");
  await expect.poll(async () => (await snapshot(page)).metrics).toEqual(live.metrics.slice(0, 1));
  expect(await seriousProblems(page)).toEqual([]);
  for (const width of [1280, 375, 320]) {
    await page.setViewportSize({ width, height: 800 });
    expect((await overflow(page)).width).toBe(width);
    await picture(page, `replay-${width}`);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/#/explain?step=1");
  await expect(page.getByRole("heading", { name: "Why did this token move?" })).toBeVisible();
  await page.goto("/#/train");
  await button(page, "Go on from here").click();
  await reach(page, "finished");
  const again = await snapshot(page);
  expect(again.runId).not.toBe(live.runId);
  expect(again.metrics.map(({ metrics }) => metrics.reward)).toEqual(live.metrics.map(({ metrics }) => metrics.reward));
});
