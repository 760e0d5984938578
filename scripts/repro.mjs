// npm run repro [-- --steps 20]: trains the same configurations from the same seeds twice on the command line and
// twice on the page, in a browser without a window, and compares every metric, evaluation and baseline of every
// step to the bit. Needs a build (npm run build). Ends with 1 where anything differs.
import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs, promisify } from "node:util";
import { chromium } from "@playwright/test";
import { projectRoot } from "./environment.mjs";
import { serve } from "./serve.mjs";
import { findBrowser, playwrightFlags } from "./testing/browser.mjs";

/**
 * @typedef {Readonly<Record<string, unknown>>} Config what differs from the defaults
 * @typedef {{ step: number, metrics: Record<string, number | null> }} Step
 * @typedef {{ step: number } & Record<string, unknown>} Judged an evaluation or baseline
 * @typedef {{ steps: readonly Step[], evaluations: readonly Judged[], baselines: readonly Judged[] }} Recorded
 */

const small = { model: "transformer", startFrom: "random", hiddenSize: 16, layers: 1, heads: 2, kvHeads: 2, intermediateSize: 32 };

/** Draws, and takes functions whose last bit a language leaves open. */
const OWN_REWARD = `export function reward({ text }, { options, random }) {
  return Math.exp(-options.rate * text.length) + Math.sin(Number(text) || text.length) + random.uniform();
}`;

/** Draws between the turns of a conversation. */
const OWN_ENVIRONMENT = `export function step({ text, turn }, { random }) {
  if (turn < 1) return { say: "and " + random.below(90) + "?" };
  return { done: true, reward: Math.sin(text.length) };
}`;
const OWN_PROBLEMS = [3, 5, 8, 13, 21, 34].map((n) => ({ question: `What is ${n} + ${n}?`, answer: String(2 * n) }));

/** @type {readonly { name: string, config: Config }[]} */
const cases = [
  { name: "logits table", config: { task: "digit-sum", model: "tabular", algorithm: "builtin", seed: 5 } },
  {
    name: "logits table, GRPO with KL and Adam",
    config: { task: "digit-sum", model: "tabular", algorithm: "grpo", optimizer: "adamw", klCoef: 0.05, innerEpochs: 2, seed: 6 },
  },
  {
    name: "transformer from random weights",
    config: { task: "digit-sum", ...small, algorithm: "grpo", klCoef: 0.02, innerEpochs: 2, learningRate: 3e-3, seed: 5 },
  },
  {
    name: "transformer with a critic, cosine schedule",
    config: { task: "digit-sum", ...small, algorithm: "ppo", learningRate: 3e-3, schedule: "cosine", seed: 7 },
  },
  { name: "boxed arithmetic from its checkpoint", config: { task: "boxed-arithmetic", promptsPerStep: 4, evalProblems: 16, seed: 1 } },
  { name: "calculator, with a tool", config: { task: "calculator", promptsPerStep: 2, groupSize: 4, evalProblems: 8, seed: 1 } },
  {
    name: "a reward of one's own, changed on the way",
    config: {
      ...{ task: "digit-sum", model: "tabular", algorithm: "builtin", seed: 3, rewardWeights: { sumCloseness: 0 } },
      customRewards: { mine: { source: OWN_REWARD, options: { rate: 0.3 } } },
      changes: [{ afterStep: 2, settings: { customRewards: { mine: { source: OWN_REWARD, options: { rate: 0.7 } } } } }],
    },
  },
  {
    name: "prompts, an environment, a reward and a judge of one's own",
    config: {
      ...{ task: "twice", checkpoint: "base", promptsPerStep: 2, groupSize: 4, evalProblems: 2, evalSamples: 1, seed: 4 },
      customTasks: { twice: { problems: OWN_PROBLEMS, environment: { source: OWN_ENVIRONMENT } } },
      customRewards: { mine: { source: OWN_REWARD, options: { rate: 0.3 } } },
      judges: { start: { prompt: "{question} {text}", scale: { 1: 1, 0: 0 } } },
    },
  },
];

/**
 * Ends of the paths of what is measured of the machine, by a clock or its counters, whole names: "sentiment" has a time in it and none is
 * meant. What judges were asked is beside them: a page keeps their verdicts, which spare its next run the asking.
 */
const OF_TIME =
  / (step_time|time\/(sample|score|advantage|update)|perf\/(sample|train)_tokens_per_second|resources\/(memory_bytes|cpu_seconds)|judge\/\w+|elapsedMs)$/;

/** @param {string} text a file of JSON lines */
const linesOf = (text) =>
  text
    .trim()
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));

/**
 * Trains on the built command line.
 * @param {Config} config
 * @param {string} folder where the run may lie
 * @returns {Promise<Recorded>}
 */
async function onCommandLine(config, folder) {
  const file = join(folder, "config.json");
  const out = join(folder, "run");
  rmSync(out, { recursive: true, force: true });
  writeFileSync(file, JSON.stringify(config));
  await promisify(execFile)(process.execPath, [join(projectRoot, "dist-cli/bin/rollout-lab.js"), "train", file, "--out", out, "--json"]);
  const steps = linesOf(readFileSync(join(out, "metrics.jsonl"), "utf8")).map(({ step, ...metrics }) => ({ step, metrics }));
  const judged = linesOf(readFileSync(join(out, "evaluations.jsonl"), "utf8"));
  /** @param {string} type */
  const ofType = (type) => judged.filter((line) => line.type === type).map(({ record }) => record);
  return { steps, evaluations: ofType("evaluation"), baselines: ofType("baseline") };
}

/**
 * Trains on the page.
 * @param {Config} config
 * @param {import("@playwright/test").Page} page
 * @returns {Promise<Recorded>}
 */
async function onPage(config, page) {
  await page.evaluate(async (given) => {
    const lab = /** @type {any} */ (window).rolloutLab;
    /** @type {Promise<void>} */
    const ended = new Promise((resolve, reject) => {
      lab.on((/** @type {any} */ event) => {
        if (event.type === "state" && event.state === "finished") resolve();
        if (event.type === "error") reject(new Error(event.message));
      });
    });
    await lab.start(given);
    await ended;
  }, config);
  // As JSON, like the command line's files: what is no number is null there.
  const text = await page.evaluate(() => {
    const { metrics, evaluations, baselines } = /** @type {any} */ (window).rolloutLab.snapshot();
    return JSON.stringify({ steps: metrics, evaluations, baselines });
  });
  return JSON.parse(text);
}

/**
 * Every number, text and truth of what a run has recorded, by where it stands, without those that measure time.
 * @param {Recorded} recorded
 * @returns {Map<string, unknown>}
 */
function valuesOf(recorded) {
  const found = new Map();
  /** @param {string} path @param {unknown} value */
  const walk = (path, value) => {
    if (OF_TIME.test(path)) return;
    if (typeof value === "object" && value !== null) for (const [key, inner] of Object.entries(value)) walk(`${path} ${key}`, inner);
    else found.set(path, value);
  };
  for (const { step, metrics } of recorded.steps) walk(`step ${step}`, metrics);
  for (const kind of /** @type {const} */ (["evaluations", "baselines"])) walk(kind, recorded[kind]);
  return found;
}

/**
 * Where two recorded runs differ in any bit.
 * @param {Recorded} a @param {Recorded} b
 */
function differences(a, b) {
  const [here, there] = [valuesOf(a), valuesOf(b)];
  const paths = [...new Set([...here.keys(), ...there.keys()])];
  return paths
    .filter((path) => !Object.is(here.get(path), there.get(path)))
    .map((path) => `${path}: ${here.get(path)} and ${there.get(path)}`);
}

const { values: options } = parseArgs({ options: { steps: { type: "string", default: "20" } } });
const steps = Number(options.steps);
if (!Number.isInteger(steps) || steps < 1) throw new Error(`--steps must be a whole number >= 1, got ${options.steps}`);

for (const part of ["dist/index.html", "dist-cli/bin/rollout-lab.js"])
  if (!existsSync(join(projectRoot, part))) throw new Error(`${part} is missing: run npm run build first`);
const executablePath = findBrowser();
if (!executablePath) throw new Error("No Chrome, Chromium or Edge found: install one or set CHROME_PATH");
const folder = mkdtempSync(join(tmpdir(), "rollout-lab-repro-"));
const server = await serve({ port: 4373, host: "localhost" });
const browser = await chromium.launch({ executablePath, args: playwrightFlags });
let differ = 0;
try {
  console.log(`Node ${process.version} (V8 ${process.versions.v8}) and Chromium ${browser.version()}, ${steps} steps each`);
  const page = await browser.newPage();
  await page.addInitScript(
    (read) => {
      localStorage.setItem("rollout-lab-slow-start", "seen");
      localStorage.setItem("rollout-lab-read-code", JSON.stringify(read));
    },
    [OWN_REWARD, OWN_ENVIRONMENT],
  );
  await page.goto(server.url);
  await page.waitForFunction(() => /** @type {any} */ (window).rolloutLab?.snapshot().engine === "ready");
  for (const { name, config } of cases) {
    const whole = { ...config, steps, evalEvery: Math.ceil(steps / 2), backend: config.model === "tabular" ? "auto" : "wasm" };
    const [line, again] = [await onCommandLine(whole, folder), await onCommandLine(whole, folder)];
    const [shown, shownAgain] = [await onPage(whole, page), await onPage(whole, page)];
    const told = [
      ["run to run on the command line", differences(line, again)],
      ["run to run on the page", differences(shown, shownAgain)],
      ["page against command line", differences(shown, line)],
    ];
    console.log(`${name}: ${valuesOf(line).size} values of ${line.steps.length} steps, ${line.evaluations.length} evaluations`);
    for (const [what, found] of told) {
      console.log(`  ${what}: ${found.length === 0 ? "the same, to the bit" : `${found.length} differ, first ${found[0]}`}`);
      differ += found.length;
    }
  }
} finally {
  await browser.close();
  server.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(differ === 0 ? 0 : 1);
