// A browser that can be killed: started by hand with a folder of its own, so that a signal ends it as a
// crash does and another one finds what it left behind.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Browser, chromium, type Page } from "@playwright/test";
import { findBrowser, plainTestFlags } from "../../scripts/testing/browser.mjs";

export interface KillableBrowser {
  readonly page: Page;
  newPage(): Promise<Page>;
  /** Ends every process of the browser by SIGKILL. */
  kill(): Promise<void>;
}

/** A folder that browsers leave their storage in. */
export function profileFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "rollout-lab-profile-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) };
}

/** Starts a browser on a profile. */
export async function startBrowser(profile: string): Promise<KillableBrowser> {
  const program = findBrowser();
  if (!program) throw new Error("No Chrome, Chromium or Edge found: install one or set CHROME_PATH");
  const flags = [...plainTestFlags, "--headless=new", "--remote-debugging-port=0", `--user-data-dir=${profile}`, "--window-size=1280,800"];
  const child = spawn(program, [...flags, "about:blank"], { detached: true, stdio: ["ignore", "ignore", "pipe"] });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  const address = await new Promise<string>((resolve, reject) => {
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const found = /DevTools listening on (ws:\/\/\S+)/.exec(said);
      if (found) resolve(found[1]!);
    });
    child.once("exit", () => reject(new Error(`the browser ended at once: ${said.slice(-400)}`)));
  });
  const browser: Browser = await chromium.connectOverCDP(address);
  const context = browser.contexts()[0]!;
  return {
    page: context.pages()[0] ?? (await context.newPage()),
    newPage: () => context.newPage(),
    kill: async () => {
      if (child.exitCode === null && child.signalCode === null) process.kill(-child.pid!, "SIGKILL");
      await ended;
      await browser.close().catch(() => {});
    },
  };
}

/** The ways in which what goes on in a page can end. */
export const ENDS = [
  ...["worker", "reload", "closed page", "crashed page", "another address", "killed browser", "killed in a pause", "killed in a save"],
] as const;

/** Ends the run; gives the page that somebody opens next. */
export async function endBy(
  kind: (typeof ENDS)[number],
  browser: KillableBrowser,
  profile: string,
  lingerMs: number,
): Promise<KillableBrowser> {
  const { page } = browser;
  if (kind === "worker") await page.evaluate(() => window.rolloutLab.kill());
  if (kind === "worker" || kind === "reload") await page.reload();
  if (kind === "another address") await page.goto("about:blank");
  if (kind === "closed page" || kind === "crashed page") {
    const next = await browser.newPage();
    if (kind === "crashed page") {
      const session = await page.context().newCDPSession(page);
      await Promise.race([session.send("Page.crash").catch(() => {}), page.waitForEvent("crash").catch(() => {})]);
    }
    await page.close();
    return { ...browser, page: next };
  }
  if (!kind.startsWith("killed")) return browser;
  const pausing = "() => void window.rolloutLab.pause()";
  const saving = "() => void window.dispatchEvent(new Event('pagehide'))";
  if (kind !== "killed browser") await page.evaluate(`(${kind === "killed in a pause" ? pausing : saving})()`);
  await page.waitForTimeout(lingerMs);
  await browser.kill();
  return startBrowser(profile);
}
