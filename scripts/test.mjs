// npm test: installs what is missing, runs every check in order, those that leave a core free beside each other, and adds up the results. Before the end it
// says what was not run, what was skipped and why, what passed only at the second try, and what failed; the last line is "N passed, N failed".
// Usage: npm test -- [--only STEP[,STEP...]] [--list] [--long]; with --long
// slow sweeps are tried in full, what takes minutes is trained, and no test has a second try.
import { parseArgs } from "node:util";
import { installWhatIsMissing, requireNode } from "./environment.mjs";

/** @param {number} sinceMs */
function seconds(sinceMs) {
  return `${((performance.now() - sinceMs) / 1000).toFixed(1)} s`;
}

/** @param {number} passed @param {number} failed @param {number} skipped */
function totalsLine(passed, failed, skipped) {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

/**
 * The steps to run: all, or those named.
 * @param {readonly Step[]} steps
 * @param {string | undefined} only ids with commas between
 */
function chosenSteps(steps, only) {
  if (only === undefined) return steps;
  const ids = only.split(",");
  const unknown = ids.find((id) => !steps.some((step) => step.id === id));
  if (unknown !== undefined) throw new Error(`--only: unknown step "${unknown}"; steps are ${steps.map((step) => step.id).join(", ")}`);
  return steps.filter((step) => ids.includes(step.id));
}

/** @typedef {import("./testing/testSteps.mjs").Step} Step */

/** @param {Step} step @returns {Promise<import("./testing/testSteps.mjs").Totals & { step: Step, line: string }>} */
async function runStep(step) {
  console.log(`\n=== ${step.title} (${step.id})`);
  const start = performance.now();
  const totals = await step.run().catch((error) => {
    console.error(error);
    return { passed: 0, failures: [{ name: "the step itself", reason: String(error) }], skipped: [] };
  });
  const result = totalsLine(totals.passed, totals.failures.length, totals.skipped.length);
  return { ...totals, step, line: `${step.id.padEnd(14)}${seconds(start).padStart(8)}  ${result}` };
}

/**
 * Steps that follow each other are run at once where none of them keeps all cores busy; those say little.
 * @param {readonly Step[]} chosen
 */
function inTurns(chosen) {
  /** @type {Step[][]} */
  const turns = [];
  for (const step of chosen) {
    const before = turns.at(-1);
    if (step.leavesRoom && before?.every(({ leavesRoom }) => leavesRoom)) before.push(step);
    else turns.push([step]);
  }
  return turns;
}

async function main() {
  requireNode();
  const { values } = parseArgs({
    options: { only: { type: "string" }, list: { type: "boolean", default: false }, long: { type: "boolean", default: false } },
  });
  // Tests read it: see test/support/long.ts.
  if (values.long) process.env.TEST_LONG = "1";
  const start = performance.now();
  await installWhatIsMissing({ forTests: true });
  const { skippedLines, steps } = await import("./testing/testSteps.mjs");
  if (values.list) return console.log(steps.map(({ id, title }) => `${id.padEnd(14)}${title}`).join("\n"));
  const total = { passed: 0, failed: 0, skipped: 0 };
  const lines = [];
  const told = [];
  const failureLines = [];
  const chosen = chosenSteps(steps, values.only);
  if (chosen.length < steps.length)
    told.push(
      `not run: ${steps
        .filter((step) => !chosen.includes(step))
        .map(({ id }) => id)
        .join(", ")}`,
    );
  for (const turn of inTurns(chosen))
    for (const { step, line, passed, failures, retried = [], skipped } of await Promise.all(turn.map(runStep))) {
      total.passed += passed;
      total.failed += failures.length;
      total.skipped += skipped.length;
      for (const { name, reason } of skipped) console.log(`skipped: ${name} - ${reason}`);
      told.push(...skippedLines(step.id, skipped));
      for (const { name, reason } of retried) told.push(`passed only at the second try in ${step.id}: ${name} - ${reason}`);
      for (const { name, reason } of failures) failureLines.push(`failed in ${step.id}: ${name} - ${reason}`);
      lines.push(line);
      console.log(line);
    }
  console.log(`\n=== Results\n${lines.join("\n")}\n${"total".padEnd(14)}${seconds(start).padStart(8)}  ${total.skipped} skipped\n`);
  for (const line of [...told, ...failureLines]) console.log(line);
  process.exitCode = total.failed === 0 ? 0 : 1;
  console.log(totalsLine(total.passed, total.failed, 0));
}

main().catch((error) => {
  console.error(error.message);
  console.log("0 passed, 1 failed");
  process.exitCode = 1;
});
