// Emit N digits whose sum is a target: the smallest task that shows all of GRPO. Usually there is one problem,
// so training and evaluation ask the same question; what is evaluated is the greedy answer and fresh samples.
// With varying targets each problem shows its own, and some targets are held out.

import { flag, integer, number, section } from "../../protocol/field.ts";
import { InputError } from "../../protocol/problems.ts";
import { z } from "../../protocol/zod.ts";
import { isHeldOut, problemStream } from "../data/problems.ts";
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
    varied: flag(
      false,
      "Varying targets",
      "Every problem asks for a sum of its own and shows it in the prompt; one sum in eight is held out. A table cannot read a prompt, so this needs a transformer.",
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

/** All sums of so many digits, one in eight of them held out. */
function variedTargets(length: number) {
  const sums = Array.from({ length: 9 * length + 1 }, (_, sum) => sum);
  const isAway = (sum: number) => isHeldOut(`${length}-digits-sum-${sum}`);
  return { training: sums.filter((sum) => !isAway(sum)), evaluation: sums.filter(isAway) };
}

/** A sum with as many digits as the largest one has. */
function shownSum(sum: number, length: number): string {
  return String(sum).padStart(String(9 * length).length, "0");
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
  create({ length, target, varied, scale }, seed) {
    if (target > 9 * length) {
      const message = `taskOptions.target must be <= ${9 * length} (9 times taskOptions.length ${length}), got ${target}`;
      throw new InputError([{ field: "taskOptions.target", message }]);
    }
    const asked = varied ? variedTargets(length) : { training: [target], evaluation: [target] };
    const exampleOf = (sum: number): Example => ({
      id: `${length}-digits-sum-${sum}`,
      // Where sums vary, the policy has to read which one is meant: its renderer shows it digits only.
      messages: [{ role: "user", content: varied ? shownSum(sum, length) : `Emit ${length} digits whose sum is ${sum}.` }],
      answer: String(sum),
    });
    return {
      trainLoader: () => problemStream(seed, "digit-sum", (random) => exampleOf(random.pick(asked.training))),
      evaluation: (count) => asked.evaluation.slice(0, count).map(exampleOf),
      envs: singleTurnEnvs,
      rewards: [sumCloseness.part({ length, scale })],
      isSuccess: (example, trajectory) => String(digitSumOf(finalAnswer(trajectory), length)) === example.answer,
      hasForm: (_, trajectory) => digitSumOf(finalAnswer(trajectory), length) !== null,
      demonstration({ answer }, random, noise) {
        const right = Number(answer);
        const sum = random.uniform() < noise ? missedSum(length, right, random) : right;
        return saying(digitsWithSum(length, sum, random));
      },
      ...(varied ? {} : { tableTokens: 10 }),
    };
  },
});
