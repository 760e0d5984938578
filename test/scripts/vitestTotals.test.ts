// The last line of npm test rests on this count, so it is tried on a run that fails in every way.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");

const TESTS = `
import { beforeAll, describe, expect, it } from "vitest";
describe("hook", () => { beforeAll(() => { throw new Error("broken hook"); }); it("never begins", () => {}); });
describe.skipIf(true)("condition", () => { it("is not met", () => {}); });
describe.skipIf(true)("thing (skipped: no thing (of any kind))", () => { describe("part", () => { it("is not there", () => {}); }); });
it("says why", (context) => context.skip("needs a thing"));
it.skipIf(true)("is alone (skipped: no other)", () => {});
let tries = 0;
it("passes at the second try", { retry: 1 }, () => expect(++tries).toBe(2));
it("passes", () => expect(1).toBe(1));
it("fails", () => expect(1).toBe(2));
it("leaves a promise", () => { Promise.reject(new Error("loose")); });
`;

it("counts tests, second tries, broken hooks, files that do not load and loose errors, and says why tests were skipped", () => {
  // Inside the project, where vitest is found; ignored by git.
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache", "totals-"));
  try {
    writeFileSync(join(folder, "a.test.mjs"), TESTS);
    writeFileSync(join(folder, "b.test.mjs"), `import "./gone.mjs";`);
    const totals = join(folder, "totals.json");
    const config = join(folder, "vitest.config.mjs");
    writeFileSync(config, `export default { test: { include: ["*.test.mjs"], maxWorkers: 1 } };`);
    const args = ["run", "--root", folder, "--config", config, "--reporter", join(root, "scripts", "testing", "vitestTotals.mjs")];
    const { status } = spawnSync(process.execPath, [join(root, "node_modules", "vitest", "vitest.mjs"), ...args], {
      cwd: folder,
      env: { ...process.env, TEST_TOTALS: totals },
    });
    expect(status).toBe(1);
    const { passed, failures, retried, skipped } = JSON.parse(readFileSync(totals, "utf8"));
    expect(passed).toBe(3);
    // One test, one hook, one file, one promise.
    expect(failures.map(({ name }: { name: string }) => name)).toEqual([
      "an error outside any test",
      "hook",
      "a.test.mjs > fails",
      "b.test.mjs",
    ]);
    expect(failures[2].reason).toContain("expected 1 to be 2");
    expect(retried.map(({ name }: { name: string }) => name)).toEqual(["a.test.mjs > passes at the second try"]);
    expect(retried[0].reason).toContain("expected 1 to be 2");
    expect(skipped).toEqual([
      { name: "hook > never begins", reason: `"hook" failed before it began` },
      { name: "condition > is not met", reason: "the condition of its skipIf in a.test.mjs holds here" },
      { name: "thing (skipped: no thing (of any kind)) > part > is not there", reason: "no thing (of any kind)" },
      { name: "says why", reason: "needs a thing" },
      { name: "is alone (skipped: no other)", reason: "no other" },
    ]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
