// The steps of npm test, in order. Each resolves to how much passed and failed: a step that runs tests
// counts them, any other counts as one.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { findOrInstallBrowser } from "./browser.mjs";
import { build, buildKernels } from "./build.mjs";
import { projectRoot, runNode } from "./environment.mjs";

/**
 * @typedef {{ name: string, reason: string }} Skipped
 * @typedef {{ passed: number, failed: number, skipped: readonly Skipped[] }} Totals
 * @typedef {{ id: string, title: string, run: () => Promise<Totals> }} Step
 */

/** @param {number} code an exit code @returns {Totals} */
function fromExitCode(code) {
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, skipped: [] };
}

/**
 * Runs a test program and reads the totals it leaves in a file. A program that ends badly with no
 * failed test, leaves no totals or ran nothing is a failure.
 * @param {string} file
 * @param {() => Promise<number>} run resolves to the exit code
 * @param {(json: unknown) => Totals} read
 * @returns {Promise<Totals>}
 */
async function countTests(file, run, read) {
  rmSync(file, { force: true });
  const code = await run();
  if (!existsSync(file)) return { passed: 0, failed: 1, skipped: [] };
  const totals = read(JSON.parse(readFileSync(file, "utf8")));
  const ranNothing = totals.passed + totals.failed === 0;
  return totals.failed === 0 && (code !== 0 || ranNothing) ? { ...totals, failed: 1 } : totals;
}

/** @param {"engine" | "build"} project of vitest.config.ts */
function vitest(project) {
  const file = join(projectRoot, ".cache", `${project}-tests.json`);
  const args = ["run", "--project", project, "--reporter=default", "--reporter=./scripts/vitestTotals.mjs"];
  return countTests(
    file,
    () => runNode("node_modules/vitest/vitest.mjs", args, { TEST_TOTALS: file }),
    (json) => /** @type {Totals} */ (json),
  );
}

/**
 * @typedef {{ type: string, description?: string }} Annotation
 * @typedef {{ title: string, suites?: Suite[], specs?: { title: string, tests: { status: string, annotations: Annotation[] }[] }[] }} Suite
 * @param {Suite} suite
 * @returns {Skipped[]}
 */
function skippedIn(suite) {
  const own = (suite.specs ?? []).flatMap((spec) =>
    spec.tests
      .filter((test) => test.status === "skipped")
      .map((test) => ({
        name: spec.title,
        reason: test.annotations.find(({ type }) => type === "skip")?.description ?? "no reason given",
      })),
  );
  return [...own, ...(suite.suites ?? []).flatMap(skippedIn)];
}

/** @param {unknown} json what Playwright's json reporter writes @returns {Totals} */
function readPlaywright(json) {
  const report = /** @type {{ stats: { expected: number, unexpected: number, flaky: number }, errors: unknown[], suites: Suite[] }} */ (
    json
  );
  const { expected, unexpected, flaky } = report.stats;
  if (flaky > 0) console.log(`${flaky} passed only at the second try`);
  return { passed: expected + flaky, failed: unexpected + report.errors.length, skipped: report.suites.flatMap(skippedIn) };
}

/** A port that nothing listens on, so that two checkouts can be tested at once. @returns {Promise<number>} */
function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer().on("error", reject);
    server.listen(0, "localhost", () => {
      const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());
      server.close(() => resolve(port));
    });
  });
}

/** @type {readonly Step[]} */
export const steps = [
  {
    id: "lint",
    title: "Format and lint",
    run: async () => fromExitCode(await runNode("node_modules/@biomejs/biome/bin/biome", ["ci", "--error-on-warnings"])),
  },
  {
    id: "types",
    title: "Types of everything",
    run: async () => fromExitCode(await runNode("node_modules/typescript/bin/tsc", ["-p", "tsconfig.json"])),
  },
  {
    id: "engine-types",
    title: "Types of the engine without a DOM",
    run: async () => fromExitCode(await runNode("node_modules/typescript/bin/tsc", ["-p", "tsconfig.engine.json"])),
  },
  { id: "kernels", title: "WASM kernels", run: async () => fromExitCode(await buildKernels()) },
  {
    id: "unit",
    title: "Layers, units and kernels",
    run: async () => {
      // The software adapter that WebGPU tests run on in Node comes with the browser.
      await findOrInstallBrowser();
      return vitest("engine");
    },
  },
  { id: "build", title: "Production build", run: async () => fromExitCode(await build()) },
  { id: "bundle", title: "What the build ships", run: () => vitest("build") },
  {
    id: "browser",
    title: "The page in a browser",
    run: async () => {
      if (!(await findOrInstallBrowser())) {
        console.error("No Chrome, Chromium or Edge found: install one, or set CHROME_PATH to its program.");
        return fromExitCode(1);
      }
      const file = join(projectRoot, ".cache", "browser-tests.json");
      const variables = { TEST_PORT: String(await freePort()) };
      return countTests(file, () => runNode("node_modules/@playwright/test/cli.js", ["test"], variables), readPlaywright);
    },
  },
];
