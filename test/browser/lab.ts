// What the browser tests share: opening the page as a user does, waiting for what the engine says, and
// runs small enough for two cores.
import { readFile } from "node:fs/promises";
import { expect, type Page } from "@playwright/test";
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { EngineEvent, EventOf, EventType, RunState } from "../../src/protocol/messages.ts";
import { isTimedMetric, type StepRecord } from "../../src/protocol/records.ts";
import type { Snapshot } from "../../src/ui/shell/api.ts";
import { speed, test } from "./pages.ts";

/** The whole of GRPO on a logits table: 40 steps in a few milliseconds. */
export const TABLE: RunConfigInput = { task: "digit-sum", algorithm: "builtin", model: "tabular", steps: 40, evalEvery: 10 };

/** A transformer of a few thousand weights on the digit sum. */
export const TINY: RunConfigInput = {
  task: "digit-sum",
  algorithm: "grpo",
  model: "transformer",
  startFrom: "random",
  hiddenSize: 16,
  layers: 1,
  heads: 2,
  kvHeads: 2,
  intermediateSize: 32,
  groupSize: 8,
  promptsPerStep: 2,
  steps: 4,
  learningRate: 3e-3,
  klCoef: 0,
  optimizer: "adamw",
  evalEvery: 0,
};

/** The page as it opens for somebody who has never asked for the settings. */
export async function withoutSettings(page: Page): Promise<void> {
  await page.addInitScript(() => localStorage.setItem("rollout-lab-form", "hidden"));
}

/** Opens a screen and waits for the engine. */
export async function openLab(page: Page, hash = "#/train"): Promise<void> {
  await page.goto(`./${hash}`);
  await engineIsUp(page);
}

declare global {
  interface Window {
    /** Changes an engine's events on their way to the page. */
    spoil?: (event: EngineEvent) => EngineEvent | readonly EngineEvent[];
  }
}

/** Opens the lab so that a test can change what the engine tells, as a damaged save or a full disk would. */
export async function openSpoilable(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const Native = window.Worker;
    const spoiled = new WeakSet<Event>();
    window.Worker = class extends Native {
      constructor(address: string | URL, options?: WorkerOptions) {
        super(address, options);
        this.addEventListener("message", (event) => {
          if (!window.spoil || spoiled.has(event)) return;
          event.stopImmediatePropagation();
          const changed = new MessageEvent("message", { data: event.data.flatMap(window.spoil) });
          spoiled.add(changed);
          this.dispatchEvent(changed);
        });
      }
    };
  });
  await openLab(page);
}

/** Waits until the engine's worker has said that it is ready. */
export async function engineIsUp(page: Page): Promise<void> {
  // The page's script may still be on its way when the page counts as loaded.
  await page.waitForFunction(() => "rolloutLab" in window);
  // By the engine's events: looking at every frame would take a tenth of the time that the page needs to open.
  await page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const look = () => {
          if (window.rolloutLab.snapshot().engine !== "ready") return;
          stop();
          resolve();
        };
        const stop = window.rolloutLab.on(look);
        look();
      }),
  );
}

/** The page's own report on the run. */
export function snapshot(page: Page): Promise<Snapshot> {
  return page.evaluate(() => window.rolloutLab.snapshot());
}

/** Waits until the run is in a state. */
export async function reach(page: Page, state: RunState): Promise<void> {
  await page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        const done = () => {
          stop();
          // Whatever waits for the next frame is on screen before the test goes on.
          window.rolloutLab.snapshot();
          resolve();
        };
        const stop = window.rolloutLab.on((event) => event.type === "state" && event.state === wanted && done());
        if (window.rolloutLab.snapshot().state === wanted) done();
      }),
    state,
  );
}

/** Waits until the run has finished so many steps. */
export async function reachStep(page: Page, step: number): Promise<void> {
  await page.evaluate(
    (wanted) =>
      new Promise<void>((resolve) => {
        const stop = window.rolloutLab.on((event) => {
          if (event.type === "steps" && (event.records.at(-1)?.step ?? 0) >= wanted) done();
        });
        const done = () => {
          stop();
          // Whatever waits for the next frame is on screen before the test goes on.
          window.rolloutLab.snapshot();
          resolve();
        };
        if (window.rolloutLab.snapshot().step >= wanted) done();
      }),
    step,
  );
}

/** Does something and gives the first event of a kind that follows. */
export async function eventAfter<K extends EventType>(page: Page, type: K, act: () => Promise<unknown>): Promise<EventOf<K>> {
  const waiting = await page.evaluateHandle((wanted) => {
    const event = new Promise<EngineEvent>((resolve) => {
      const stop = window.rolloutLab.on((each) => {
        if (each.type !== wanted) return;
        stop();
        resolve(each);
      });
    });
    return { event };
  }, type);
  await act();
  return (await waiting.evaluate(({ event }) => event)) as EventOf<K>;
}

/** Starts a run through window.rolloutLab; rejects with the engine's sentence. */
export function start(page: Page, config: RunConfigInput): Promise<string> {
  return page.evaluate((given) => window.rolloutLab.start(given), config);
}

/** Lets runs take three phases a second, from full speed. */
export async function slowDown(page: Page): Promise<void> {
  for (let presses = 0; presses < 2; presses++) await speed(page).press("ArrowLeft");
}

/** Starts a run that a test lets go on beside it, at a pace that leaves the cores to the page. */
export async function startBeside(page: Page, config: RunConfigInput): Promise<string> {
  await slowDown(page);
  return start(page, { ...config, steps: 0 });
}

/** Starts a run and waits for its end. */
export async function runToEnd(page: Page, config: RunConfigInput): Promise<Snapshot> {
  await start(page, config);
  await reach(page, "finished");
  return snapshot(page);
}

/** Metrics that do not measure time. */
export function timeless(records: readonly StepRecord[]): readonly StepRecord[] {
  return records.map(({ step, metrics }) => ({
    step,
    metrics: Object.fromEntries(Object.entries(metrics).filter(([key]) => !isTimedMetric(key))),
  }));
}

/** One of the buttons by its whole name. */
export function button(page: Page, name: string) {
  return page.getByRole("button", { name, exact: true });
}

/** The first button of the run's controls, which says what it does next. */
export function runButton(page: Page) {
  return page.getByRole("toolbar", { name: "Run controls" }).getByRole("button").first();
}

/** A field of the configuration panel; its group, and what is folded in that, is unfolded first. */
export async function field(page: Page, group: string, title: string) {
  const fold = page.locator(".fold-button", { hasText: new RegExp(`^${group}`) });
  if ((await fold.getAttribute("aria-expanded")) === "false") await fold.click();
  await expect(fold).toHaveAttribute("aria-expanded", "true");
  const input = page.getByRole("textbox", { name: new RegExp(`^${title}`) });
  const inner = page.locator(".fold", { has: fold }).locator(".fold-more").getByRole("button", { expanded: false });
  while (!(await input.isVisible()) && (await inner.count()) > 0) await inner.first().click();
  return input;
}

/** The milestones that screen readers hear. */
export function liveStatus(page: Page) {
  return page.locator("[aria-live=polite]").first();
}

/** Saves a chart by its menu. */
export async function saveChart(page: Page, chart: string, item: string): Promise<{ readonly name: string; readonly bytes: Buffer }> {
  // A chart out of sight stands still and may have nothing to save yet.
  const heading = page.getByRole("heading", { name: new RegExp(`^${chart}`) });
  await page.locator("section.chart", { has: heading }).scrollIntoViewIfNeeded();
  await page.getByRole("button", { name: `${chart}: options` }).click();
  const waiting = page.waitForEvent("download");
  await page.getByRole("menuitem", { name: item, exact: true }).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}

/** A chart's CSV by columns. */
export async function chartColumns(page: Page, chart: string): Promise<Readonly<Record<string, readonly number[]>>> {
  const { bytes } = await saveChart(page, chart, "Save as CSV");
  const [header = "", ...lines] = bytes.toString("utf8").trimEnd().split("\r\n");
  const rows = lines.map((line) => line.split(",").map((cell) => (cell === "" ? Number.NaN : Number(cell))));
  return Object.fromEntries(header.split(",").map((name, column) => [name, rows.map((row) => row[column] ?? Number.NaN)]));
}

/** Drops files on the page as somebody would. */
export async function dropFiles(page: Page, files: readonly { readonly name: string; readonly bytes: Buffer }[]): Promise<void> {
  const transfer = await page.evaluateHandle(
    (given) => {
      const data = new DataTransfer();
      for (const { name, base64 } of given)
        data.items.add(new File([Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0))], name));
      return data;
    },
    files.map(({ name, bytes }) => ({ name, base64: bytes.toString("base64") })),
  );
  await page.dispatchEvent("body", "drop", { dataTransfer: transfer });
}

/** Chooses an entry of a select by its label. */
export async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole("button", { name: new RegExp(`${label}$`) }).click();
  await page.getByRole("option", { name: option, exact: true }).click();
}

/** Writes a measured value into the report. */
export function report(what: string, value: number, unit: string): void {
  const description = `${what}: ${value.toFixed(value < 10 ? 1 : 0)} ${unit}`;
  test.info().annotations.push({ type: "measured", description });
  console.log(`    measured ${description}`);
}

export { atFullSpeed, STAGED_ERROR, test, testInEmptyPage, testInSamePage } from "./pages.ts";
export { expect };
