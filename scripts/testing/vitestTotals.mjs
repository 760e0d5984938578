// A Vitest reporter that writes what the test runner adds up: how many tests passed, which failed with
// what message, which passed only at the second try, and which were skipped and why. An error outside a test (a file that does not load, a
// hook that throws) counts as a failure of its own.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export default class Totals {
  /** @param {readonly import("vitest/node").TestModule[]} modules @param {readonly unknown[]} unhandled */
  onTestRunEnd(modules, unhandled) {
    const file = process.env.TEST_TOTALS;
    if (!file) throw new Error("TEST_TOTALS must name the file to write");
    const totals = {
      passed: 0,
      failures: unhandled.map((error) => failure("an error outside any test", [error])),
      retried: /** @type {Told[]} */ ([]),
      skipped: /** @type {Told[]} */ ([]),
    };
    for (const module of modules) {
      for (const error of module.errors()) totals.failures.push(failure(module.relativeModuleId, [error]));
      for (const suite of module.children.allSuites())
        for (const error of suite.errors()) totals.failures.push(failure(suite.fullName, [error]));
      for (const test of module.children.allTests()) addTest(totals, test, module);
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(totals));
  }
}

/**
 * @typedef {{ name: string, reason: string }} Told
 * @param {{ passed: number, failures: Told[], retried: Told[], skipped: Told[] }} totals
 * @param {import("vitest/node").TestCase} test
 * @param {import("vitest/node").TestModule} module
 */
function addTest(totals, test, module) {
  const { state, errors } = test.result();
  const name = `${module.relativeModuleId} > ${test.fullName}`;
  if (state === "failed") totals.failures.push(failure(name, errors ?? []));
  else if (state !== "passed") totals.skipped.push({ name: test.fullName, reason: reasonOf(test, module) });
  else {
    totals.passed += 1;
    if (test.diagnostic()?.flaky) totals.retried.push(failure(name, errors ?? []));
  }
}

/** @param {string} name @param {readonly unknown[]} errors */
function failure(name, errors) {
  const messages = errors.map((error) => String(/** @type {{ message?: unknown }} */ (error)?.message ?? error));
  return { name, reason: messages.join("; ").split("\n", 6).join(" ") };
}

/** @param {import("vitest/node").TestCase} test @param {import("vitest/node").TestModule} module */
function reasonOf(test, module) {
  const result = test.result();
  if (result.state === "skipped" && result.note) return result.note;
  // skipIf takes no reason, so a title may end in it.
  /** @param {string} title */
  const told = (title) => /\(skipped: (.*)\)$/.exec(title)?.[1];
  const own = told(test.name);
  if (own) return own;
  for (let parent = test.parent; parent.type === "suite"; parent = parent.parent) {
    if (parent.errors().length > 0) return `"${parent.fullName}" failed before it began`;
    const reason = told(parent.name);
    if (reason) return reason;
  }
  return `the condition of its skipIf in ${module.relativeModuleId} holds here`;
}
