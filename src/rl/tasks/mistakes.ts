// Plausible wrong results of column arithmetic, for warm starts that are right in form and often
// wrong in value. Most slips are one habit (a carry or borrow is forgotten, or the ones digit comes
// out one too high), so that the habit competes with the right answer as the likeliest one; the rest
// are spread. A policy trained on such a mixture knows the right answer and does not always give it.
import type { Random } from "../random.ts";

export type Operation = "add" | "subtract" | "multiply";

/** Share of mistakes that follow the habit. */
const HABIT_SHARE = 0.7;

/** The exact result of an operation on whole numbers. */
export function resultOf(operation: Operation, a: number, b: number): number {
  if (operation === "add") return a + b;
  return operation === "subtract" ? a - b : a * b;
}

/** Adds or subtracts column by column without ever carrying or borrowing; a, b >= 0. */
export function withoutCarry(operation: "add" | "subtract", a: number, b: number): number {
  let result = 0;
  for (let place = 1; place <= Math.max(a, b); place *= 10) {
    const digitA = Math.floor(a / place) % 10;
    const digitB = Math.floor(b / place) % 10;
    const digit = operation === "add" ? digitA + digitB : digitA - digitB;
    result += (((digit % 10) + 10) % 10) * place;
  }
  return result;
}

function habit(operation: Operation, a: number, b: number): number {
  const right = resultOf(operation, a, b);
  const slipped = operation === "multiply" ? right : withoutCarry(operation, a, b);
  if (slipped !== right) return slipped;
  return right - (right % 10) + ((right + 1) % 10);
}

/** A wrong result of a (operation) b; a, b >= 0 and, for subtraction, a >= b or the sign is kept. */
export function wrongResult(operation: Operation, a: number, b: number, random: Random): number {
  const right = resultOf(operation, a, b);
  if (right < 0) return -wrongResult(operation, b, a, random);
  if (random.uniform() < HABIT_SHARE) return habit(operation, a, b);
  const slips = [right + 1, right - 1, right + 10, right - 10, right + 2].filter((slip) => slip >= 0);
  return random.pick(slips);
}
