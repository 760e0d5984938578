// Arithmetic that is too hard for the head, with a calculator at hand: the policy has to write the call
// and to copy the result. Worked conversations make one call of the whole expression.

import { flag, integer, section } from "../../../protocol/config/field.ts";
import { z } from "../../../protocol/zod.ts";
import { splitProblems } from "../../data/splitProblems.ts";
import { toolEnv } from "../../envs/toolEnv.ts";
import type { Random } from "../../random.ts";
import { repeatedCalls, toolErrors } from "../../rewards/reportedRewards.ts";
import { judgedByTag, taggedAnswer, taggedForm } from "../../rewards/taggedAnswer.ts";
import type { Speaker } from "../../rollout/demonstration.ts";
import { calculate, evaluateExpression } from "../../tools/calculate.ts";
import { SHORT_ANSWERS } from "../classic/textTask.ts";
import { defineTask } from "../task.ts";

const optionsSchema = z.strictObject(
  section("task", {
    largestOperand: integer(9, 9999, 99, "Largest operand", "Numbers run from 2 to this."),
    operations: integer(1, 4, 2, "Operations", "Most operations in an expression; every count up to it is equally likely."),
    maxCalls: integer(1, 8, 3, "Most calls", "Calls of the calculator that are run in one conversation."),
    announceTools: flag(
      false,
      "Describe the tool",
      "Describe the calculator in the system turn, some 120 tokens more. A policy trained with it knows it without.",
    ),
  }),
);

const expressionOf = (terms: readonly (string | number)[]) => terms.join(" ");

/** The right value as the calculator writes it. */
function exactValue(terms: readonly (string | number)[]): number {
  const value = evaluateExpression(expressionOf(terms));
  if (value === null) throw new Error(`internal: ${expressionOf(terms)} is no expression`);
  return value;
}

/** The numbers and signs of a text that asks in the task's own form; null where it does not. */
function termsIn(prompt: string): readonly (string | number)[] | null {
  const [, expression] = /^What is (\d{1,4}(?: [-+*] \d{1,4}){1,8})\?$/.exec(prompt) ?? [];
  const terms = expression?.split(" ").map((term, i) => (i % 2 === 0 ? Number(term) : term));
  return terms && expressionOf(terms) === expression ? terms : null;
}

/** The expression with a digit of one number misread, so that its value is another. */
function misread(terms: readonly (string | number)[], random: Random): readonly (string | number)[] {
  for (;;) {
    const at = 2 * random.below((terms.length + 1) / 2);
    const digits = [...String(terms[at])];
    digits[random.below(digits.length)] = String(random.below(10));
    const changed = terms.map((term, i) => (i === at ? Number(digits.join("")) : term));
    if (exactValue(changed) !== exactValue(terms)) return changed;
  }
}

/** Calls the calculator, then says what it returned. */
function caller(terms: readonly (string | number)[]): Speaker {
  const call = { id: "call-1", name: calculate.spec.name, arguments: { expression: expressionOf(terms) } };
  return ({ messages }) => {
    const last = messages.at(-1);
    if (last?.role !== "tool") return { role: "assistant", content: "", toolCalls: [call] };
    return { role: "assistant", content: `<answer>${last.content}</answer>` };
  };
}

export const calculator = defineTask({
  id: "calculator",
  title: "Calculator",
  summary: "Answer a question of arithmetic by calling a calculator.",
  rendererKind: "chat",
  severalTurns: true,
  callsTools: true,
  optionsSchema,
  rewards: [taggedAnswer, taggedForm, toolErrors, repeatedCalls],
  config: { ...SHORT_ANSWERS, checkpoint: "tools", maxCompletionTokens: 48 },
  create({ largestOperand, operations, maxCalls, announceTools }, seed) {
    const { trainLoader, evaluation, problemOf, exampleOf } = splitProblems<readonly (string | number)[]>(
      {
        label: "calculator",
        draw(random) {
          const operand = () => 2 + random.below(largestOperand - 1);
          const terms: (string | number)[] = [operand()];
          for (let left = 1 + random.below(operations); left > 0; left--) terms.push(random.pick(["+", "-", "*"]), operand());
          return terms;
        },
        pose: (terms) => ({
          messages: [{ role: "user", content: `What is ${expressionOf(terms)}?` }],
          answer: String(exactValue(terms)),
        }),
      },
      seed,
    );
    return {
      trainLoader,
      evaluation,
      asks(prompt) {
        const terms = termsIn(prompt);
        return terms ? exampleOf(terms) : undefined;
      },
      envs: { build: (example) => toolEnv(example, [calculate], { maxCalls, announces: announceTools }) },
      maxTurns: maxCalls + 1,
      rewards: [taggedAnswer.part(), taggedForm.part(), toolErrors.part(), repeatedCalls.part()],
      ...judgedByTag,
      demonstration(example, random, noise) {
        const terms = problemOf(example);
        return caller(random.uniform() < noise ? misread(terms, random) : terms);
      },
    };
  },
});
