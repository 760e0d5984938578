// The rewards of an exported folder in Python: on answers that nobody sampled they give what the lab gives.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MADE_UP_PARTS, madeUpRewards } from "../../scripts/interop/trl/madeUpAnswers.ts";
import { REWARD_PROGRAMS } from "../../src/cli/exports/trl/files.ts";
import { pythonPattern } from "../../src/cli/exports/trl/pythonPattern.ts";

const python = ["python3", "python"].find((name) => {
  try {
    return execFileSync(name, ["--version"], { stdio: "pipe" }).length > 0;
  } catch {
    return false;
  }
});
const ROWS = 60;

describe("the rewards in Python", () => {
  it.skipIf(!python).each([1, 2, 3])("give the lab's values on made-up answers, every rule, gate and clip (seed %i)", (seed) => {
    const folder = mkdtempSync(join(tmpdir(), "rollout-lab-rewards-"));
    try {
      for (const [name, program] of Object.entries(REWARD_PROGRAMS)) writeFileSync(join(folder, name), program);
      const { rules, rows } = madeUpRewards(ROWS, seed);
      writeFileSync(join(folder, "rewards.json"), JSON.stringify(rules));
      writeFileSync(join(folder, "rollouts.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
      const said = execFileSync(python!, [join(folder, "rewards.py")], { encoding: "utf8", stdio: "pipe" });
      expect(said).toBe(`${ROWS * (MADE_UP_PARTS + 1)} reward values agree with the lab's\n`);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe("a pattern for Python", () => {
  it.each([
    ["^\\d+$", "^\\d+\\Z"],
    ["(?<n>a)|[^\\d-]", "(?P<n>a)|[^\\d-]"],
    ["a{2,}\\/", "a{2,}\\/"],
    ["[[]", "[\\[]"],
  ])("of %s is %s", (source, written) => {
    expect(pythonPattern(source)).toBe(written);
  });

  it.each(["\\p{L}", "(a)\\1", "(?<=a)b", "\\u{1F642}", "[^]", "(?<n>a)\\k<n>", "\\ud83d"])(
    "has no form of %s, which means something else there",
    (source) => {
      expect(pythonPattern(source)).toBe(null);
    },
  );
});
