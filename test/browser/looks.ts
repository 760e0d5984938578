// How a screen is looked at: nothing that axe calls serious, nothing that sticks out to the side.

import { expect, type Page } from "@playwright/test";
import axe from "axe-core";

type Violations = axe.AxeResults["violations"];

declare global {
  interface Window {
    readonly axe: typeof axe;
  }
}

/** Those of axe's rules that look at colours. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

/** What axe finds wrong, by all of its rules or by those named. What it finds right is not worked out in full. */
async function found(page: Page, within: string | undefined, rules: readonly string[] | undefined): Promise<Violations> {
  expect(page.frames(), "axe looks into no frame").toHaveLength(1);
  // The page keeps axe: reading its half a megabyte takes a third of the time that looking does.
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async ([place, only]) => {
      const options: axe.RunOptions = { resultTypes: ["violations"] };
      if (only) options.runOnly = { type: "rule", values: [...only] };
      return (await window.axe.run(place ?? document, options)).violations;
    },
    [within, rules] as const,
  );
}

/** All that axe finds wrong. */
export function violationsOn(page: Page, within?: string): Promise<Violations> {
  return found(page, within, undefined);
}

/** Minor by themselves, but what people who jump by landmark or heading go by. */
const ORDERLY: ReadonlySet<string> = new Set(["region", "landmark-unique", "landmark-complementary-is-top-level", "heading-order"]);

/** What axe finds that keeps somebody from using the page. */
export async function seriousProblems(page: Page, rules?: readonly string[]): Promise<readonly string[]> {
  return (await found(page, undefined, rules))
    .filter(({ id, impact }) => impact === "serious" || impact === "critical" || ORDERLY.has(id))
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`));
}

/** Every element of the page with what it says of itself and whether it is seen, but for its colours. */
function withoutColours(page: Page): Promise<string> {
  return page.evaluate(() =>
    Array.from(document.querySelectorAll("*"), (element) => {
      const said = Array.from(element.attributes, ({ name, value }) =>
        /^(style|fill|stroke|data-theme)$/.test(name) ? "" : `${name}=${value}`,
      );
      const seen = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
      return [element.tagName, ...said, seen, element.children.length === 0 ? element.textContent : ""].join(" ");
    }).join("\n"),
  );
}

/**
 * Expects nothing serious in light and in dark. Where only colours differ between the two, the second look is at colours alone:
 * what axe's other rules read is the same then.
 */
export async function expectNothingSerious(page: Page, name: string, look?: (colorScheme: string) => Promise<void>): Promise<void> {
  let before: string | null = null;
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await expect(page.locator("html")).toHaveAttribute("data-theme", colorScheme);
    await look?.(colorScheme);
    const now = await withoutColours(page);
    expect(await seriousProblems(page, now === before ? OF_COLOURS : undefined), `${name}, ${colorScheme}`).toEqual([]);
    before = now;
  }
}

/** Writes a picture of the page for people to look at, where SHOTS names a folder for them. */
export async function picture(page: Page, name: string, fullPage = false): Promise<void> {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage });
}

/** Elements that stick out of the page to the right, by their classes. */
export function overflow(page: Page): Promise<{ readonly width: number; readonly wide: readonly string[] }> {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    const wide = Array.from(document.querySelectorAll<HTMLElement>("body *"))
      .filter((element) => element.getBoundingClientRect().right > width + 1)
      .map((element) => `${element.tagName.toLowerCase()}.${element.className}`);
    return { width: document.documentElement.scrollWidth, wide: wide.slice(0, 5) };
  });
}
