// The answer in \boxed{}: correctness, the one reward of verifiable arithmetic, and form, right or wrong, a partial
// reward for policies that do not yet know how to answer.
import { isNumeric, lastBoxed, sameAnswer } from "./match/semanticMatch.ts";
import { defineReward, finalAnswer } from "./rewardRule.ts";

/** Whether the last box of the text means the same as the gold answer; without a box it does not. */
export function boxedMatches(text: string | null, gold: string): boolean {
  const boxed = text === null ? null : lastBoxed(text);
  return boxed !== null && sameAnswer(boxed, gold);
}

/** 1 when the last \boxed{} means the same as `example.answer`, else 0; no box is a wrong answer. */
export const boxedAnswer = defineReward({
  name: "boxedAnswer",
  title: "Right answer",
  help: "1 when the last \\boxed{} means the same as the gold answer (0.5, 1/2 and \\frac{1}{2} agree), else 0.",
  weight: 1,
  paysAnswers: true,
  score: (_, example, trajectory) => (boxedMatches(finalAnswer(trajectory), example.answer) ? 1 : 0),
});

/** Whether the text has a complete \boxed{} with a number in it. */
export function hasBoxedNumber(text: string | null): boolean {
  const boxed = text === null ? null : lastBoxed(text);
  return boxed !== null && isNumeric(boxed);
}

/** 1 when the answer has a complete \boxed{} with a number in it and ended by itself, else 0. */
export const boxedForm = defineReward({
  name: "boxedForm",
  title: "Right form",
  help: "1 when the answer ends by itself and holds a complete \\boxed{} with a number in it, else 0.",
  weight: 0,
  score: (_, __, trajectory) => (trajectory.stopReason === "completed" && hasBoxedNumber(finalAnswer(trajectory)) ? 1 : 0),
});
