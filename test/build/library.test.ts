// The library as others get it: the examples with the built files, and a packed package in an empty project, in
// Node and in a browser's worker.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { chromium } from "@playwright/test";
import { afterAll, describe, expect, it } from "vitest";
import { buildTypes } from "../../scripts/build/buildLibrary.mjs";
import { serve } from "../../scripts/serve.mjs";
import { findBrowser, playwrightFlags } from "../../scripts/testing/browser.mjs";
import { createNodeHost } from "../../src/cli/nodeHost.ts";
import { trainRun } from "../../src/library/trainRun.ts";
import { temporaryFolder } from "./cli/program.ts";

const execute = promisify(execFile);
const root = join(import.meta.dirname, "..", "..");
const folder = temporaryFolder();
afterAll(folder.remove);

describe("examples", () => {
  it.each([
    ["boxedArithmetic", ["1"], /after 1: sampled \d+ % .*\n {2}pass@1 \d+ %, pass@2 \d+ %, pass@4/],
    ["searchAgent", ["1", "1"], /Rewards alone[\s\S]*A conversation of the last step:\n {2}assistant: /],
    ["ownTask", ["1"], /tries \d\.\d+ .*\nright at the first try: \d+ % before, \d+ % after/],
    ["ownLoop", ["2"], /step 2 {2}reward 0\.\d+ {2}gradient norm \d/],
    ["routerR1", ["1"], /expert: [\s\S]*reward -?\d.*router/],
    ["toolTask", ["1", "1"], /Worked conversations[\s\S]*after 1 steps: right \d+ %\n {2}assistant: /],
    ["twoAgents", ["1"], /Trained: checker[\s\S]*a conversation: solver .*\| checker/],
  ] as const)("%s runs and tells what it says it does", async (name, args, told) => {
    const { stdout } = await execute(process.execPath, [join(root, "examples", `${name}.mjs`), ...args], { cwd: folder.path });
    expect(stdout).toMatch(told);
  });

  it("stand on the public names alone, in fewer than 120 lines", () => {
    for (const name of readdirSync(join(root, "examples")).filter((each) => each.endsWith(".mjs"))) {
      const text = readFileSync(join(root, "examples", name), "utf8");
      expect(text.split("\n").length, name).toBeLessThan(120);
      for (const [, from] of text.matchAll(/from "([^"]+)"/g)) expect(from, name).toMatch(/^(rollout-lab(\/node)?|zod|node:.*)$/);
    }
  });
});

const TABLE = { task: "digit-sum", model: "tabular", algorithm: "builtin", steps: 3, evalEvery: 0 } as const;
const NETWORK = {
  model: "transformer",
  algorithm: "grpo",
  backend: "wasm",
  hiddenSize: 16,
  layers: 1,
  heads: 2,
  kvHeads: 2,
  intermediateSize: 16,
} as const;

/** A pattern that backtracks for ever on what is answered: no conversation gets its verdict, and the step is not taken. */
const STUCK = {
  ...{ ...TABLE, steps: 1, groupSize: 2, promptsPerStep: 1, evalProblems: 1, evalSamples: 1, taskOptions: { length: 16 } },
  rewardRules: { pattern: { pattern: "^((((((\\d+)+)+)+)+)+)+x$" } },
};

/** What the page of a finished build hears from its worker, in a real browser. */
async function toldByPage(built: string): Promise<unknown> {
  const server = await serve({ port: 45_210, host: "localhost", folder: built });
  const browser = await chromium.launch({ executablePath: findBrowser() ?? "", args: playwrightFlags });
  try {
    const page = await browser.newPage();
    await page.goto(server.url);
    return await page.evaluate(() => (window as unknown as { readonly told: Promise<unknown> }).told);
  } finally {
    await browser.close();
    server.close();
  }
}

it("its declarations are enough for a program that compiles without the DOM, and with it", async () => {
  expect(await buildTypes()).toBe(0);
  const project = mkdtempSync(join(folder.path, "types-"));
  mkdirSync(join(project, "node_modules"));
  for (const [name, path] of [
    ["rollout-lab", root],
    ["zod", join(root, "node_modules/zod")],
  ] as const)
    symlinkSync(path, join(project, "node_modules", name), "junction");
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(
    join(project, "main.ts"),
    `import { trainRun, type EvaluationRecord } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";
const run = await trainRun({ task: "digit-sum" }, createNodeHost());
export const last: EvaluationRecord | undefined = run.evaluations.at(-1);
`,
  );
  for (const lib of [["ES2023"], ["ES2023", "DOM"]]) {
    const options = { lib, types: [], target: "ES2023", module: "NodeNext", strict: true, noEmit: true, skipLibCheck: false };
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions: { ...options, preserveSymlinks: true }, files: ["main.ts"] }),
    );
    const { stdout } = await execute(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", project]).catch(
      (error) => error,
    );
    expect(stdout).toBe("");
  }
}, 120_000);

it("a packed package installs into an empty project, trains in Node and, bundled, in a browser's worker with the same rewards", async () => {
  const project = mkdtempSync(join(folder.path, "project-"));
  writeFileSync(join(project, "package.json"), JSON.stringify({ name: "empty", private: true, type: "module" }));
  const npm = (...args: string[]) => execute("npm", args, { cwd: project });
  // The one package it needs is packed from here, so that nothing is fetched.
  const packed = await npm("pack", "--silent", "--ignore-scripts", root, join(root, "node_modules", "zod"));
  for (const name of readdirSync(project)) expect(statSync(join(project, name)).size, name).toBeLessThan(16.6e6);
  const files = packed.stdout.trim().split("\n");
  await npm("install", "--offline", "--ignore-scripts", "--no-audit", "--no-fund", ...files.map((file) => `./${file}`));

  writeFileSync(
    join(project, "train.mjs"),
    `import { trainRun } from "rollout-lab";
import { createNodeHost } from "rollout-lab/node";
const { steps } = await trainRun({ task: "boxed-arithmetic", steps: 1, evalEvery: 0, promptsPerStep: 2, groupSize: 2 }, createNodeHost());
console.log(steps.length);
process.exit(0);`,
  );
  expect((await execute(process.execPath, ["train.mjs"], { cwd: project })).stdout).toBe("1\n");
  const version = await execute(process.execPath, [join("node_modules", ".bin", "rollout-lab"), "version"], { cwd: project });
  expect(version.stdout).toMatch(/^rollout-lab \d/);
  // Data in Parquet, packed as the hub's is, with nothing but what was installed.
  cpSync(join(root, "test/cli/data/sums.zstd.parquet"), join(project, "sums.parquet"));
  const data = {
    data: { file: "sums.parquet", question: "prompt", answer: "result" },
    steps: 1,
    evalEvery: 0,
    promptsPerStep: 1,
    groupSize: 2,
  };
  writeFileSync(join(project, "sums.json"), JSON.stringify(data));
  const trained = await execute(process.execPath, [join("node_modules", ".bin", "rollout-lab"), "train", "sums.json", "--json"], {
    cwd: project,
  });
  expect(JSON.parse(trained.stdout)).toMatchObject({ steps: 1 });

  writeFileSync(
    join(project, "index.html"),
    `<script type="module">
const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module" });
window.told = new Promise((resolve) => worker.addEventListener("message", ({ data }) => resolve(data)));
</script>`,
  );
  writeFileSync(
    join(project, "worker.js"),
    `import { trainRun } from "rollout-lab";
import { createBrowserHost } from "rollout-lab/browser";
const table = ${JSON.stringify(TABLE)};
const network = { ...table, ...${JSON.stringify(NETWORK)} };
const rewards = (config) =>
  trainRun(config, createBrowserHost("/lab/")).then(({ steps }) => steps.map(({ metrics }) => metrics.reward), ({ message }) => message);
Promise.all([table, network, ${JSON.stringify(STUCK)}].map(rewards)).then(postMessage, (error) => postMessage(String(error)));`,
  );
  // As the documents say it.
  const settings = /<!-- vite\.config\.js -->\s+```js\n([\s\S]*?)```/.exec(readFileSync(join(root, "docs/library.md"), "utf8"))?.[1];
  writeFileSync(join(project, "vite.config.js"), settings ?? "nothing is said of Vite");
  for (const part of ["kernels", "sandbox"])
    cpSync(join(project, "node_modules/rollout-lab/public", part), join(project, "public/lab", part), { recursive: true });
  await execute(process.execPath, [join(root, "node_modules/vite/bin/vite.js"), "build", "--logLevel", "warn"], { cwd: project });
  const rewards = await Promise.all(
    [TABLE, { ...TABLE, ...NETWORK }, STUCK].map((config) =>
      trainRun(config, createNodeHost()).then(
        ({ steps }) => steps.map(({ metrics }) => metrics.reward),
        ({ message }) => message,
      ),
    ),
  );
  expect(rewards.at(-1)).toBe("2 of 2 conversations could not be scored in full: pattern: computed longer than 50 ms");
  expect(await toldByPage(join(project, "dist"))).toEqual(rewards);
}, 240_000);
