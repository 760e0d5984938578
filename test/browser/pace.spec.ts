// The first run in a browser: slow enough to be read at first, and what the strip of phases says meanwhile.
import { button, expect, openLab, reach, testInEmptyPage as test } from "./lab.ts";

test("a first run plays its first steps slowly, one phase after the other, and then speeds up by itself", async ({ page }) => {
  await openLab(page, "#/train?preset=digit-sum-table");
  await page.evaluate(() => localStorage.clear());
  const seen = await page.evaluateHandle(() => {
    const phases: (readonly [title: string, step: string])[] = [];
    // What the strip names, its dot and its line are read together, as they are drawn.
    const look = () => {
      const here = document.querySelector(".phase[aria-current=step]");
      const lines = Array.from(document.querySelectorAll<HTMLElement>(".phase-fill"), ({ style }) => style.transform);
      const before = Array.from(document.querySelectorAll(".phase")).indexOf(here as Element);
      if (here && lines.slice(0, before).every((line) => line === "scaleX(1)"))
        phases.push([here.querySelector(".phase-title")?.textContent ?? "", document.querySelector(".position-number")?.textContent ?? ""]);
    };
    new MutationObserver(look).observe(document.querySelector(".phases")!, { subtree: true, attributes: true });
    return phases;
  });
  await button(page, "Train").click();
  await expect(page.locator(".speed .slider-text")).toHaveText("slow at first");
  await expect(page.locator("[aria-current=step] .phase-title")).toHaveText("Advantage");
  // The run goes on while this is read: what came up to the first advantage counts, with the steps that were finished then.
  const inOrder = (await seen.jsonValue()).filter(([title], i, all) => title !== all[i - 1]?.[0]);
  const upToAdvantage = inOrder.slice(0, inOrder.findIndex(([title]) => title === "Advantage") + 1);
  expect(upToAdvantage.slice(-3)).toEqual([
    ["Sample", "0"],
    ["Score", "0"],
    ["Advantage", "0"],
  ]);
  // A speed that somebody chooses holds from there on.
  await page.getByRole("slider", { name: "Speed" }).press("Home");
  await page.getByRole("slider", { name: "Speed" }).press("End");
  await reach(page, "finished");
  await expect(page.locator(".phases")).toHaveAttribute("data-all", "true");
  await page.evaluate(() => window.rolloutLab.reset());
  await button(page, "Train").click();
  await reach(page, "finished");
});
