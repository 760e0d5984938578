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
