// A run that was published into a folder, on a host that sends files and no header, below a path: the page opens on it, names its places in the
// address, and its report and frames stand by themselves.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainHost, type WebHost } from "./hosts.ts";
import { button, engineIsUp, expect, reach, reachStep, snapshot, test } from "./lab.ts";
import { overflow, picture, seriousProblems } from "./looks.ts";

const root = join(import.meta.dirname, "..", "..");
const folder = mkdtempSync(join(tmpdir(), "rollout-lab-published-"));
let host: WebHost;

test.describe.configure({ mode: "serial" });
test.beforeAll(async () => {
  const program = join(root, "dist-cli", "bin", "rollout-lab.js");
  execFileSync(process.execPath, [program, "publish", join(root, "public/examples/calculator.rollout"), "--to", join(folder, "site")]);
  host = await plainHost("/papers/run-1/", join(folder, "site"));
});
test.afterAll(() => {
  host.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The page comes without compression and from the process of the test itself: on a busy machine that takes its time. */
const ARRIVES = { timeout: 40_000 };

test("leaves an address with settings or a lesson as it is, and opens on its recording, without a question, and again at a place", async ({
  page,
}) => {
  test.slow();
  const failed: string[] = [];
  page.on("response", (response) => response.status() >= 400 && failed.push(response.url()));
  await page.goto(`${host.url}#/learn`);
  await engineIsUp(page);
  expect((await snapshot(page)).runId).toBeNull();
  await page.goto(`${host.url}#/train?preset=digit-sum-table&seed=3`);
  await page.reload();
  await expect(button(page, "Train")).toBeVisible();
  await expect.poll(async () => (await snapshot(page)).runId).toBeNull();
  await expect(page).toHaveURL(/#\/train\?version=\d+&preset=digit-sum-table&seed=3$/, ARRIVES);

  // From nothing on, and not from the address before.
  await page.goto("about:blank");
  await page.goto(host.url);
  const controls = page.getByRole("toolbar", { name: "Recording controls" });
  await expect(controls.getByText("Recording", { exact: true })).toBeVisible(ARRIVES);
  await reachStep(page, 2);
  // Train's address tells the settings, which are the recording's: it opens again.
  await expect(page).toHaveURL(/#\/train\?version=/);
  await page.reload();
  await expect(controls.getByText("Recording", { exact: true })).toBeVisible(ARRIVES);
  await picture(page, "publish-front");
  await page.goto(`${host.url}#/rollouts?step=40&completion=2&token=3`);
  await page.reload();
  await expect(page.getByRole("heading", { name: "Completion 2" })).toBeVisible(ARRIVES);
  await reach(page, "finished");
  expect((await snapshot(page)).metrics).toHaveLength(40);
  await expect(page).toHaveURL(`${host.url}#/rollouts?step=40&completion=2&token=3`);
  expect((await page.evaluate(() => window.rolloutLab.saves())).length).toBe(0);
  expect(failed).toEqual([]);
});

test("has a report and frames that need no script, in light and dark, and the code of a frame shows it on another site", async ({
  page,
  browser,
}) => {
  for (const colorScheme of ["light", "dark"] as const)
    for (const [name, path] of [
      ["report", "report.html"],
      ["frames", "embed/"],
      ["chart", "embed/reward.html"],
      ["conversation", "embed/conversation-last-1.html"],
    ] as const) {
      await page.emulateMedia({ colorScheme });
      await page.goto(`${host.url}${path}`);
      // The list shows the other pages in frames, each of which is looked at by itself.
      if (name !== "frames") expect(await seriousProblems(page)).toEqual([]);
      await picture(page, `publish-${name}-${colorScheme}`, true);
    }
  await page.setViewportSize({ width: 320, height: 640 });
  await page.goto(`${host.url}report.html`);
  expect((await overflow(page)).width).toBe(320);
  await page.goto(`${host.url}embed/`);
  const code = await page.getByRole("textbox").first().inputValue();
  expect(code).toContain(`src="${host.url}embed/accuracy.html"`);
  const other = createServer((_, response) => void response.writeHead(200, { "Content-Type": "text/html" }).end(`<h1>A paper</h1>${code}`));
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  const reader = await (await browser.newContext({ javaScriptEnabled: false })).newPage();
  await reader.goto(`http://127.0.0.1:${(other.address() as AddressInfo).port}/`);
  const frame = reader.frameLocator("iframe");
  await expect(frame.getByRole("img", { name: /^Accuracy, sampled: from / })).toBeVisible();
  await expect(frame.getByText(/seed/)).toBeVisible();
  // Nothing of it is cut off or scrolls.
  expect(await frame.locator("html").evaluate((html) => html.scrollHeight - html.clientHeight)).toBeLessThanOrEqual(0);
  await reader.context().close();
  other.close();
});
