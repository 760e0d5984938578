// How a screen is looked at: nothing that axe calls serious, nothing that sticks out to the side.
import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

type Violations = Awaited<ReturnType<AxeBuilder["analyze"]>>["violations"];

/**
 * All that axe finds wrong. What it finds right is not worked out in full, and its answer is put together in
 * the page itself: a page of its own, its usual way, is for frames of other origins, and this page has none.
 */
export async function violationsOn(page: Page, within?: string): Promise<Violations> {
  expect(page.frames()).toHaveLength(1);
  const axe = new AxeBuilder({ page }).setLegacyMode(true).options({ resultTypes: ["violations"] });
  return (await (within ? axe.include(within) : axe).analyze()).violations;
}

/** Minor by themselves, but what people who jump by landmark or heading go by. */
const ORDERLY: ReadonlySet<string> = new Set(["region", "landmark-unique", "landmark-complementary-is-top-level", "heading-order"]);

/** What axe finds that keeps somebody from using the page. */
export async function seriousProblems(page: Page): Promise<readonly string[]> {
  return (await violationsOn(page))
    .filter(({ id, impact }) => impact === "serious" || impact === "critical" || ORDERLY.has(id))
    .flatMap(({ id, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${target.join(" ")}: ${failureSummary ?? ""}`));
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
