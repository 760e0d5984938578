import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { boxedMatches } from "../../../../src/rl/rewards/boxedAnswer.ts";
import { isNumeric, lastBoxed, sameAnswer } from "../../../../src/rl/rewards/match/semanticMatch.ts";
import { answerPairs, boxedPairs } from "./gradedAnswers.ts";
import { numberPairs } from "./gradedNumbers.ts";

const r = String.raw;
const pairs = [...numberPairs, ...answerPairs];

describe("sameAnswer", () => {
  it("is checked on at least 250 different pairs", () => {
    const different = new Set(pairs.map(([a, b]) => JSON.stringify([a, b].sort())));
    expect(different.size).toBe(pairs.length);
    expect(different.size).toBeGreaterThanOrEqual(250);
  });

  it.each(pairs)("compares %j with %j: %j", (a, b, same) => {
    expect(sameAnswer(a, b)).toBe(same);
    expect(sameAnswer(b, a)).toBe(same);
  });
});

describe("the answer in a box", () => {
  it.each(boxedPairs)("is judged in %j against %j: %j", (text, gold, right) => expect(boxedMatches(text, gold)).toBe(right));
});

describe("lastBoxed", () => {
  it.each<readonly [string, string | null]>([
    [r`\boxed{5}`, "5"],
    [r`So 2 + 3 = 5, thus \boxed{5}. Done.`, "5"],
    [r`\boxed{4} no, wait: \boxed{5}`, "5"],
    [r`\boxed{\frac{1}{2}}`, r`\frac{1}{2}`],
    [r`\boxed {7}`, "7"],
    [r`\boxed{a_{1_{2}}}`, "a_{1_{2}}"],
    [r`\boxed{\{1\}}`, r`\{1\}`],
    [r`{ \boxed{5}`, "5"],
    [r`} \boxed{5} }`, "5"],
    [r`\boxed{5`, null],
    [r`\boxed{4} and \boxed{5`, "4"],
    [r`\boxed5`, null],
    ["boxed{5}", null],
    ["", null],
    [r`\boxed{}`, ""],
  ])("finds in %j: %j", (text, content) => expect(lastBoxed(text)).toBe(content));
});

describe("the grader", () => {
  // Work that grew with the square of the length would never come back within the time limit of a test.
  it("answers garbage of a million characters without throwing or getting lost", () => {
    const n = 1_000_000;
    const garbage = [
      "9".repeat(n),
      "{".repeat(n),
      "}".repeat(n),
      r`\boxed{`.repeat(n / 8),
      r`\frac{`.repeat(n / 8),
      r`\text{`.repeat(n / 8),
      " ".repeat(n),
      "1,".repeat(n / 2),
      ".".repeat(n),
      "-".repeat(n),
      "\\".repeat(n),
      "$".repeat(n),
      "1 ".repeat(n / 2),
      "\ud800".repeat(n),
      "(".repeat(n),
      "a b".repeat(n / 4),
    ];
    for (const text of garbage) {
      lastBoxed(text);
      expect(sameAnswer(text, "5")).toBe(false);
      sameAnswer(text.slice(0, 250), text.slice(0, 251));
    }
  });

  describe("on 81 gold answers of GSM8K's test split", () => {
    it("grades each as equal to itself in a box and different from its neighbour", () => {
      const rows = readFileSync(new URL("../../../reference/gsm8k/sample.jsonl", import.meta.url), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as { answer: string });
      expect(rows).toHaveLength(81);
      for (const { answer } of rows) {
        // GSM8K ends an answer with "#### 72".
        const gold = answer.split("####").at(-1)!.trim();
        expect(isNumeric(gold), gold).toBe(true);
        expect(sameAnswer(lastBoxed(`The answer is $\\boxed{${gold}}$.`) ?? "", gold), gold).toBe(true);
        expect(sameAnswer(`${gold}1`, gold), gold).toBe(false);
      }
    });
  });
});
