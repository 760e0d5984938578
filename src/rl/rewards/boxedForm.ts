// Form of the answer, right or wrong: a partial reward for policies that do not yet know how to answer.

import { isNumeric, lastBoxed } from "./match/semanticMatch.ts";
import { defineReward, finalAnswer } from "./rewardRule.ts";

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
