import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calculate, evaluateExpression } from "../../../src/rl/tools/calculate.ts";

/** An expression in full brackets, and its value worked out as it is put together. */
const expression: fc.Arbitrary<readonly [string, number]> = fc.letrec<{ all: readonly [string, number] }>((tie) => ({
  all: fc.oneof(
    { maxDepth: 4 },
    fc.integer({ min: 0, max: 999 }).map((n) => [String(n), n] as const),
    fc.tuple(tie("all"), fc.constantFrom("+", "-", "*"), tie("all")).map(([[a, x], sign, [b, y]]) => {
      const value = sign === "+" ? x + y : sign === "-" ? x - y : x * y;
      return [`(${a} ${sign} ${b})`, value] as const;
    }),
  ),
})).all;

describe("the calculator", () => {
  it.each([
    ["37 * 48 + 5", 1781],
    ["5 + 37 * 48", 1781],
    ["10 - 4 - 3", 3],
    ["24 / 4 / 2", 3],
    ["2 * (3 + 4)", 14],
    ["-3 + 5", 2],
    ["3 - -5", 8],
    ["1.5 * 4", 6],
    ["  7  ", 7],
    ["1/4", 0.25],
  ])("reads %s as %d", (text, value) => expect(evaluateExpression(text)).toBe(value));

  it.each([
    "",
    "two",
    "1 +",
    "* 2",
    "(1",
    "1)",
    "1 2",
    "1..2",
    "1 / 0",
    "1 / (2 - 2)",
    "1 / (1 / 0)",
    "0x10",
    "1e5",
    "2 ** 3",
    "(".repeat(9999),
  ])("refuses %j", (text) => expect(evaluateExpression(text)).toBeNull());

  it("agrees with arithmetic on whole numbers", () => {
    fc.assert(
      fc.property(
        expression.filter(([text]) => text.length <= 200),
        ([text, value]) => {
          // A negative zero is a zero.
          expect((evaluateExpression(text) ?? Number.NaN) + 0).toBe(value + 0);
        },
      ),
      { numRuns: 300 },
    );
  });

  it("writes results without exponents, long tails or a negative zero", () => {
    const said = (text: string) => calculate.call({ expression: text }).content;
    expect(["1/3", "0 * -1", "99999999 * 99999999", "2 / 4"].map(said)).toEqual(["0.333333", "0", "9999999800000000", "0.5"]);
  });
});
