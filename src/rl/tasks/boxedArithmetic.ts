// One-turn arithmetic with the answer in \boxed{}: the smallest task with everything that training a
// language model on verifiable answers has. Problems are held out by operands and operation, so a
// policy cannot pass evaluation by remembering, whatever the phrasing.

import { choice, flag, integer, section } from "../../protocol/config/field.ts";
import { InputError } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { hash32, isHeldOut, problemStream } from "../data/problems.ts";
import { singleTurnEnvs } from "../envs/dialogue.ts";
import { Random } from "../random.ts";
import { boxedAnswer, boxedForm, boxedMatches } from "../rewards/boxedAnswer.ts";
import { finalAnswer } from "../rewards/rewardRule.ts";
import { saying } from "../rollout/demonstration.ts";
import type { Example } from "../types.ts";
import { type Operation, resultOf, wrongResult } from "./mistakes.ts";
import { defineTask, type TaskInstance } from "./task.ts";

const optionsSchema = z.strictObject(
  section("task", {
    largestOperand: integer(9, 9999, 99, "Largest operand", "Operands run from 0 to this number."),
    sizes: choice(
      ["operands", "digits"],
      "operands",
      "Sizes",
      "Every operand equally likely, or every number of digits equally likely (more small numbers).",
    ),
    add: flag(true, "Addition", "Ask for sums."),
    subtract: flag(true, "Subtraction", "Ask for differences."),
    multiply: flag(false, "Multiplication", "Ask for products."),
    negativeResults: flag(false, "Negative results", "Allow differences below zero."),
    curriculum: integer(
      0,
      1_000_000,
      0,
      "Curriculum",
      "Training problems over which the largest operand grows from 9 to its full size; 0 starts at full size.",
      { unit: "problems" },
    ),
  }),
);

type Options = z.output<typeof optionsSchema>;

interface Arithmetic {
  readonly operation: Operation;
  readonly a: number;
  readonly b: number;
}

const SIGNS: Readonly<Record<Operation, string>> = { add: "+", subtract: "-", multiply: "*" };
const PHRASINGS: readonly ((expression: string) => string)[] = [
  (expression) => `What is ${expression}?`,
  (expression) => `Compute ${expression}.`,
  (expression) => `${expression} = ?`,
  (expression) => `How much is ${expression}?`,
];

function operationsOf(options: Options): readonly Operation[] {
  return (["add", "subtract", "multiply"] as const).filter((operation) => options[operation]);
}

/** What is asked, whatever the phrasing: 37 + 48 and 48 + 37 are the same question. */
function keyOf({ operation, a, b }: Arithmetic): string {
  const [first, second] = operation === "subtract" ? [a, b] : [Math.min(a, b), Math.max(a, b)];
  return `${first} ${SIGNS[operation]} ${second}`;
}

function drawOperand(largest: number, sizes: Options["sizes"], random: Random): number {
  if (sizes === "operands") return random.below(largest + 1);
  const digits = 1 + random.below(String(largest).length);
  const low = digits === 1 ? 0 : 10 ** (digits - 1);
  const high = Math.min(largest, 10 ** digits - 1);
  return low + random.below(high - low + 1);
}

/** A problem of the wanted side of the split: each operation equally likely, then operands by rejection. */
function drawArithmetic(options: Options, largest: number, heldOut: boolean, random: Random): Arithmetic {
  const operation = random.pick(operationsOf(options));
  // One key in eight is held out, so even 10,000 refusals in a row do not happen.
  for (let attempt = 0; attempt < 10_000; attempt++) {
    const a = drawOperand(largest, options.sizes, random);
    const b = drawOperand(largest, options.sizes, random);
    const problem = { operation, a, b };
    if (operation === "subtract" && a < b && !options.negativeResults) continue;
    if (isHeldOut(keyOf(problem)) === heldOut) return problem;
  }
  throw new Error(`internal: no ${heldOut ? "held-out" : "training"} problem to ${operation} up to ${largest}`);
}

function exampleOf(problem: Arithmetic, phrasing: number): Example {
  const { operation, a, b } = problem;
  const expression = `${a} ${SIGNS[operation]} ${b}`;
  return {
    id: `${a}${SIGNS[operation]}${b}/${phrasing}`,
    messages: [{ role: "user", content: PHRASINGS[phrasing]?.(expression) ?? expression }],
    answer: String(resultOf(operation, a, b)),
  };
}

/** The sum that a text asks for in one of the phrasings, of whatever size; undefined where it asks for none. */
function posedBy(prompt: string): Example | undefined {
  const [expression = "", a, sign, b] = /(\d{1,6}) ([-+*]) (\d{1,6})/.exec(prompt) ?? [];
  const operation = (Object.keys(SIGNS) as Operation[]).find((each) => SIGNS[each] === sign);
  const phrasing = PHRASINGS.findIndex((phrase) => phrase(expression) === prompt);
  const isPosed = operation !== undefined && phrasing >= 0 && [a, b].every((text) => text === String(Number(text)));
  return isPosed ? exampleOf({ operation, a: Number(a), b: Number(b) }, phrasing) : undefined;
}

/** Reads the problem back from an example's id. */
function problemOf(example: Example): Arithmetic {
  const found = /^(\d+)([-+*])(\d+)\//.exec(example.id);
  const operation = (Object.keys(SIGNS) as Operation[]).find((each) => SIGNS[each] === found?.[2]);
  if (!found || !operation) throw new Error(`internal: ${example.id} is not an arithmetic problem`);
  return { operation, a: Number(found[1]), b: Number(found[3]) };
}

function evaluationProblems(options: Options, seed: number, count: number): readonly Example[] {
  const random = new Random(hash32(`boxed-arithmetic/evaluation/${seed}`));
  const found = new Map<string, Example>();
  for (let draws = 0; found.size < count && draws < 50 * count; draws++) {
    const problem = drawArithmetic(options, options.largestOperand, true, random);
    if (!found.has(keyOf(problem))) found.set(keyOf(problem), exampleOf(problem, random.below(PHRASINGS.length)));
  }
  return [...found.values()];
}

function largestAt(position: number, { largestOperand, curriculum }: Options): number {
  if (position >= curriculum || largestOperand <= 9) return largestOperand;
  return 9 + Math.floor(((largestOperand - 9) * position) / curriculum);
}

function create(options: Options, seed: number): TaskInstance {
  if (operationsOf(options).length === 0) {
    const message = "taskOptions.add, subtract or multiply must be true, got false for all";
    throw new InputError([{ field: "taskOptions.add", message }]);
  }
  const form = boxedForm.part();
  return {
    trainLoader: () =>
      problemStream(seed, "boxed-arithmetic/train", (random, position) =>
        exampleOf(drawArithmetic(options, largestAt(position, options), false, random), random.below(PHRASINGS.length)),
      ),
    evaluation: (count) => evaluationProblems(options, seed, count),
    asks: posedBy,
    envs: singleTurnEnvs,
    rewards: [boxedAnswer.part(), form],
    isSuccess: (example, trajectory) => boxedMatches(finalAnswer(trajectory), example.answer),
    hasForm: (example, trajectory) => form.score(example, trajectory) === 1,
    demonstration(example, random, noise) {
      const { operation, a, b } = problemOf(example);
      const value = random.uniform() < noise ? wrongResult(operation, a, b, random) : resultOf(operation, a, b);
      return saying(`\\boxed{${value}}`);
    },
  };
}

export const boxedArithmetic = defineTask({
  id: "boxed-arithmetic",
  title: "Boxed arithmetic",
  summary: "Answer a small arithmetic question in one turn, with the result in \\boxed{}.",
  rendererKind: "chat",
  optionsSchema,
  rewards: [boxedAnswer, boxedForm],
  config: {
    model: "transformer",
    startFrom: "checkpoint",
    steps: 100,
    promptsPerStep: 32,
    groupSize: 8,
    maxCompletionTokens: 16,
    learningRate: 2e-4,
    evalProblems: 128,
  },
  create,
});
