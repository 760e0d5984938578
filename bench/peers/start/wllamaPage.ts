// llama.cpp compiled to WebAssembly (wllama), in Chromium: decodes one sequence with the very GGUF file that ours reads.
// A page of its own, isolated so that threads may share memory; GPU layers are off.
import { createReadStream, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { chromium } from "@playwright/test";
import { projectRoot } from "../../../scripts/environment.mjs";
import { browserFlags, findBrowser } from "../../../scripts/testing/browser.mjs";

const packageFolder = join(projectRoot, "node_modules/@wllama/wllama/esm");

export interface DecodePeer {
  readonly version: string;
  /** Tokens a second of one sequence, after its prompt. */
  decode(tokens: number): Promise<number>;
  close(): Promise<void>;
}

const TYPES: Readonly<Record<string, string>> = { html: "text/html", js: "text/javascript", wasm: "application/wasm" };

/** Serves the page, the package and the model. */
async function servePage(gguf: string) {
  const page = `<!doctype html><title>wllama</title><script type="module">import { Wllama } from "/index.js"; Object.assign(globalThis, { Wllama });</script>`;
  const server = createServer(({ url = "/" }, response) => {
    const isolated = { "cross-origin-opener-policy": "same-origin", "cross-origin-embedder-policy": "require-corp" };
    const type = (path: string) => ({ ...isolated, "content-type": TYPES[path.split(".").at(-1) ?? ""] ?? "application/octet-stream" });
    if (url === "/") {
      response.writeHead(200, type("index.html")).end(page);
      return;
    }
    const path = url === "/model.gguf" ? gguf : join(packageFolder, url.replaceAll("..", ""));
    try {
      response.writeHead(200, { ...type(path), "content-length": statSync(path).size });
      createReadStream(path).pipe(response);
    } catch {
      response.writeHead(404, isolated).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "localhost", resolve));
  return { url: `http://localhost:${(server.address() as AddressInfo).port}/`, close: () => server.close() };
}

interface WllamaInPage {
  loadModel(files: readonly Blob[], options: object): Promise<void>;
  createCompletion(
    options: object,
  ): Promise<{ readonly timings?: { readonly predicted_n: number; readonly predicted_per_second: number } }>;
}
declare const wllama: WllamaInPage;
declare const Wllama: new (paths: { readonly default: string }) => WllamaInPage;

/** Loads the model on so many threads. Throws where there is no browser. */
export async function startWllama(gguf: string, threads: number): Promise<DecodePeer> {
  const executablePath = findBrowser();
  if (!executablePath) throw new Error("no Chrome, Chromium or Edge was found (set CHROME_PATH)");
  const { version } = (await import("@wllama/wllama/package.json", { with: { type: "json" } })).default;
  const server = await servePage(gguf);
  const browser = await chromium.launch({ executablePath, args: [...browserFlags] });
  const close = async () => {
    await browser.close();
    server.close();
  };
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    await page.waitForFunction(() => "Wllama" in globalThis);
    await page.evaluate(async (count) => {
      const created = new Wllama({ default: "/wasm/wllama.wasm" });
      const file = await (await fetch("/model.gguf")).blob();
      await created.loadModel([file], { n_threads: count, n_ctx: 1024, n_gpu_layers: 0 });
      Object.assign(globalThis, { wllama: created });
    }, threads);
    return {
      version,
      decode: (tokens) =>
        page.evaluate(async (max_tokens) => {
          // Ends of texts are forbidden, so that there are as many tokens as are asked for.
          const options = { prompt: "The sea is", max_tokens, temperature: 0, logit_bias: { "0": -100, "2": -100 } };
          const { timings } = await wllama.createCompletion(options);
          if (!timings || timings.predicted_n < max_tokens / 2)
            throw new Error(`wllama decoded ${timings?.predicted_n ?? 0} of ${max_tokens} tokens`);
          return timings.predicted_per_second;
        }, tokens),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
