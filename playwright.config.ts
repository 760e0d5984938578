// Tests in a real browser against the built page, at desktop and phone widths.
import { defineConfig } from "@playwright/test";
import { findBrowser, playwrightFlags } from "./scripts/testing/browser.mjs";

const port = Number(process.env.TEST_PORT ?? 4391);
const executablePath = findBrowser();
if (!executablePath) throw new Error("No Chrome, Chromium or Edge found: install one or set CHROME_PATH");

const alone = "**/start.spec.ts";
const desktop = { viewport: { width: 1280, height: 800 } };

export default defineConfig({
  testDir: "test/browser",
  testMatch: "**/*.spec.ts",
  outputDir: "test-results",
  // One more than the cores that npm test is meant for: a test waits for a quarter of its time, for a server, a clock or a frame. With two
  // more the whole suite took as long, and storage answered so late that a step was told before it was kept.
  workers: 3,
  // Test by test, so that no worker is left with a long file at the end.
  fullyParallel: true,
  // A browser on a busy machine can miss a moment: what needed a second try is named at the end of npm test, and fails
  // the long run.
  retries: process.env.TEST_LONG === "1" ? 0 : 1,
  forbidOnly: true,
  // No measure of anything: what measures how long the page takes has a bound of its own.
  timeout: 120_000,
  // A machine that does other things as well draws late; what is waited for is still what is checked.
  expect: { timeout: 15_000 },
  reporter: [["list"], ["json", { outputFile: process.env.TEST_REPORT ?? ".cache/browser-tests.json" }]],
  use: {
    baseURL: `http://localhost:${port}/`,
    launchOptions: { executablePath, args: playwrightFlags },
    screenshot: "only-on-failure",
    // Those of offline.spec.ts alone keep the page: it would be fetched whole in every other test, and hide requests from them.
    serviceWorkers: "block",
  },
  // Tests run on the desktop; those tagged @phone only at phone width, those tagged @both at both. What measures how
  // long the page takes goes one by one, and in npm test after the others.
  projects: [
    { name: "desktop", testIgnore: alone, grepInvert: /@phone/, use: desktop },
    {
      name: "phone",
      testIgnore: alone,
      grep: /@phone|@both/,
      use: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true },
    },
    { name: "alone", testMatch: alone, workers: 1, use: desktop },
  ],
  webServer: {
    command: `node scripts/serve.mjs --port ${port} --strict-port`,
    url: `http://localhost:${port}/`,
    reuseExistingServer: false,
    timeout: 30_000,
  },
});
