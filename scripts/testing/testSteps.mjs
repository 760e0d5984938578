// The steps of npm test, in order. Each resolves to how much passed and failed: a step that runs tests
// counts them, any other counts as one.
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { build, buildKernels } from "../build.mjs";
import { projectRoot, runNode } from "../environment.mjs";
import { findOrInstallBrowser } from "./browser.mjs";
import { learningReport } from "./learningReport.mjs";

/**
 * @typedef {{ name: string, reason: string }} Told
 * @typedef {{ passed: number, failures: readonly Told[], retried?: readonly Told[], skipped: readonly Told[] }} Totals
 * @typedef {{ id: string, title: string, leavesRoom?: boolean, run: () => Promise<Totals> }} Step one that leaves room leaves a core free for part of its time
 */

/**
 * What a step skipped, in a line for each reason.
 * @param {string} id the step's
 * @param {readonly Told[]} skipped
 */
export function skippedLines(id, skipped) {
  const reasons = [...new Set(skipped.map(({ reason }) => reason))];
  return reasons.map((reason) => {
    const names = skipped.filter((one) => one.reason === reason).map(({ name }) => name);
    return `skipped in ${id}: ${names.length === 1 ? names[0] : `${names.length} tests, ${names[0]} first`} - ${reason}`;
  });
}

/** @param {string} reason @returns {Totals} one failure */
function failed(reason) {
  return { passed: 0, failures: [{ name: "the step itself", reason }], skipped: [] };
}

/** @param {number} code an exit code @returns {Totals} */
function fromExitCode(code) {
  return code === 0 ? { passed: 1, failures: [], skipped: [] } : failed(`it ended with exit code ${code}`);
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
  if (!existsSync(file)) return failed(`it ended with exit code ${code} and left no totals`);
  const totals = read(JSON.parse(readFileSync(file, "utf8")));
  if (totals.failures.length > 0) return totals;
  if (code !== 0) return { ...totals, failures: failed(`it ended with exit code ${code}`).failures };
  return totals.passed === 0 && totals.skipped.length === 0 ? { ...totals, failures: failed("it ran no test").failures } : totals;
}

/**
 * @param {"unit" | "bundle" | "others"} step
 * @param {readonly ("engine" | "gpu" | "pure" | "build" | "browsers")[]} projects of vitest.config.ts
 * @param {Record<string, string>} [variables] of its environment
 */
function vitest(step, projects, variables = {}) {
  const file = join(projectRoot, ".cache", `${step}-tests.json`);
  const chosen = projects.flatMap((project) => ["--project", project]);
  const args = ["run", ...chosen, "--reporter=default", "--reporter=./scripts/testing/vitestTotals.mjs"];
  return countTests(
    file,
    () => runNode("node_modules/vitest/vitest.mjs", args, { TEST_TOTALS: file, ...variables }),
    (json) => /** @type {Totals} */ (json),
  );
}

/**
 * @typedef {{ title: string, tests: PlaywrightTest[] }} Spec
 * @typedef {{ status: string, annotations: { type: string, description?: string }[], results: { errors?: { message?: string }[] }[] }} PlaywrightTest
 * @typedef {{ title: string, suites?: Suite[], specs?: Spec[] }} Suite
 * @param {readonly Suite[]} suites
 * @param {string} status
 * @param {(test: PlaywrightTest) => string | undefined} reason
 * @returns {Told[]} the tests of that status
 */
function testsThatAre(suites, status, reason) {
  return suites.flatMap((suite) => [
    ...(suite.specs ?? []).flatMap(({ title, tests }) =>
      tests
        .filter((test) => test.status === status)
        .map((test) => ({
          name: `${suite.title} > ${title}`,
          reason: reason(test) ?? "not run, since a test before it in its file failed",
        })),
    ),
    ...testsThatAre(suite.suites ?? [], status, reason),
  ]);
}

/** @param {unknown} json what Playwright's json reporter writes @returns {Totals} */
function readPlaywright(json) {
  const report = /** @type {{ stats: { expected: number, flaky: number }, errors: { message?: string }[], suites: Suite[] }} */ (json);
  const { expected, flaky } = report.stats;
  /** @param {PlaywrightTest} test */
  const message = (test) =>
    test.results
      .flatMap(({ errors }) => errors ?? [])[0]
      ?.message?.split("\n", 8)
      .join(" ");
  return {
    passed: expected + flaky,
    failures: [
      ...report.errors.map((error) => ({ name: "an error outside any test", reason: error.message ?? "" })),
      ...testsThatAre(report.suites, "unexpected", message),
    ],
    retried: testsThatAre(report.suites, "flaky", message),
    skipped: testsThatAre(report.suites, "skipped", (test) => test.annotations.find(({ type }) => type === "skip")?.description),
  };
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

/**
 * @param {"browser" | "start"} step
 * @param {readonly ("desktop" | "phone" | "alone")[]} projects of playwright.config.ts
 */
async function playwright(step, projects) {
  if (!(await findOrInstallBrowser())) {
    console.error("No Chrome, Chromium or Edge found: install one, or set CHROME_PATH to its program.");
    return fromExitCode(1);
  }
  const file = join(projectRoot, ".cache", `${step}-tests.json`);
  const variables = { TEST_PORT: String(await freePort()), TEST_REPORT: file };
  const args = ["test", `--output=test-results/${step}`, ...projects.map((project) => `--project=${project}`)];
  return countTests(file, () => runNode("node_modules/@playwright/test/cli.js", args, variables), readPlaywright);
}

/** @type {readonly Step[]} */
export const steps = [
  {
    id: "lint",
    title: "Format and lint",
    leavesRoom: true,
    run: async () => fromExitCode(await runNode("node_modules/@biomejs/biome/bin/biome", ["ci", "--error-on-warnings"])),
  },
  {
    id: "types",
    title: "Types of everything",
    leavesRoom: true,
    // Whole: what an earlier check has kept can hide that a module no longer fits the one that it imports.
    run: async () => fromExitCode(await runNode("node_modules/typescript/bin/tsc", ["-p", "tsconfig.json", "--incremental", "false"])),
  },
  {
    id: "engine-types",
    title: "Types of the engine without a DOM",
    leavesRoom: true,
    run: async () =>
      fromExitCode(await runNode("node_modules/typescript/bin/tsc", ["-p", "tsconfig.engine.json", "--incremental", "false"])),
  },
  { id: "kernels", title: "WASM kernels", leavesRoom: true, run: async () => fromExitCode(await buildKernels()) },
  {
    id: "unit",
    title: "Layers, units and kernels",
    run: async () => {
      // The software adapter that WebGPU tests run on in Node comes with the browser.
      await findOrInstallBrowser();
      return vitest("unit", ["engine", "gpu", "pure"]);
    },
  },
  { id: "build", title: "Production build", run: async () => fromExitCode(await build()) },
  // Programs that are started wait for a tenth of their time: for a server that is away, a limit, a signal to be heard. (--maxWorkers
  // does not reach a project, whose own number goes first.)
  { id: "bundle", title: "What the build ships", run: () => vitest("bundle", ["build"], { VITEST_MAX_WORKERS: "3" }) },
  { id: "browser", title: "The page in a browser", run: () => playwright("browser", ["desktop", "phone"]) },
  // It has the machine to itself: beside other browsers a task of 37 ms was measured as 53.
  { id: "start", title: "How soon the page starts", run: () => playwright("start", ["alone"]) },
  { id: "others", title: "The page in Firefox and WebKit", leavesRoom: true, run: () => vitest("others", ["browsers"]) },
  { id: "learning", title: "What small runs learn", leavesRoom: true, run: learningReport },
];
