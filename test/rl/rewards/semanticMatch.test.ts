import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { isNumeric, lastBoxed, sameAnswer } from "../../../src/rl/rewards/semanticMatch.ts";

const r = String.raw;

/** Pairs checked by hand: both texts and whether they mean the same. */
const pairs: readonly (readonly [string, string, boolean])[] = [
  // whole numbers, signs, zeros
  ["85", "85", true],
  ["85", "86", false],
  ["085", "85", true],
  ["+5", "5", true],
  ["-5", "5", false],
  ["- 5", "-5", true],
  ["\u22125", "-5", true],
  ["-0", "0", true],
  ["-0.00", "0", true],
  ["+0", "-0", true],
  ["0", "", false],
  ["", "", false],
  ["5", "50", false],
  ["12345678901234567890", "12345678901234567890", true],
  ["12345678901234567890", "12345678901234567891", false],
  ["9007199254740993", "9007199254740992", false],
  ["--5", "5", false],
  ["5-", "5", false],
  ["(5)", "5", true],
  ["{5}", "5", true],
  // decimals
  ["0.5", ".5", true],
  ["0.50", "0.5", true],
  ["5.", "5", true],
  ["5.0", "5", true],
  ["5.000", "5", true],
  ["-2.50", "-2.5", true],
  ["0.1", "0.10000000000000001", false],
  ["3.14", "3.1416", false],
  ["1.2.3", "1.2", false],
  ["0.3", "0.30", true],
  ["00.5", "0.5", true],
  [".", "0", false],
  // fractions
  ["1/2", "0.5", true],
  ["2/4", "1/2", true],
  [r`\frac{1}{2}`, "1/2", true],
  [r`\frac{1}{2}`, "0.5", true],
  [r`\dfrac{1}{2}`, "0.5", true],
  [r`\tfrac{1}{2}`, "0.5", true],
  [r`\dfrac12`, "0.5", true],
  [r`\frac12`, "1/2", true],
  [r`\frac1{2}`, "1/2", true],
  [r`\frac{1}2`, "1/2", true],
  [r`\frac{10}{4}`, "2.5", true],
  [r`\frac{-1}{2}`, "-0.5", true],
  [r`-\frac{1}{2}`, "-0.5", true],
  [r`\frac{1}{-2}`, "-1/2", true],
  [r`\frac{-1}{-2}`, "1/2", true],
  ["1 / 2", "0.5", true],
  ["-1/2", "-0.5", true],
  ["-(1/2)", "-0.5", true],
  ["1/3", "0.333", false],
  ["1/3", "2/6", true],
  ["6/3", "2", true],
  ["1/0", "0", false],
  ["1/0", "1/0", true],
  ["1/2/2", "1/4", false],
  ["(1/2)/2", "1/4", true],
  [r`\frac{\frac{1}{2}}{2}`, "0.25", true],
  ["0.5/2", "1/4", true],
  [r`\frac{1}{2`, "1/2", false],
  ["½", "0.5", true],
  ["1\u20442", "0.5", true],
  // mixed numbers
  ["2 1/2", "2.5", true],
  [r`2\frac{1}{2}`, "5/2", true],
  [r`2 \frac12`, "5/2", true],
  ["-2 1/2", "-2.5", true],
  ["2½", "2.5", true],
  ["2 1/2", "1", false],
  // thousands separators
  ["1,000", "1000", true],
  ["1,234,567", "1234567", true],
  ["1,234.50", "1234.5", true],
  [r`1{,}000`, "1000", true],
  [r`1\,000`, "1000", true],
  [r`1,\!000`, "1000", true],
  ["1 000", "1000", true],
  ["10 000 000", "10000000", true],
  ["1,00", "100", false],
  ["1,2", "12", false],
  ["1,2", "1, 2", true],
  ["-1,000", "-1000", true],
  ["1,0000", "10000", false],
  // LaTeX dress
  ["$5$", "5", true],
  [r`\(5\)`, "5", true],
  [r`\[5\]`, "5", true],
  [r`\text{5}`, "5", true],
  [r`\mathrm{5}`, "5", true],
  [r`\mathbf{12}`, "12", true],
  [r`\left(5\right)`, "5", true],
  [r`\displaystyle \frac{3}{4}`, "0.75", true],
  [r`\ 5\ `, "5", true],
  ["x = 5", "5", true],
  ["x=-5", "-5", true],
  ["x = 5", "6", false],
  [" 5 ", "5", true],
  ["5\n", "5", true],
  ["85.", "85", true],
  ["85!", "85", true],
  ["85,", "85", true],
  // percent, money, degrees, units
  [r`50\%`, "50%", true],
  ["50 percent", "50%", true],
  ["50%", "0.5", true],
  ["0.5", "50%", true],
  [r`50\%`, "50", true],
  ["50%", "5", false],
  ["50%", "0.50%", false],
  [r`\$18`, "18", true],
  ["$1,250.00", "1250", true],
  [r`90^\circ`, "90", true],
  ["90°", "90 degrees", true],
  [r`5\text{ cm}`, "5", true],
  ["5 cm", "5 cm", true],
  ["5 cm", "5 kg", false],
  ["5 cm", "6 cm", false],
  ["1 apple", "1 apples", true],
  ["3 dollars", "3", true],
  ["5 or 6", "5", false],
  ["5 or six", "5", false],
  ["5x", "5", false],
  // powers of ten
  [r`1.5 \times 10^{3}`, "1500", true],
  [r`1.5\cdot10^{-1}`, "0.15", true],
  ["2e3", "2000", true],
  ["2e3", "2e4", false],
  ["1e999999999", "1", false],
  // other text
  ["red", "Red", true],
  [r`\text{red}`, "red", true],
  ["red", "blue", false],
  [r`x^{2}`, "x^2", true],
  [r`\frac{x}{23}`, r`\frac{x2}{3}`, false],
  ["(1, 2)", "(1,2)", true],
  [r`\sqrt{2}`, r`\sqrt2`, true],
  [r`\pi`, r`\pi`, true],
  ["NaN", "0", false],
  ["Infinity", "1/0", false],
  ["five", "5", false],
  ["٣", "3", false],
];

describe("sameAnswer", () => {
  it("is checked on at least 100 pairs", () => expect(pairs.length).toBeGreaterThanOrEqual(100));

  it.each(pairs)("compares %j with %j: %j", (a, b, same) => {
    expect(sameAnswer(a, b)).toBe(same);
    expect(sameAnswer(b, a)).toBe(same);
  });
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
      const rows = readFileSync(new URL("../../reference/gsm8k/sample.jsonl", import.meta.url), "utf8")
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
