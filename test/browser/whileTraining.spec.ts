// What somebody may want while a run trains: an awake screen and a word at its end. Neither is asked for unasked.
import type { Page } from "@playwright/test";
import {
  atFullSpeed,
  engineIsUp,
  expect,
  openLab,
  reach,
  runToEnd,
  start,
  startBeside,
  TABLE,
  TINY,
  testInEmptyPage as test,
} from "./lab.ts";
import { picture, seriousProblems } from "./looks.ts";

declare global {
  interface Window {
    seen: { asked: number; told: string[]; locks: number; released: number };
    /** Whether somebody looks elsewhere. */
    isAway?: boolean;
  }
}

/** Writes down what the page asks of the browser, and lets it happen. */
async function watch(page: Page): Promise<void> {
  await page.addInitScript(() => {
    window.seen = { asked: 0, told: [], locks: 0, released: 0 };
    const Native = window.Notification;
    const ask = Native.requestPermission.bind(Native);
    window.Notification = class extends Native {
      static override requestPermission() {
        window.seen.asked += 1;
        return ask();
      }
      constructor(title: string, options?: NotificationOptions) {
        super(title, options);
        window.seen.told.push(`${title}: ${options?.body}`);
      }
    };
    const request = navigator.wakeLock.request.bind(navigator.wakeLock);
    navigator.wakeLock.request = async (kind) => {
      const lock = await request(kind);
      window.seen.locks += 1;
      lock.addEventListener("release", () => (window.seen.released += 1));
      return lock;
    };
    const hasFocus = document.hasFocus.bind(document);
    document.hasFocus = () => !window.isAway && hasFocus();
  });
}

const settings = async (page: Page) => {
  await page.getByRole("button", { name: "Help and shortcuts" }).click();
  return page.getByRole("region", { name: "While a run trains" });
};
const seen = (page: Page) => page.evaluate(() => window.seen);

test("the screen stays awake while a run trains, and its end is told to whoever looks elsewhere, where somebody chose it", async ({
  page,
  context,
}) => {
  await watch(page);
  await openLab(page);
  await page.evaluate(() => {
    window.isAway = true;
  });
  await runToEnd(page, TABLE);
  expect(await seen(page)).toMatchObject({ asked: 0, told: [], locks: 0 });
  const choice = await settings(page);
  expect(await seriousProblems(page)).toEqual([]);
  await picture(page, "while");
  await choice.getByText("Keep the screen awake").click();
  await page.keyboard.press("Escape");
  // The choice is remembered.
  await page.reload();
  await engineIsUp(page);
  await startBeside(page, { ...TINY, steps: 0 });
  await expect.poll(async () => (await seen(page)).locks).toBe(1);
  expect((await seen(page)).released).toBe(0);
  await page.evaluate(() => window.rolloutLab.pause());
  await expect.poll(async () => (await seen(page)).released).toBe(1);
  expect((await seen(page)).asked).toBe(0);

  // Not before: whatever else was allowed by itself is refused from here on, an awake screen too.
  await context.grantPermissions(["notifications"]);
  await (await settings(page)).getByText("Notify me at its end").click();
  await page.keyboard.press("Escape");
  await page.evaluate(() => {
    window.isAway = true;
  });
  await atFullSpeed(page);
  await start(page, TABLE);
  await reach(page, "finished");
  await expect.poll(async () => (await seen(page)).told).toEqual([expect.stringMatching(/^Digit sum.*: Finished at step 40/)]);
  // After one question at most.
  expect((await seen(page)).asked).toBeLessThanOrEqual(1);
});

test("a browser that refuses is told beside the choice, which stays off", async ({ page }) => {
  await page.addInitScript(() => {
    Object.defineProperty(Notification, "permission", { get: () => "default" });
    Notification.requestPermission = async () => {
      Object.defineProperty(Notification, "permission", { get: () => "denied" });
      return "denied";
    };
    Object.defineProperty(Navigator.prototype, "wakeLock", { get: () => undefined });
    delete (Navigator.prototype as { wakeLock?: unknown }).wakeLock;
  });
  await openLab(page);
  const choice = await settings(page);
  await expect(choice.getByText("cannot keep the screen awake")).toBeVisible();
  await expect(choice.getByRole("switch", { name: "Keep the screen awake" })).toBeDisabled();
  await choice.getByText("Notify me at its end").click();
  await expect(choice.getByText("blocks notifications from this page")).toBeVisible();
  await expect(choice.getByRole("switch", { name: /^Notify me/ })).not.toBeChecked();
});
