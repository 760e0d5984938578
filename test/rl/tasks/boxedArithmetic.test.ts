import { describe, expect, it } from "vitest";
import { Random } from "../../../src/rl/random.ts";
import { boxedArithmetic } from "../../../src/rl/tasks/boxedArithmetic.ts";
import { type Operation, resultOf, withoutCarry, wrongResult } from "../../../src/rl/tasks/mistakes.ts";
import type { Example } from "../../../src/rl/types.ts";

/** Operands and sign as written in the question, read independently of the task's own code. */
function readQuestion(example: Example) {
  const found = /(\d+) ([-+*]) (\d+)/.exec(example.messages[0]?.content ?? "");
  if (!found) throw new Error(`no expression in ${JSON.stringify(example.messages)}`);
  return { a: Number(found[1]), sign: found[2] ?? "", b: Number(found[3]) };
}

/** The same for questions that ask the same. */
function question(example: Example): string {
  const { a, sign, b } = readQuestion(example);
  return sign === "-" ? `${a}-${b}` : `${Math.min(a, b)}${sign}${Math.max(a, b)}`;
}

function right(example: Example): number {
  const { a, sign, b } = readQuestion(example);
  return sign === "+" ? a + b : sign === "-" ? a - b : a * b;
}

const everything = { add: true, subtract: true, multiply: true, negativeResults: true };

describe("boxed arithmetic", () => {
  it.each([{}, { largestOperand: 9 }, everything, { ...everything, largestOperand: 9999, sizes: "digits" }])(
    "asks what it answers, with %j",
    (options) => {
      const task = boxedArithmetic.create(options, 1);
      for (const example of [...task.trainLoader().next(500), ...task.evaluation(50)]) expect(Number(example.answer)).toBe(right(example));
    },
  );

  it.each([{}, { largestOperand: 9 }, { ...everything, largestOperand: 20 }])(
    "never trains on what any seed evaluates, with %j",
    (options) => {
      const evaluated = new Set<string>();
      for (let seed = 0; seed < 10; seed++)
        for (const example of boxedArithmetic.create(options, seed).evaluation(200)) evaluated.add(question(example));
      expect(evaluated.size).toBeGreaterThan(5);
      for (let seed = 0; seed < 10; seed++) {
        for (const example of boxedArithmetic.create(options, seed).trainLoader().next(1000))
          expect(evaluated.has(question(example))).toBe(false);
      }
    },
  );

  it("evaluates different questions, as many as asked for or as there are", () => {
    const examples = boxedArithmetic.create({}, 0).evaluation(256);
    expect(new Set(examples.map(question)).size).toBe(256);
    const few = boxedArithmetic.create({ largestOperand: 9 }, 0).evaluation(256);
    expect(few.length).toBeGreaterThan(5);
    expect(new Set(few.map(question)).size).toBe(few.length);
  });

  it("asks each operation equally often, in every phrasing, over all operands", () => {
    const examples = boxedArithmetic.create({ multiply: true }, 3).trainLoader().next(6000);
    const signs = new Map<string, number>();
    for (const example of examples) signs.set(readQuestion(example).sign, (signs.get(readQuestion(example).sign) ?? 0) + 1);
    for (const count of signs.values()) expect(Math.abs(count - 2000)).toBeLessThan(200);
    expect(new Set(examples.map((example) => example.messages[0]?.content.replace(/\d+/g, "n"))).size).toBe(12);
    const operands = new Set(examples.map((example) => readQuestion(example).a));
    expect([operands.size, Math.max(...operands), Math.min(...operands)]).toEqual([100, 99, 0]);
  });

  it("keeps differences at or above zero unless told otherwise", () => {
    const differences = (negativeResults: boolean) =>
      boxedArithmetic
        .create({ add: false, negativeResults }, 0)
        .trainLoader()
        .next(300)
        .map((example) => Number(example.answer));
    expect(Math.min(...differences(false))).toBeGreaterThanOrEqual(0);
    expect(Math.min(...differences(true))).toBeLessThan(0);
  });

  it("draws numbers of digits equally often where asked", () => {
    const examples = boxedArithmetic.create({ sizes: "digits", subtract: false }, 0).trainLoader().next(4000);
    const short = examples.filter((example) => readQuestion(example).a < 10).length / 4000;
    expect(short).toBeGreaterThan(0.45);
    expect(short).toBeLessThan(0.55);
  });

  it("grows operands over its curriculum", () => {
    const examples = boxedArithmetic.create({ curriculum: 1000 }, 0).trainLoader().next(1200);
    const largest = (from: number, to: number) =>
      Math.max(...examples.slice(from, to).map((example) => Math.max(readQuestion(example).a, readQuestion(example).b)));
    expect(largest(0, 12)).toBeLessThanOrEqual(10);
    expect(largest(400, 500)).toBeLessThanOrEqual(54);
    expect(largest(1000, 1200)).toBeGreaterThan(90);
  });

  it("needs an operation and a known size", () => {
    expect(() => boxedArithmetic.create({ add: false, subtract: false }, 0)).toThrow("taskOptions.add, subtract or multiply must be true");
    expect(() => boxedArithmetic.create({ largestOperand: 5 }, 0)).toThrow("taskOptions.largestOperand must be >= 9, got 5");
    expect(() => boxedArithmetic.create({ sizes: "big" }, 0)).toThrow('taskOptions.sizes must be one of "operands", "digits", got "big"');
  });
});

describe("mistakes", () => {
  it.each<readonly ["add" | "subtract", number, number, number]>([
    ["add", 37, 48, 75],
    ["add", 95, 7, 92],
    ["add", 12, 34, 46],
    ["subtract", 52, 38, 24],
    ["subtract", 98, 35, 63],
    ["subtract", 100, 1, 109],
  ])("%s %d and %d without carrying gives %d", (operation, a, b, result) => expect(withoutCarry(operation, a, b)).toBe(result));

  it("are never right and never change the sign's side", () => {
    const random = new Random(0);
    for (let i = 0; i < 20_000; i++) {
      const operation = random.pick<Operation>(["add", "subtract", "multiply"]);
      const [a, b] = [random.below(random.pick([3, 10, 100])), random.below(random.pick([3, 10, 100]))];
      const wrong = wrongResult(operation, a, b, random);
      expect(wrong).not.toBe(resultOf(operation, a, b));
      if (resultOf(operation, a, b) > 0) expect(wrong).toBeGreaterThanOrEqual(0);
    }
  });
});
