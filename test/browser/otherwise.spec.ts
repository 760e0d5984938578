// The same rollouts under every algorithm: what the strips show is computed here once more, from the
// groups the page reports, by the formulas' own module.
import type { Page } from "@playwright/test";
import { algorithms } from "../../src/rl/algorithms/index.ts";
import { type UnderAlgorithm, underAlgorithms } from "../../src/rl/otherwise/otherwise.ts";
import { catalog } from "../../src/train/catalog.ts";
import { choose, expect, openLab, runToEnd, snapshot, TINY, testInSamePage as test } from "./lab.ts";
import { expectShown } from "./numbers.ts";

test.describe.configure({ mode: "default" });

const RUN = { ...TINY, steps: 3, klCoef: 0.05, innerEpochs: 2, learningRate: 0.02, clipLow: 0.02, clipHigh: 0.02 };
/** Half the height of a strip without its middle line, in pixels. */
const FULL_HEIGHT = 15;

/** Opens the comparison and waits until all groups of the step are there. */
async function openStrips(page: Page, hash: string): Promise<void> {
  await page.goto(`/${hash}`);
  await page.getByRole("button", { name: "The same rollouts under every algorithm" }).click();
  // Algorithms that push alike share a row.
  await expect.poll(async () => (await shownStrips(page)).flatMap(({ titles }) => titles).length).toBe(algorithms.length);
}

/** What the page must show, from what it reports. */
async function expected(page: Page): Promise<readonly UnderAlgorithm[]> {
  const { groups, config } = await snapshot(page);
  if (!config) throw new Error("there is no run");
  expect(groups).toHaveLength(config.promptsPerStep);
  return underAlgorithms(groups, config, catalog);
}

interface ShownStrip {
  readonly title: string;
  /** All algorithms of the row. */
  readonly titles: readonly string[];
  readonly own: boolean;
  readonly note: string;
  readonly push: string;
  readonly total: string;
  /** Highest and lowest bar in pixels from the middle. */
  readonly up: number;
  readonly down: number;
}

/** Every row of the table, its strip read from the pixels. */
function shownStrips(page: Page): Promise<readonly ShownStrip[]> {
  return page.locator("table.strips tbody tr").evaluateAll((rows) =>
    rows.map((row) => {
      const canvas = row.querySelector("canvas");
      const context = canvas?.getContext("2d");
      if (!canvas || !context) throw new Error("a strip has no canvas");
      const { data, width, height } = context.getImageData(0, 0, canvas.width, canvas.height);
      let [first, last] = [height, -1];
      for (let y = 0; y < height; y++)
        for (let x = 0; x < width; x++)
          // Bars are nearly opaque and strongly coloured; the middle line is grey.
          if (data[(y * width + x) * 4 + 3]! > 150 && Math.abs(data[(y * width + x) * 4]! - data[(y * width + x) * 4 + 2]!) > 60) {
            first = Math.min(first, y);
            last = Math.max(last, y);
          }
      const text = (selector: string) => row.querySelector(selector)?.textContent ?? "";
      const middle = height / 2;
      const title = text(".strips-name").replace(" *", "");
      const alike = text(".strips-alike b");
      return {
        title,
        titles: [title, ...(alike === "" ? [] : alike.split(", "))],
        own: row.hasAttribute("data-own"),
        note: text(".strips-note"),
        push: text(".signed"),
        total: text(".strips-total"),
        up: Math.max(0, middle - first),
        down: Math.max(0, last + 1 - middle),
      };
    }),
  );
}

test("the strip of every algorithm is drawn with the values of its formula, by itself and on one scale, sorted by strength", async ({
  page,
}) => {
  await openLab(page);
  await runToEnd(page, RUN);
  for (const [trajectory, token] of [
    [0, 0],
    [5, 2],
  ] as const) {
    await openStrips(page, `#/rollouts?step=3&prompt=2&completion=${trajectory + 1}&token=${token + 1}`);
    const all = await expected(page);
    const shown = await shownStrips(page);
    expect(shown.flatMap(({ titles }) => titles).sort()).toEqual(all.map(({ title }) => title).sort());
    expect(shown[0]).toMatchObject({ title: "GRPO", own: true, note: "this run" });
    for (const strip of shown) {
      const { weights_P_G_T, isOwn } = all.find(({ title }) => title === strip.title)!;
      expect(strip.own).toBe(isOwn);
      const pushes = weights_P_G_T[1]!.flatMap((weights_T) => Array.from(weights_T, (weight) => -weight));
      const push = -weights_P_G_T[1]![trajectory]![token]!;
      expectShown(strip.push, push, `${strip.title}, push of completion ${trajectory + 1}, token ${token + 1}`);
      if (push !== 0) expect(strip.push).toContain(push > 0 ? "▲" : "▼");
      expectShown(
        strip.total,
        pushes.reduce((sum, value) => sum + Math.abs(value), 0),
        `${strip.title}, total`,
      );
      // Each strip is drawn to its own largest push.
      const largest = Math.max(...pushes.map(Math.abs));
      const height = (value: number) => (value <= 0 ? 0 : Math.max(1, (FULL_HEIGHT * value) / largest));
      expect(Math.abs(strip.up - height(Math.max(...pushes))), `${strip.title}, highest bar`).toBeLessThanOrEqual(1);
      expect(Math.abs(strip.down - height(-Math.min(...pushes))), `${strip.title}, lowest bar`).toBeLessThanOrEqual(1);
    }
    await expect(page.getByText("This run's own strip equals the weights its trainer recorded.")).toBeVisible();
    await page.getByRole("button", { name: "The same rollouts under every algorithm" }).click();
  }

  // One completion, on one scale.
  await openStrips(page, "#/rollouts?step=3&completion=3");
  await choose(page, "Completions shown", "Completion 3");
  await choose(page, "Scale of the strips", "One scale for all");
  await choose(page, "Order of the algorithms", "Strongest first");
  const all = await expected(page);
  const totals = new Map(
    all.map(({ title, weights_P_G_T }) => [title, weights_P_G_T[0]![2]!.reduce((sum, weight) => sum + Math.abs(weight), 0)]),
  );
  const shown = await shownStrips(page);
  for (const { title, total } of shown) expectShown(total, totals.get(title) ?? Number.NaN, `${title}, total`);
  const order = shown.slice(1).map(({ title }) => totals.get(title) ?? Number.NaN);
  expect(order).toEqual([...order].sort((a, b) => b - a));
  const common = Math.max(...all.flatMap(({ weights_P_G_T }) => Array.from(weights_P_G_T[0]![2]!, Math.abs)));
  expect(common).toBeGreaterThan(0);
  for (const { title, up, down } of shown) {
    const largest = Math.max(...weightsOf(all, title).map(Math.abs));
    const height = largest === 0 ? 0 : Math.max(1, (FULL_HEIGHT * largest) / common);
    expect(Math.abs(Math.max(up, down) - height), `${title}, longest bar`).toBeLessThanOrEqual(1);
  }
  await page.getByRole("slider", { name: "Token under the cursor" }).press("End");
  await expect(page).toHaveURL(/completion=3&token=4$/);
  const last = await shownStrips(page);
  for (const { title, push } of last) expectShown(push, -weightsOf(all, title)[3]!, `${title}, last token`);

  // What a run here records of its sampler and its trainer is drawn over the steps, too.
  await page.getByRole("button", { name: "Sampler and trainer, and what corrections would drop" }).click();
  await expect(page.getByRole("heading", { name: "By step, size of the difference" })).toBeVisible();
});

/** Weights of the third completion of the first prompt. */
function weightsOf(all: readonly UnderAlgorithm[], title: string): readonly number[] {
  return Array.from(all.find((each) => each.title === title)!.weights_P_G_T[0]![2]!);
}
