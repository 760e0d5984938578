// Runs peers in a browser: builds bench/page, serves it isolated so that threads may share memory, and
// opens it in Chromium. Each peer is a worker of that page.
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { build } from "vite";
import { projectRoot } from "../../../scripts/environment.mjs";
import { serve } from "../../../scripts/serve.mjs";
import { browserFlags, findBrowser } from "../../../scripts/testing/browser.mjs";
import type { BenchPage } from "../../page/main.ts";
import type { StartPeer } from "../../peer.ts";
import { remotePeer } from "./remotePeer.ts";

declare const bench: BenchPage;

export interface BrowserPeers {
  readonly version: string;
  readonly flags: readonly string[];
  readonly start: StartPeer;
  close(): Promise<void>;
}

const pageFolder = join(projectRoot, ".cache/bench-page");

async function buildPage(): Promise<void> {
  await build({
    root: join(projectRoot, "bench/page"),
    configFile: join(projectRoot, "vite.config.ts"),
    publicDir: join(projectRoot, "public"),
    logLevel: "error",
    build: { outDir: pageFolder, emptyOutDir: true, target: "esnext" },
  });
}

/** Opens the page. Throws where there is no browser. */
export async function openBrowser(): Promise<BrowserPeers> {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error("no Chrome, Chromium or Edge was found (set CHROME_PATH)");
  await buildPage();
  const server = await serve({ port: 4390, host: "localhost", folder: pageFolder });
  const browser = await chromium.launch({ executablePath, args: [...browserFlags] });
  const page = await browser.newPage();
  await page.goto(server.url);
  await page.waitForFunction(() => "bench" in globalThis);
  if (!(await page.evaluate(() => crossOriginIsolated))) throw new Error("internal: the benchmark's page is not isolated");
  return {
    version: `${browser.browserType().name()} ${browser.version()}`,
    flags: browserFlags,
    start: async (spec, workload) => {
      const id = await page.evaluate(() => bench.open());
      const close = () => page.evaluate((worker) => bench.close(worker), id);
      return remotePeer(
        (request) => page.evaluate(([worker, message]) => bench.ask(worker, message), [id, request] as const),
        close,
        spec,
        workload,
      );
    },
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}
