// What a chart can be saved as: the whole series as CSV, the picture as PNG; and how it is looked at.
import { writeFileSync } from "node:fs";
import type { Page } from "@playwright/test";
import { expect, openLab, runToEnd, saveChart as save, TABLE, testInSamePage as test } from "./lab.ts";

test.describe.configure({ mode: "default" });

test("hovering one chart reads the same step on all; a click says that it opens the rollouts, and leaves no crosshair behind", async ({
  page,
}) => {
  await openLab(page);
  await runToEnd(page, TABLE);
  const plot = page.locator(".chart-plot").first();
  await expect(plot.locator("svg").first()).toBeVisible();
  // The end of a run puts words above its charts: pointing waits until they stand still.
  await plot.hover();
  const steps = page.locator(".chart-value-step");
  await expect(steps.first()).toHaveText(/^step \d+$/);
  const pointedAt = async () => (await steps.allTextContents()).map((text) => /\d+$/.exec(text)?.[0]);
  // Charts below the fold are drawn after those in sight.
  await expect.poll(() => steps.count()).toBeGreaterThan(3);
  // A chart without a value there says whose value it shows: "step 25, nearest to 26".
  expect(new Set(await pointedAt()).size).toBe(1);
  // The pointer that leaves takes the crosshair with it, on every chart.
  await page.mouse.move(2, 2);
  await expect(steps).toHaveCount(0);
  await expect(page.locator(".chart-hover-line")).toHaveCount(0);
  await plot.hover();
  const hint = page.locator(".chart-hover-hint");
  await expect(hint).toHaveText(/^Click opens the rollouts of step \d+$/);
  const step = /\d+$/.exec((await hint.textContent()) ?? "")?.[0];
  await plot.click();
  await expect(page).toHaveURL(new RegExp(`#/rollouts\\?.*step=${step}`));
  await page.mouse.move(2, 2);
  await page.goBack();
  await expect(plot.locator("svg").first()).toBeVisible();
  await expect(page.locator(".chart-readout").first()).toBeVisible();
  await expect(page.locator(".chart-value-step")).toHaveCount(0);
});

test("CSV holds every step unsmoothed", async ({ page }) => {
  await openLab(page);
  const { metrics } = await runToEnd(page, { ...TABLE, steps: 1200, evalEvery: 0 });
  const { name, bytes } = await save(page, "Reward", "Save as CSV");
  expect(name).toBe("reward.csv");
  const [header, ...lines] = bytes.toString("utf8").trimEnd().split("\r\n");
  expect(header).toBe("step,reward");
  expect(lines.map((line) => line.split(",").map(Number))).toEqual(metrics.map(({ step, metrics: values }) => [step, values.reward]));
});

test("CSV of evaluations holds the intervals, and PNG is a picture of the chart", async ({ page }) => {
  await openLab(page);
  const { evaluations } = await runToEnd(page, TABLE);
  const { bytes } = await save(page, "Evaluation accuracy", "Save as CSV");
  const [header = "", ...lines] = bytes.toString("utf8").trimEnd().split("\r\n");
  const column = header.split(",").indexOf("greedyAccuracy_high");
  expect(column).toBeGreaterThan(0);
  expect(lines.map((line) => Number(line.split(",")[column]))).toEqual(evaluations.map(({ greedyInterval }) => greedyInterval[1]));
  await expectPicture(page);
});

async function expectPicture(page: Page): Promise<void> {
  await expect(page.locator("svg.chart-surface").first()).toBeVisible();
  const { name, bytes } = await save(page, "Reward", "Save as PNG");
  expect(name).toBe("reward.png");
  expect(bytes.subarray(0, 8)).toEqual(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]));
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  expect(width).toBeGreaterThan(400);
  expect(height).toBeGreaterThan(200);
  // A picture of nothing compresses to almost nothing.
  const colours = await page.evaluate(async (base64) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))]));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    if (!context) throw new Error("no canvas");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, image.width, image.height);
    return new Set(new Uint32Array(data.buffer)).size;
  }, bytes.toString("base64"));
  expect(colours).toBeGreaterThan(20);
}

test("a chart is saved with its title and its run, as SVG and at twice the pixels", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, { ...TABLE, seed: 7 });
  await expect(page.locator("svg.chart-surface").first()).toBeVisible();
  const [once, twice, svg] = [
    await save(page, "Reward", "Save as PNG"),
    await save(page, "Reward", "Save as PNG at 2x"),
    await save(page, "Reward", "Save as SVG"),
  ];
  expect([once.name, twice.name, svg.name]).toEqual(["reward.png", "reward@2x.png", "reward.svg"]);
  for (const at of [16, 20]) expect(twice.bytes.readUInt32BE(at)).toBe(2 * once.bytes.readUInt32BE(at));
  const text = svg.bytes.toString("utf8");
  const read = await page.evaluate((source) => {
    const parsed = new DOMParser().parseFromString(source, "image/svg+xml");
    return {
      isWhole: parsed.querySelector("parsererror") === null,
      size: ["width", "height"].map((name) => Number(parsed.documentElement.getAttribute(name))),
      said: Array.from(parsed.querySelectorAll("text"), (each) => each.textContent),
      paths: parsed.querySelectorAll("path").length,
    };
  }, text);
  expect(read.isWhole).toBe(true);
  expect(read.size).toEqual([once.bytes.readUInt32BE(16), once.bytes.readUInt32BE(20)]);
  expect(read.said[0]).toBe("Reward");
  expect(read.said.at(-1)).toMatch(/Digit sum.*seed 7/);
  expect(read.paths).toBeGreaterThan(3);
  // Names of levels end where the plot does, whatever font the reader has.
  expect(text).toMatch(/ text-anchor="end"[^>]*>(start|random policy)/);
  // Nothing of the page is needed to read it.
  expect(text).not.toMatch(/var\(|class=|https?:\/\/(?!www\.w3\.org)/);
  if (process.env.SHOTS) for (const { name, bytes } of [once, twice, svg]) writeFileSync(`${process.env.SHOTS}/${name}`, bytes);
});

test("a chart and a conversation are given as the code of a frame, which shows them elsewhere", async ({ page, browser }) => {
  await openLab(page);
  await runToEnd(page, { ...TABLE, seed: 7 });
  const shows = async (code: string) => {
    const reader = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
    await reader.setContent(`<h1>Slides</h1>${code}`);
    return reader;
  };
  await page.locator("section.chart").first().scrollIntoViewIfNeeded();
  await page.getByRole("button", { name: "Reward: options" }).click();
  await page.getByRole("menuitem", { name: "As a frame for a page or a slide" }).click();
  const dialog = page.getByRole("dialog", { name: "Reward, as a frame" });
  const chart = await shows(await dialog.getByRole("textbox").inputValue());
  await expect(chart.frameLocator("iframe").getByRole("img", { name: /^Reward: from / })).toBeVisible();
  await expect(chart.frameLocator("iframe").getByText(/seed 7/)).toBeVisible();
  await page.keyboard.press("Escape");
  await page.goto("./#/rollouts?step=40&completion=2");
  await page.getByRole("button", { name: "As a frame" }).click();
  const said = await shows(
    await page
      .getByRole("dialog", { name: /^Step 40, completion 2/ })
      .getByRole("textbox")
      .inputValue(),
  );
  await expect(said.frameLocator("iframe").getByText(/Emit 4 digits/)).toBeVisible();
  await page.keyboard.press("Escape");
  for (const each of [chart, said]) await each.context().close();
});

test("a chart is zoomed and scaled from its menu", async ({ page }) => {
  await openLab(page);
  await runToEnd(page, TABLE);
  const chart = page.getByRole("region", { name: /^Reward$/ });
  const ticks = chart.locator(".chart-steps text");
  await expect(ticks.first()).toBeVisible();
  const before = await ticks.allTextContents();
  await chart.getByRole("button", { name: "Reward: options" }).click();
  await page.getByRole("menuitem", { name: "Zoom in on the newest steps" }).click();
  await expect.poll(() => ticks.allTextContents()).not.toEqual(before);
  expect(Number((await ticks.allTextContents())[0])).toBeGreaterThanOrEqual(20);
  await chart.getByRole("button", { name: "Reward: options" }).click();
  await page.getByRole("menuitem", { name: "Show all steps" }).click();
  await expect.poll(() => ticks.allTextContents()).toEqual(before);
  await chart.getByRole("button", { name: "Reward: options" }).click();
  await page.getByRole("menuitem", { name: "Logarithmic scale" }).click();
  await chart.getByRole("button", { name: "Reward: options" }).click();
  await expect(page.getByRole("menuitem", { name: "Linear scale" })).toBeVisible();
});
