// The lab in a driven browser: what a visitor does there, and what is waited for on the way.
import type { RunConfigInput } from "../../src/protocol/config.ts";
import type { Snapshot } from "../../src/ui/shell/api.ts";
import type { Driver } from "./driver.ts";

/** Shorter than a call may take, so that what was waited for is named. */
const PATIENCE_MS = 50_000;

/** Waits in the page until an expression is neither false nor null, and gives its value. */
export async function until<T = unknown>({ evaluate }: Driver, expression: string): Promise<T> {
  const found = await evaluate(`
    for (const end = performance.now() + ${PATIENCE_MS}; performance.now() < end; await new Promise((resolve) => setTimeout(resolve, 30))) {
      const found = await (${expression});
      if (found !== false && found !== null && found !== undefined) return { found };
    }
    return { shown: document.body.innerText };`);
  const { found: value, shown } = found as { readonly found?: T; readonly shown?: string };
  if (shown !== undefined) throw new Error(`never came: ${expression}\nThe page shows: ${shown.slice(0, 1500)}`);
  return value as T;
}

export const engineIsUp = (driver: Driver) => until(driver, `window.rolloutLab?.snapshot().engine === "ready"`);

/** A module whose one function multiplies and adds in relaxed SIMD: (func (param v128 v128 v128) (result v128) ... f32x4.relaxed_madd). */
const RELAXED = [
  ...[0, 97, 115, 109, 1, 0, 0, 0, 1, 8, 1, 96, 3, 123, 123, 123, 1, 123, 3, 2, 1, 0],
  ...[10, 13, 1, 11, 0, 32, 0, 32, 1, 32, 2, 253, 133, 2, 11],
];
/** Whether a browser has relaxed SIMD, as it says itself. */
export const hasRelaxedSimd = async ({ evaluate }: Driver) =>
  (await evaluate(`return WebAssembly.validate(Uint8Array.from(${JSON.stringify(RELAXED)}))`)) as boolean;

export const snapshot = async ({ evaluate }: Driver) => (await evaluate("return window.rolloutLab.snapshot()")) as Snapshot;

/** An expression that is the button, link or heading of that name, or null. */
const named = (selector: string, name: RegExp) =>
  `[...document.querySelectorAll(${JSON.stringify(selector)})].find((one) => one.checkVisibility() && !one.disabled && one.ariaDisabled !== "true" && ${name}.test((one.ariaLabel ?? one.innerText).trim())) ?? null`;

/** Presses the first of that name once it is there. */
export async function press(driver: Driver, selector: "button" | "nav a" | "[role=menuitem]", name: RegExp): Promise<void> {
  await until(driver, `(${named(selector, name)}) !== null`);
  await driver.click(`return ${named(selector, name)}`);
}

/** Trains to the end. */
export async function runToEnd(driver: Driver, config: RunConfigInput): Promise<Snapshot> {
  await driver.evaluate(`await window.rolloutLab.start(${JSON.stringify(config)})`);
  await until(driver, `["finished", "failed"].includes(window.rolloutLab.snapshot().state)`);
  return snapshot(driver);
}

/** Opens a screen by its link and waits until it is there; what stands in its place otherwise. */
export async function openScreen(driver: Driver, name: string): Promise<readonly string[]> {
  await press(driver, "nav a", new RegExp(`^${name}$`));
  await until(
    driver,
    `!/^Opening /m.test(document.getElementById("main").innerText) && document.querySelector("#main h1, #main h2, #main [role=alert]") !== null`,
  );
  return (await driver.evaluate(`return [...document.querySelectorAll("[role=alert]")].map((one) => one.innerText)`)) as readonly string[];
}
