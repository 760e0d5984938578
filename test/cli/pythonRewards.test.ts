// The rewards of an exported folder in Python: on answers that nobody sampled they give what the lab gives.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { MADE_UP_PARTS, madeUpRewards } from "../../scripts/interop/trl/madeUpAnswers.ts";
import { REWARD_PROGRAMS } from "../../src/cli/exports/trl/files.ts";
import { pythonPattern } from "../../src/cli/exports/trl/pythonPattern.ts";
import type { PythonRules } from "../../src/cli/exports/trl/pythonRules.ts";
import { boxedAnswer } from "../../src/rl/rewards/boxedAnswer.ts";
import { libraryParts } from "../../src/rl/rewards/library/index.ts";
import type { Example } from "../../src/rl/types.ts";
import { answerPairs, boxedPairs } from "../rl/rewards/match/gradedAnswers.ts";
import { numberPairs } from "../rl/rewards/match/gradedNumbers.ts";
import { texts, wholes } from "../rl/rewards/match/statedAnswers.ts";
import { answered } from "../rl/trajectoryFixture.ts";
import { asRule } from "../support/scoring.ts";

const python = ["python3", "python"].find((name) => {
  try {
    return execFileSync(name, ["--version"], { stdio: "pipe" }).length > 0;
  } catch {
    return false;
  }
});
const ROWS = 60;

/** What rewards.py says of rows that the lab has scored. */
function checked(rules: PythonRules, rows: readonly unknown[]): string {
  const folder = mkdtempSync(join(tmpdir(), "rollout-lab-rewards-"));
  try {
    for (const [name, program] of Object.entries(REWARD_PROGRAMS)) writeFileSync(join(folder, name), program);
    writeFileSync(join(folder, "rewards.json"), JSON.stringify(rules));
    writeFileSync(join(folder, "rollouts.jsonl"), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
    return execFileSync(python!, [join(folder, "rewards.py")], { encoding: "utf8", stdio: "pipe" });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the rewards in Python", () => {
  it.skipIf(!python).each([1, 2, 3])("give the lab's values on made-up answers, every rule, gate and clip (seed %i)", (seed) => {
    const { rules, rows } = madeUpRewards(ROWS, seed);
    expect(checked(rules, rows)).toBe(`${ROWS * (MADE_UP_PARTS + 1)} reward values agree with the lab's\n`);
  });

  it.skipIf(!python)("read every answer of the tables and of math-verify's pairs as the lab does", () => {
    const file = new URL("../reference/math-verify-answers.json", import.meta.url);
    const { pairs } = JSON.parse(readFileSync(file, "utf8")) as { readonly pairs: readonly { text: string; gold: string }[] };
    const read = [
      ...pairs.map(({ text, gold }) => [text, gold] as const),
      ...wholes.flatMap(([stated, same, others]) => [...same, ...others].map((gold) => [`The answer is ${stated}.`, gold] as const)),
      ...[...texts, ...numberPairs, ...answerPairs, ...boxedPairs].map(([text, gold]) => [text, gold] as const),
    ];
    const rules = libraryParts({ trueAnswer: {}, oneNumber: { wrong: 0.25 } });
    const boxed = boxedAnswer.part();
    const rows = read.map(([text, answer]) => {
      const example: Example = { id: "e", messages: [], answer };
      const trajectory = answered(example, text, "completed");
      const parts = [...rules, boxed].map((part) => [part.name, asRule(part).score(example, trajectory)]);
      return { text, answer, completed: true, said: [text], sampled: [1], parts: Object.fromEntries(parts) };
    });
    const parts = [...rules, boxed].map(({ name }) => [
      name,
      { rule: name, weight: 1, settings: name === "oneNumber" ? { wrong: 0.25 } : {} },
    ]);
    const given = { parts: Object.fromEntries(parts), gates: {}, clip: 0, overlongBuffer: 0, maxTokens: 24 };
    expect(checked(given, rows)).toBe(`${3 * read.length} reward values agree with the lab's\n`);
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
