// The build in a folder of a host that sends no headers: it trains, on one thread, and says why on one. And one made
// for its folder, which the host answers other paths with as well.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "vite";
import { isLong, longOnly } from "../support/long.ts";
import { plainHost, type WebHost } from "./hosts.ts";
import { test as base, expect, openLab, reach, runToEnd, start, TINY } from "./lab.ts";

const FOLDER = "/some/folder/";

const test = base.extend<{ readonly host: WebHost; readonly errors: readonly string[] }>({
  // biome-ignore lint/correctness/noEmptyPattern: fixtures are told apart by what they take apart
  host: async ({}, use) => {
    const host = await plainHost(FOLDER);
    await use(host);
    host.close();
  },
  baseURL: ({ host }, use) => use(host.url),
  errors: async ({ page }, use) => {
    const errors: string[] = [];
    page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
    page.on("response", (response) => response.status() >= 400 && errors.push(`${response.status()} ${response.url()}`));
    await page.addInitScript(() =>
      document.addEventListener("securitypolicyviolation", (event) => console.error(`${event.effectiveDirective} ${event.blockedURI}`)),
    );
    await use(errors);
    expect(errors).toEqual([]);
  },
});

test("the page trains in a folder of a plain host, says why on one thread, and names nothing outside of the folder", async ({
  page,
  host,
  errors,
}) => {
  await openLab(page, "");
  expect(new URL(page.url()).pathname).toBe(FOLDER);
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(false);
  const { backend, step } = await runToEnd(page, { ...TINY, threads: 2, backend: "wasm" });
  expect([backend?.threads, step]).toEqual([1, TINY.steps]);
  await page.getByRole("button", { name: /^WebAssembly/ }).click();
  await expect(page.getByRole("dialog", { name: "Backend and model" })).toContainText(
    "It is only one because the page came without the headers Cross-Origin-Opener-Policy and Cross-Origin-Embedder-Policy",
  );
  await page.keyboard.press("Escape");
  expect((await runToEnd(page, { ...TINY, steps: 1, backend: "tfjs-wasm" })).backend?.id).toBe("tfjs-wasm");
  await start(page, { task: "boxed-arithmetic", steps: 1, promptsPerStep: 2, groupSize: 4, evalEvery: 0 });
  await reach(page, "finished");
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  await expect(page.locator(".token").first()).toBeVisible();
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await expect(page.getByRole("button", { name: "Start the race" })).toBeVisible();
  expect(errors).toEqual([]);

  // Everything that the page names lies in its folder.
  const addresses = await page.evaluate(() =>
    Array.from(document.querySelectorAll<HTMLLinkElement | HTMLScriptElement>("link[href], script[src]"), (each) =>
      each instanceof HTMLScriptElement ? each.src : each.href,
    ),
  );
  expect(addresses.some((address) => address.endsWith("/favicon.svg"))).toBe(true);
  for (const address of addresses) {
    expect(address.startsWith(host.url), address).toBe(true);
    expect((await page.request.get(address)).status(), address).toBe(200);
  }
});

test(longOnly("a build with --base finds its files from any path below it"), async ({ page, errors }) => {
  test.skip(!isLong);
  test.setTimeout(180_000);
  const root = mkdtempSync(join(tmpdir(), "base-"));
  await build({ base: FOLDER, logLevel: "error", build: { outDir: root, emptyOutDir: true } });
  const host = await plainHost(FOLDER, root, (path) => (/\.\w+$/.test(path) ? path : "index.html"));
  try {
    await page.goto(`${host.url}runs/of/mine`);
    await expect(page.getByRole("heading", { name: "Recording Sums" })).toBeVisible();
    expect((await runToEnd(page, { ...TINY, backend: "wasm" })).step).toBe(TINY.steps);
    await page.goto(`${host.url}runs/of/mine#/replay?example=calculator`);
    await expect(page.getByRole("toolbar", { name: "Recording controls" })).toBeVisible();
    expect(errors).toEqual([]);
  } finally {
    host.close();
    rmSync(root, { recursive: true });
  }
});
