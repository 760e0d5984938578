// Emit N digits whose sum is a target: the smallest task that shows all of GRPO. Usually there is one problem,
// so training and evaluation ask the same question; what is evaluated is the greedy answer and fresh samples.
// With varying targets each problem shows its own, and some targets are held out; with varying lengths each asks
// for a number of digits of its own too. Every answer has as many places as the longest: what a shorter one leaves
// of them is filled with the mark that began it.

import { flag, integer, number, section } from "../../protocol/config/field.ts";
import { InputError } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { isHeldOut, problemStream } from "../data/problems.ts";
import { singleTurnEnvs } from "../envs/dialogue.ts";
import type { Random } from "../random.ts";
import { finalAnswer } from "../rewards/rewardRule.ts";
import { BEGIN_TEXT, digitSumOf, sumCloseness } from "../rewards/sumCloseness.ts";
import { saying } from "../rollout/demonstration.ts";
import type { Example, Trajectory } from "../types.ts";
import { defineTask } from "./task.ts";

const optionsSchema = z.strictObject(
  section("task", {
    length: integer(1, 16, 4, "Digits", "How many digits the policy emits."),
    target: integer(0, 144, 18, "Target sum", "What the digits must add up to; at most 9 for each digit."),
    varied: flag(
      false,
      "Varying targets",
      "Every problem asks for a sum of its own and shows it in the prompt; one sum in eight is held out. A table cannot read a prompt, so this needs a transformer.",
    ),
    variedLengths: flag(
      false,
      "Varying lengths",
      "Every problem also asks for a number of digits of its own, from one to Digits: its prompt shows that number and then the sum, and the places that are left must stay blank. One such pair in eight is held out. Targets vary with it.",
    ),
    scale: number(0.1, 100, 2, "Reward scale", "How far off the sum may be before the reward has fallen to 1/e."),
  }),
);

/** Digits drawn one by one, each uniform among those that can still reach the sum. */
function digitsWithSum(length: number, sum: number, random: Random): string {
  let digits = "";
  let rest = sum;
  for (let left = length - 1; left >= 0; left--) {
    const low = Math.max(0, rest - 9 * left);
    const high = Math.min(9, rest);
    const digit = low + random.below(high - low + 1);
    digits += digit;
    rest -= digit;
  }
  return digits;
}

/** A reachable sum other than the target, a few off. */
function missedSum(length: number, target: number, random: Random): number {
  const near = [-3, -2, -1, 1, 2, 3].map((offset) => target + offset).filter((sum) => sum >= 0 && sum <= 9 * length);
  return random.pick(near);
}

interface Problem {
  readonly digits: number;
  readonly sum: number;
}

const idOf = ({ digits, sum }: Problem) => `${digits}-digits-sum-${sum}`;

/** How many digits an example asks for: its id spells its problem. */
const digitsOf = ({ id }: Pick<Example, "id">) => Number.parseInt(id, 10);

/** All sums of these numbers of digits, one in eight of them held out. */
function variedProblems(lengths: readonly number[]) {
  const all = lengths.flatMap((digits) => Array.from({ length: 9 * digits + 1 }, (_, sum): Problem => ({ digits, sum })));
  const isAway = (problem: Problem) => isHeldOut(idOf(problem));
  return { training: all.filter((problem) => !isAway(problem)), evaluation: all.filter(isAway) };
}

/** A number with as many digits as the largest one has. */
function padded(value: number, largest: number): string {
  return String(value).padStart(String(largest).length, "0");
}

export const digitSum = defineTask({
  id: "digit-sum",
  title: "Digit sum",
  summary: "Emit a fixed number of digits whose sum equals a target.",
  rendererKind: "digits",
  optionsSchema,
  rewards: [sumCloseness],
  config: {
    model: "tabular",
    startFrom: "random",
    algorithm: "builtin",
    steps: 300,
    promptsPerStep: 1,
    groupSize: 24,
    maxCompletionTokens: 4,
    learningRate: 0.5,
    klCoef: 0.02,
    evalEvery: 25,
  },
  fixedLength: ({ length }) => length,
  create({ length, target, varied, variedLengths, scale }, seed) {
    if (target > 9 * length) {
      const message = `taskOptions.target must be <= ${9 * length} (9 times taskOptions.length ${length}), got ${target}`;
      throw new InputError([{ field: "taskOptions.target", message }]);
    }
    const one = [{ digits: length, sum: target }];
    const lengths = variedLengths ? Array.from({ length }, (_, i) => i + 1) : [length];
    const isVaried = varied || variedLengths;
    const asked = isVaried ? variedProblems(lengths) : { training: one, evaluation: one };
    // Where problems vary, the policy has to read which one is meant: its renderer shows it digits only.
    const shown = ({ digits, sum }: Problem) => `${variedLengths ? `${padded(digits, length)} ` : ""}${padded(sum, 9 * length)}`;
    const exampleOf = (problem: Problem): Example => ({
      id: idOf(problem),
      messages: [{ role: "user", content: isVaried ? shown(problem) : `Emit ${length} digits whose sum is ${target}.` }],
      answer: String(problem.sum),
    });
    const lengthOf = variedLengths ? digitsOf : () => length;
    const sumOf = (example: Example, trajectory: Trajectory) => digitSumOf(finalAnswer(trajectory), lengthOf(example));
    return {
      trainLoader: () => problemStream(seed, "digit-sum", (random) => exampleOf(random.pick(asked.training))),
      evaluation: (count) => asked.evaluation.slice(0, count).map(exampleOf),
      envs: singleTurnEnvs,
      rewards: [sumCloseness.part({ lengthOf, scale })],
      isSuccess: (example, trajectory) => String(sumOf(example, trajectory)) === example.answer,
      hasForm: (example, trajectory) => sumOf(example, trajectory) !== null,
      demonstration(example, random, noise) {
        const digits = digitsOf(example);
        const right = Number(example.answer);
        const sum = random.uniform() < noise ? missedSum(digits, right, random) : right;
        return saying(digitsWithSum(digits, sum, random) + BEGIN_TEXT.repeat(length - digits));
      },
      ...(isVaried ? {} : { tableTokens: 10 }),
    };
  },
});

/** A transformer small enough to learn the digit sum from random weights in seconds. */
export const TINY_TRANSFORMER = {
  model: "transformer",
  startFrom: "random",
  hiddenSize: 32,
  layers: 2,
  heads: 4,
  kvHeads: 4,
  intermediateSize: 88,
} as const;
