// Answers of a thousand tokens: all of them are on screen and can be reached, though they come a part at a time.
import { dropFiles, expect, openLab, reach, snapshot, start, TINY, testInEmptyPage as test } from "./lab.ts";
import { seriousProblems } from "./looks.ts";

const LONG = {
  ...TINY,
  task: "prompts",
  taskOptions: { prompts: "Tell me about salt.\nTell me about the sea.", wanted: "question" },
  promptsPerStep: 1,
  steps: 1,
  maxCompletionTokens: 1000,
  klCoef: 0.01,
};

test("a thousand tokens are read, pinned, explained and compared", async ({ page }) => {
  await openLab(page);
  await start(page, LONG);
  await reach(page, "finished");
  // Some of them end early, by chance.
  const lengths = (await snapshot(page)).groups[0]!.trajectories.map(({ tokens }) => tokens.length);
  const longest = Math.max(...lengths);
  expect(longest).toBeGreaterThan(500);
  const place = `step=1&prompt=1&completion=${lengths.indexOf(longest) + 1}&token=${longest - 20}`;
  await page.goto(`./#/rollouts?${place}`);
  const options = page.getByRole("listbox", { name: /coloured by/ }).getByRole("option");
  await expect(options).toHaveCount(longest);
  const pinned = page.getByRole("listbox", { name: /coloured by/ }).getByRole("option", { selected: true });
  await expect(pinned).toHaveCount(1);
  await expect(pinned).toBeInViewport();
  await pinned.focus();
  await page.keyboard.press("End");
  await expect(options.last()).toBeFocused();

  await page.goto(`./#/explain?${place}`);
  await expect(page.getByRole("heading", { name: "Why did this token move?" })).toBeVisible();
  const compared = page.getByRole("table", { name: "Two answers, token against token" });
  const columns = () => compared.locator("tr").first().locator("td").count();
  expect(await columns()).toBe(120);
  await page.getByRole("button", { name: /^Show all \d+ columns$/ }).click();
  expect(await columns()).toBeGreaterThan(240);

  await page.goto("./#/time?from=0&to=1");
  const rows = page.getByRole("table", { name: /^Probability of each token/ }).locator("tbody tr");
  await expect(rows).toHaveCount(100);
  await page
    .getByRole("button", { name: /^Show all \d+ tokens$/ })
    .first()
    .click();
  await expect.poll(() => rows.count()).toBeGreaterThan(300);
});

test("a text that is drawn where it is looked at tells of each token which of how many it is", async ({ page }) => {
  await openLab(page, "#/open");
  const words = 6_000;
  const completion = Array.from({ length: words }, (_, i) => `w${i}`).join(" ");
  await dropFiles(page, [{ name: "long.jsonl", bytes: Buffer.from(JSON.stringify({ prompt: "Count.", completion, reward: 1 })) }]);
  await page.getByRole("link", { name: "Look at the rollouts" }).click();
  const options = page.getByRole("listbox", { name: /coloured by/ }).getByRole("option");
  await expect(options.first()).toHaveAttribute("aria-posinset", "1");
  await options.first().focus();
  await page.keyboard.press("End");
  await expect(page.locator(":focus")).toHaveAttribute("aria-posinset", String(words));
  expect(await options.count()).toBeLessThan(words / 2);
  const places = await options.evaluateAll((all) =>
    all.map((each) => [Number(each.getAttribute("aria-posinset")), each.getAttribute("aria-setsize"), each.textContent]),
  );
  for (const [place, of, said] of places) {
    expect(of).toBe(String(words));
    expect(said).toContain(`w${Number(place) - 1}`);
  }
  expect(await seriousProblems(page)).toEqual([]);
});
