// Nothing the page does breaks its Content-Security-Policy: every backend, pictures of charts, every
// screen. The browser itself reports breaches, those in workers too.
import { reportingHost, type WebHost } from "./hosts.ts";
import { test as base, button, expect, openLab, reach, runToEnd, saveChart, start, TABLE, TINY } from "./lab.ts";

const test = base.extend<{ readonly host: WebHost & { readonly reports: readonly string[] } }>({
  // biome-ignore lint/correctness/noEmptyPattern: fixtures are told apart by what they take apart
  host: async ({}, use) => {
    const host = await reportingHost();
    await use(host);
    host.close();
  },
  baseURL: ({ host }, use) => use(host.url),
});

const SHORT = { ...TINY, groupSize: 4, promptsPerStep: 1, steps: 2, evalProblems: 4 } as const;

test("training on every backend, styles, pictures and all screens keep the policy", async ({ page, host }) => {
  // WebGPU in software takes its time.
  test.slow();
  await openLab(page, "#/train?preset=digit-sum-table");
  expect(await page.evaluate(() => crossOriginIsolated)).toBe(true);
  await runToEnd(page, TABLE);
  // Styles that the page sets take effect.
  const fill = page.locator(".progress-fill").first();
  expect(await fill.evaluate((element) => element.getBoundingClientRect().width)).toBeGreaterThan(10);
  const { bytes } = await saveChart(page, "Reward", "Save as PNG");
  expect(bytes.length).toBeGreaterThan(5000);
  expect((await runToEnd(page, { ...SHORT, backend: "tfjs-wasm" })).backend?.id).toBe("tfjs-wasm");
  if (await page.evaluate(async () => Boolean(await navigator.gpu?.requestAdapter())))
    expect((await runToEnd(page, { ...SHORT, backend: "webgpu" })).backend?.id).toBe("webgpu");
  expect((await runToEnd(page, { ...SHORT, backend: "wasm", threads: 2 })).backend?.threads).toBe(2);
  await page.getByRole("link", { name: "Rollouts", exact: true }).click();
  await expect(page.locator(".token").first()).toBeVisible();
  await page.getByRole("link", { name: "Compare", exact: true }).click();
  await button(page, "Start the race").click();
  await expect(page.locator(".race-controls [role=status]")).toHaveText(/^Finished: /);
  await expect(page.locator("svg.chart-surface").first()).toBeVisible();
  // Chat, tokenizer and checkpoint come with this task.
  await page.getByRole("link", { name: "Train", exact: true }).click();
  await start(page, { task: "boxed-arithmetic", steps: 1, promptsPerStep: 2, groupSize: 4, evalEvery: 0 });
  await reach(page, "finished");
  expect(host.reports).toEqual([]);

  // The proof that breaches would be told, by the page and by its worker.
  await page.evaluate(() => {
    new Image().src = "http://blocked.test/";
  });
  const worker = page.workers().find((each) => each.url().includes("trainer-"));
  await worker?.evaluate(() => fetch("http://blocked.test/").catch(() => {}));
  const staged = ["/: img-src http://blocked.test/", "/assets/trainer.js: connect-src http://blocked.test/"];
  await expect.poll(() => host.reports.map((report) => report.replace(/-[\w-]{8}\.js/, ".js")).sort()).toEqual(staged);
});

test("on an iPhone an open menu keeps the policy, too", async ({ page, host }) => {
  await page.addInitScript(() => {
    Object.defineProperty(navigator, "userAgentData", { value: undefined });
    Object.defineProperty(navigator, "platform", { value: "iPhone" });
  });
  await openLab(page, "#/train?preset=digit-sum-table");
  await runToEnd(page, TABLE);
  await button(page, "Reward: options").click();
  await expect(page.getByRole("menuitem").first()).toBeVisible();
  // The styles that the library adds for it are there and in force.
  const contained = () => page.evaluate(() => getComputedStyle(document.body).overscrollBehaviorY);
  expect(await contained()).toBe("contain");
  await page.keyboard.press("Escape");
  await expect.poll(contained).not.toBe("contain");
  expect(host.reports).toEqual([]);
});
