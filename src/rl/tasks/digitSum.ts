// Emit N digits whose sum is a target: the smallest task that shows all of GRPO. There is one problem,
// so training and evaluation ask the same question; what is evaluated is the greedy answer and fresh samples.

import { integer, number, section } from "../../protocol/field.ts";
import { InputError } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { problemStream } from "../data/problems.ts";
import { saying } from "../demonstration.ts";
import { singleTurnEnvs } from "../envs/singleTurn.ts";
import type { Random } from "../random.ts";
import { finalAnswer } from "../rewards/rewardRule.ts";
import { digitSumOf, sumCloseness } from "../rewards/sumCloseness.ts";
import type { Example } from "../types.ts";
import { defineTask } from "./task.ts";

const optionsSchema = z.strictObject(
  section("task", {
    length: integer(1, 16, 4, "Digits", "How many digits the policy emits."),
    target: integer(0, 144, 18, "Target sum", "What the digits must add up to; at most 9 for each digit."),
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
  create({ length, target, scale }, seed) {
    if (target > 9 * length) {
      const message = `taskOptions.target must be <= ${9 * length} (9 times taskOptions.length ${length}), got ${target}`;
      throw new InputError([{ field: "taskOptions.target", message }]);
    }
    const example: Example = {
      id: `${length}-digits-sum-${target}`,
      messages: [{ role: "user", content: `Emit ${length} digits whose sum is ${target}.` }],
      answer: String(target),
    };
    return {
      trainLoader: () => problemStream(seed, "digit-sum", () => example),
      evaluation: (count) => [example].slice(0, count),
      envs: singleTurnEnvs,
      rewards: [sumCloseness.part({ length, scale })],
      isSuccess: (_, trajectory) => digitSumOf(finalAnswer(trajectory), length) === target,
      hasForm: (_, trajectory) => digitSumOf(finalAnswer(trajectory), length) !== null,
      demonstration(_, random, noise) {
        const sum = random.uniform() < noise ? missedSum(length, target, random) : target;
        return saying(digitsWithSum(length, sum, random));
      },
      tableTokens: 10,
    };
  },
});
