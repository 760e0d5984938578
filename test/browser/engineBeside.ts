// The page's engine, asked beside the page: commands that no button has, and answers that the page does not keep.
import type { Page } from "@playwright/test";
import { engineIsUp } from "./lab.ts";

/** Keeps the page's engine, which is the first one it makes, to be asked beside the page. */
const KEEP_ENGINE = `window.keepsEngine = true;
window.Worker = class extends Worker {
  constructor(...given) {
    super(...given);
    if (given[1]?.name === "trainer") window.theEngine ??= this;
  }
}`;

/** Opens an address so that its engine can be asked; a page that is there already, as after a reload, is not loaded once more. */
export async function openBeside(page: Page, url: string): Promise<void> {
  if (page.url() !== url || !(await page.evaluate(() => "keepsEngine" in window))) {
    await page.addInitScript(KEEP_ENGINE);
    await page.goto(url);
  }
  await engineIsUp(page);
}

export interface Asked {
  readonly type: string;
  readonly [field: string]: unknown;
}

/** Asks the page's engine beside the page; resolves with the answer, or why there is none, as JSON (bytes in base64), where it is waited for. */
export function askEngine(page: Page, command: Asked, isWaited = true): Promise<string> {
  return page.evaluate(
    ([body, waits]) =>
      new Promise<string>((resolve) => {
        const id = 1_000_000 + Math.floor(Math.random() * 1e9);
        const stop = window.rolloutLab.on((event) => {
          if (event.type !== "answer" || event.id !== id) return;
          stop();
          // Bytes have no JSON of their own, and a megabyte of them as numbers takes seconds to arrive.
          const letters = (bytes: Uint8Array) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
          const plain = (_: string, value: unknown) => (value instanceof Uint8Array ? btoa(letters(value)) : value);
          resolve(JSON.stringify(event.outcome === "done" ? (event.result ?? null) : event.message, plain));
        });
        (window as unknown as { theEngine: Worker }).theEngine.postMessage({ ...body, id });
        if (!waits) resolve("");
      }),
    [command, isWaited] as const,
  );
}
