// The greatest common divisor of two numbers. Factors are drawn first, so that a divisor of 1 is no rule.

import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { defineTextTask } from "./textTask.ts";

const optionsSchema = z.strictObject(
  section("task", { largest: integer(10, 999, 60, "Largest number", "Both numbers run from 2 to this.") }),
);

/** Euclid's algorithm; a, b >= 1. */
function gcd(a: number, b: number): number {
  return b === 0 ? a : gcd(b, a % b);
}

export const greatestCommonDivisor = defineTextTask({
  id: "gcd",
  title: "Greatest common divisor",
  summary: "Find the largest number that divides two numbers.",
  optionsSchema,
  maxCompletionTokens: 10,
  checkpoint: "puzzles",
  draw({ largest }, random) {
    const divisor = 1 + random.below(Math.min(12, Math.floor(largest / 3)));
    const multiple = () => divisor * (1 + random.below(Math.floor(largest / divisor)));
    for (;;) {
      const a = multiple();
      const b = multiple();
      if (a !== b && a > 1 && b > 1) return { a, b };
    }
  },
  key: ({ a, b }) => `${Math.min(a, b)} ${Math.max(a, b)}`,
  ask: ({ a, b }) => `What is the greatest common divisor of ${a} and ${b}?`,
  solve: ({ a, b }) => String(gcd(a, b)),
  slip({ a, b }, random) {
    const right = gcd(a, b);
    // Too small a common divisor, or the smaller number itself.
    const wrong = [1, right * 2, right + 1, Math.min(a, b), right - 1].filter((each) => each !== right && each > 0);
    return String(random.pick(wrong));
  },
});
