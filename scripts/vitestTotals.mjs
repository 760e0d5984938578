// A Vitest reporter that writes what the test runner adds up: how many tests passed and failed, and
// which were skipped and why. An error outside a test (a file that does not load, a hook that throws)
// counts as a failure of its own.
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";

export default class Totals {
  /** @param {readonly import("vitest/node").TestModule[]} modules @param {readonly unknown[]} unhandled */
  onTestRunEnd(modules, unhandled) {
    const file = process.env.TEST_TOTALS;
    if (!file) throw new Error("TEST_TOTALS must name the file to write");
    const totals = { passed: 0, failed: unhandled.length, skipped: /** @type {{ name: string, reason: string }[]} */ ([]) };
    for (const module of modules) {
      totals.failed += module.errors().length;
      for (const suite of module.children.allSuites()) totals.failed += suite.errors().length;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === "passed") totals.passed += 1;
        else if (state === "failed") totals.failed += 1;
        else totals.skipped.push({ name: test.fullName, reason: reasonOf(test, module) });
      }
    }
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, JSON.stringify(totals));
  }
}

/** @param {import("vitest/node").TestCase} test @param {import("vitest/node").TestModule} module */
function reasonOf(test, module) {
  const result = test.result();
  if (result.state === "skipped" && result.note) return result.note;
  for (let parent = test.parent; parent.type === "suite"; parent = parent.parent)
    if (parent.errors().length > 0) return `"${parent.fullName}" failed before it began`;
  return `the condition of its skipIf in ${module.relativeModuleId} holds here`;
}
