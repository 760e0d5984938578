// What a tab takes: by the browser's own figures of the page and its workers, and by what the tab's process stands at.
import { readFileSync } from "node:fs";
import type { Browser, Page } from "@playwright/test";

/** The browser answers at once, in the place of after its next idle collection. */
export const EAGER_MEASURE = "--enable-blink-features=ForceEagerMeasureMemory";

export interface TabMemory {
  /** Bytes of the page and its workers, by the browser. */
  readonly told: number;
  /** Resident bytes of the tab's process but for programs' files; null where the system does not tell. */
  readonly resident: number | null;
}

async function residentBytes(browser: Browser): Promise<number | null> {
  if (process.platform !== "linux") return null;
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  await session.detach();
  const tabs = processInfo.filter(({ type }) => type === "renderer");
  const ofTabs = tabs.map(({ id }) => {
    const status = readFileSync(`/proc/${id}/status`, "utf8");
    const kilobytes = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0);
    return 1024 * (kilobytes("RssAnon") + kilobytes("RssShmem"));
  });
  return Math.max(...ofTabs);
}

/** What the page has let go of is given back: what comes later would take its place, and seem to take nothing. */
async function dropGarbage(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  await session.send("HeapProfiler.collectGarbage");
  await session.send("Memory.simulatePressureNotification", { level: "critical" });
  await session.detach();
  await page.waitForTimeout(1_000);
}

/** Measures the only tab of a browser; the page must be isolated. */
export async function tabMemory(page: Page, browser: Browser): Promise<TabMemory> {
  await dropGarbage(page);
  const told = await page.evaluate(async () => {
    const { measureUserAgentSpecificMemory } = performance as unknown as {
      measureUserAgentSpecificMemory?: () => Promise<{ readonly bytes: number }>;
    };
    if (!measureUserAgentSpecificMemory) throw new Error("the page is not isolated, so the browser does not tell its memory");
    return (await measureUserAgentSpecificMemory.call(performance)).bytes;
  });
  return { told, resident: await residentBytes(browser) };
}
