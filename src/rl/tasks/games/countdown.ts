// Reach a number with given numbers: each move takes two of them and puts their sum, difference, product
// or quotient in their place, until one is the target or only one is left.

import { integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import type { Game } from "../../envs/gameEnv.ts";
import type { Random } from "../../random.ts";
import { defineGameTask } from "./gameTask.ts";

const optionsSchema = z.strictObject(
  section("task", {
    numbers: integer(2, 4, 3, "Numbers", "How many numbers are given."),
    largest: integer(4, 25, 10, "Largest number", "Given numbers run from 1 to this."),
    largestTarget: integer(10, 999, 99, "Largest target", "The target is no larger."),
  }),
);

interface Move {
  readonly text: string;
  /** The numbers that are there then, the new one last. */
  readonly numbers: readonly number[];
}

/** Value of a move, or null where it is not allowed: no negative numbers and no fractions. */
function resultOf(a: number, sign: string, b: number): number | null {
  if (sign === "+") return a + b;
  if (sign === "*") return a * b;
  if (sign === "-") return a >= b ? a - b : null;
  return b !== 0 && a % b === 0 ? a / b : null;
}

/** The numbers after a move; null where one of the two is not there or the move is not allowed. */
function after(numbers: readonly number[], a: number, sign: string, b: number): readonly number[] | null {
  const left = [...numbers];
  for (const number of [a, b]) {
    const at = left.indexOf(number);
    if (at < 0) return null;
    left.splice(at, 1);
  }
  const result = resultOf(a, sign, b);
  return result === null ? null : [...left, result];
}

/** All moves from here, larger numbers first in sums and products. */
function movesFrom(numbers: readonly number[]): readonly Move[] {
  const moves: Move[] = [];
  for (const [i, a] of numbers.entries()) {
    for (const [j, b] of numbers.entries()) {
      if (i === j) continue;
      for (const sign of ["+", "-", "*", "/"]) {
        if ((sign === "+" || sign === "*") && (a < b || (a === b && i > j))) continue;
        const next = after(numbers, a, sign, b);
        if (next) moves.push({ text: `${a} ${sign} ${b}`, numbers: next });
      }
    }
  }
  return moves;
}

/** A shortest way to the target as moves; null where there is none. */
function solve(numbers: readonly number[], target: number): readonly string[] | null {
  if (numbers.includes(target)) return [];
  let best: readonly string[] | null = null;
  for (const { text, numbers: next } of movesFrom(numbers)) {
    const rest = solve(next, target);
    if (rest && (best === null || rest.length + 1 < best.length)) best = [text, ...rest];
  }
  return best;
}

/** A target that some play reaches, and only with two numbers or more. */
function drawTarget(numbers: readonly number[], random: Random): number {
  let left = numbers;
  while (left.length > 1) left = random.pick(movesFrom(left)).numbers;
  return left[0]!;
}

export const countdown = defineGameTask({
  id: "countdown",
  title: "Countdown",
  summary: "Reach a target by combining given numbers, two at a time.",
  optionsSchema,
  checkpoint: "numbers",
  maxCompletionTokens: 16,
  draw({ numbers: count, largest, largestTarget }, random) {
    for (;;) {
      const numbers = Array.from({ length: count }, () => 1 + random.below(largest));
      const target = drawTarget(numbers, random);
      const shortest = solve(numbers, target)?.length ?? 0;
      if (shortest > 0 && target >= 1 && target <= largestTarget) return { numbers, target, shortest };
    }
  },
  key: ({ numbers, target }) => `${[...numbers].sort((a, b) => a - b).join(" ")} ${target}`,
  ask: ({ numbers, target }) => `Reach ${target} with ${numbers.join(", ")}.`,
  read(prompt) {
    const found = /^Reach (\d{1,3}) with (\d{1,2}(?:, \d{1,2}){1,3})\.$/.exec(prompt);
    const target = Number(found?.[1]);
    const numbers = (found?.[2] ?? "").split(", ").map(Number);
    const shortest = (found && solve(numbers, target)?.length) ?? 0;
    return shortest > 0 ? { numbers, target, shortest } : null;
  },
  answer: ({ numbers, target }) => (solve(numbers, target) ?? []).join(", then "),
  maxTurns: ({ numbers }) => numbers - 1,
  game: ({ numbers: given, target, shortest }): Game<readonly number[]> => ({
    opening: given,
    play(numbers, move) {
      const found = /^(\d{1,9}) ?([-+*/]) ?(\d{1,9})$/.exec(move);
      const next = found && after(numbers, Number(found[1]), found[2]!, Number(found[3]));
      if (!next) return null;
      const isOver = next.length === 1 || next.includes(target);
      return { state: next, observation: isOver ? null : next.join(", ") };
    },
    score: (numbers) => (numbers.includes(target) ? 1 : 0),
    // What is left of the shortest way counts, and nothing where the target is out of reach.
    progress(numbers) {
      const way = solve(numbers, target);
      return way ? Math.max(0, 1 - way.length / shortest) : 0;
    },
    draw: (numbers) => ({ kind: "board", caption: `The target is ${target}.`, rows: [numbers.map(String)] }),
  }),
  best: ({ target }, numbers) => solve(numbers, target)?.[0] ?? "",
  careless: ({ target }, numbers, random) => random.pick(movesFrom(numbers).filter(({ numbers: next }) => !next.includes(target))).text,
});
