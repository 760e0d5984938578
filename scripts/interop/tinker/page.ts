// The page drives a run of the lab's checkpoint on SkyRL: chosen and started as a user does, looked at while it trains, with the server
// killed in the middle and back, and when it is over. Pictures lie in .cache/interop/pictures.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { chromium, type Page } from "@playwright/test";
import type { RunConfigInput } from "../../../src/protocol/config.ts";
import { projectRoot } from "../../environment.mjs";
import { serve } from "../../serve.mjs";
import { findBrowser, playwrightFlags } from "../../testing/browser.mjs";
import { type Check, hold } from "../check.ts";
import { type Skyrl, withSkyrl } from "./skyrl.ts";

const STEPS = 8;
const RUN: RunConfigInput = {
  ...{ task: "boxed-arithmetic", algorithm: "grpo", backend: "tinker", checkpoint: "base", loraRank: 8, klCoef: 0.02, learningRate: 1e-3 },
  ...{ promptsPerStep: 4, groupSize: 4, steps: STEPS, evalEvery: 0, evalProblems: 4, evalSamples: 1, maxCompletionTokens: 24 },
};
/** A server compiles what it meets for the first time, for minutes on a busy machine. */
const PATIENCE_MS = 600_000;
const pictures = join(projectRoot, ".cache", "interop", "pictures");

async function takePictures(page: Page, name: string): Promise<void> {
  for (const [width, colorScheme] of [
    [1280, "light"],
    [1280, "dark"],
    [375, "dark"],
  ] as const) {
    await page.setViewportSize({ width, height: 800 });
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    await page.waitForTimeout(300);
    await page.screenshot({ path: join(pictures, `skyrl-${name}-${colorScheme}-${width}.png`) });
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

const facts = (page: Page) => page.evaluate(() => window.rolloutLab.snapshot());

async function until(page: Page, what: string, isThere: (told: Awaited<ReturnType<typeof facts>>) => boolean) {
  for (const begun = performance.now(); performance.now() - begun < PATIENCE_MS; await page.waitForTimeout(500)) {
    const told = await facts(page);
    if (isThere(told)) return told;
    hold(told.state !== "failed", `the run failed: ${told.error}`);
  }
  throw new Error(`the run did not come to ${what} in ${PATIENCE_MS / 60_000} minutes`);
}

async function drive(page: Page, skyrl: Skyrl): Promise<string> {
  const wrong: string[] = [];
  page.on("pageerror", ({ message }) => wrong.push(message));
  await page.evaluate((config) => window.rolloutLab.start(config), RUN);
  await until(page, "its second step", ({ step }) => step >= 2);
  await takePictures(page, "training");
  await skyrl.stop();
  const { reason, step } = await until(page, "a pause", ({ state }) => state === "paused");
  hold(/cannot be reached/.test(reason ?? ""), `the run pauses with the reason "${reason}"`);
  await takePictures(page, "server-gone");
  await skyrl.restart();
  await page.evaluate(() => window.rolloutLab.resume());
  const { metrics } = await until(page, "its end", ({ state }) => state === "finished");
  hold(metrics.length === STEPS, `${metrics.length} steps are told of ${STEPS}`);
  for (const screen of ["train", "rollouts", "explain"]) {
    await page.evaluate((to) => {
      window.location.hash = `#/${to}`;
    }, screen);
    await page.getByText(/^Asking the engine/).waitFor({ state: "hidden" });
    await takePictures(page, `over-${screen}`);
  }
  hold(wrong.length === 0, `the page threw ${wrong[0]}`);
  return `A run of ${STEPS} steps is started on the page and trained on SkyRL. Its server and engine were killed during step ${step + 1}: the run paused ("${reason?.replace(/127\.0\.0\.1:\d+/, "HOST")}"), the server was started again, which has forgotten all but saved weights, and the run went on to its end. No error on the page; pictures of it in light and dark, at 1280 and 375 px, lie in .cache/interop/pictures.`;
}

export const skyrlPage: Check = {
  name: "tinker-page",
  title: "The page drives a run on SkyRL",
  packages: ["skyrl", "jax"],
  run: (interop) =>
    withSkyrl(interop, async (skyrl) => {
      mkdirSync(pictures, { recursive: true });
      const site = await serve({ port: 45_700, host: "localhost", tinker: skyrl.url });
      const executablePath = findBrowser();
      hold(executablePath !== null, "no Chrome, Chromium or Edge found: install one or set CHROME_PATH");
      const browser = await chromium.launch({ executablePath, args: playwrightFlags });
      try {
        const page = await browser.newPage();
        await page.addInitScript(() => {
          localStorage.setItem("rollout-lab-slow-start", "seen");
          localStorage.setItem("rollout-lab-tour", "seen");
        });
        await page.goto(`${site.url}#/train`);
        await page.waitForFunction(() => window.rolloutLab?.snapshot().engine === "ready");
        return await drive(page, skyrl);
      } finally {
        await browser.close();
        site.close();
      }
    }),
};
