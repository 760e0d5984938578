// The last step of npm test: trains two small configurations with the built command line, as somebody with a fresh clone would,
// and writes what they came to. It fails where one of them is no better than it began, or does not begin where its file says.
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { projectRoot } from "../environment.mjs";

const PROGRAM = join(projectRoot, "dist-cli", "bin", "rollout-lab.js");
/**
 * Of a table the whole run; of the transformer so many steps that its rise lies above chance.
 * @type {readonly Run[]}
 */
const RUNS = [
  { config: "digit-sum", settings: [] },
  { config: "boxed-arithmetic", settings: ["steps=20", "evalEvery=20"], said: { sampled: 0.25, greedy: 0.44, gain: 0.15 } },
];

/**
 * @typedef {{ config: string, settings: readonly string[], said?: Said }} Run
 * @typedef {{ sampled: number, greedy: number, gain: number }} Said where a configuration's file says that it starts, within 0.05, and more than which it gains
 * @typedef {{ steps: number, accuracy: number, accuracyInterval: readonly [number, number], lift: number, liftInterval: readonly [number, number], greedy: { accuracy: number, lift: number }, seconds: number, verdict: string }} Summary
 */

const NEAR = 0.05;

/**
 * What a run did not hold; empty where it held all.
 * @param {Run["said"]} said
 * @param {Pick<Summary, "accuracy" | "lift" | "liftInterval" | "greedy">} summary
 */
export function unheld(said, { accuracy, lift, liftInterval, greedy }) {
  const reasons = liftInterval[0] > 0 ? [] : [`its lift may be ${percent(liftInterval[0])}`];
  if (!said) return reasons;
  for (const [what, started, expected] of /** @type {const} */ ([
    ["sampled", accuracy - lift, said.sampled],
    ["greedy", greedy.accuracy - greedy.lift, said.greedy],
  ]))
    if (Math.abs(started - expected) >= NEAR)
      reasons.push(`it starts at ${percent(started)} right (${what}), not near ${percent(expected)}`);
  if (lift <= said.gain) reasons.push(`it gained ${percent(lift)}, not more than ${percent(said.gain)}`);
  return reasons;
}

/** @param {number} share */
const percent = (share) => `${(100 * share).toFixed(1)} %`;

/**
 * One line of the report.
 * @param {string} config
 * @param {Omit<Summary, "greedy">} summary
 */
export function reportLine(config, { steps, accuracy, accuracyInterval, lift, liftInterval, seconds, verdict }) {
  const points = liftInterval.map((share) => (100 * share).toFixed(1)).join(" to ");
  const from = `${percent(accuracy - lift)} -> ${percent(accuracy)} (${accuracyInterval.map(percent).join(" to ")})`;
  return `${config.padEnd(18)}${String(steps).padStart(4)} steps  accuracy ${from}, lift ${points} points  ${seconds.toFixed(1)} s  ${verdict}`;
}

/** Trains and reports. @returns {Promise<{ passed: number, failures: { name: string, reason: string }[], skipped: [] }>} */
export async function learningReport() {
  const folder = mkdtempSync(join(tmpdir(), "learning-"));
  const failures = [];
  try {
    for (const { config, settings, said } of RUNS) {
      const file = join(projectRoot, "configs", `${config}.yaml`);
      const set = settings.flatMap((each) => ["--set", each]);
      const words = [PROGRAM, "train", file, ...set, "--out", join(folder, config), "--json"];
      const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: folder, encoding: "utf8", timeout: 300_000 });
      const summary = /** @type {Summary} */ (JSON.parse(stdout));
      console.log(reportLine(config, summary));
      const reasons = unheld(said, summary);
      if (reasons.length > 0) failures.push({ name: config, reason: reasons.join("; ") });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { passed: RUNS.length - failures.length, failures, skipped: [] };
}
