// The answer between <answer> and </answer>: what of a turn is judged, and whether it is right.

import { sameAnswer } from "./match/semanticMatch.ts";
import { defineReward, finalAnswer } from "./rewardRule.ts";

/** Text of the last complete <answer>, blanks around it left out; null where there is none. */
export function lastTagged(text: string | null): string | null {
  if (text === null) return null;
  const close = text.lastIndexOf("</answer>");
  const open = close < 0 ? -1 : text.lastIndexOf("<answer>", close);
  return open < 0 ? null : text.slice(open + "<answer>".length, close).trim();
}

/** Whether the last answer of the text means the same as the gold answer; without one it does not. */
export function taggedMatches(text: string | null, gold: string): boolean {
  const answer = lastTagged(text);
  return answer !== null && sameAnswer(answer, gold);
}

/** Whether the text holds an answer that is not empty. */
export function hasTagged(text: string | null): boolean {
  return (lastTagged(text) ?? "") !== "";
}

/** 1 when the last <answer> means the same as `example.answer`, else 0. */
export const taggedAnswer = defineReward({
  name: "taggedAnswer",
  title: "Right answer",
  help: "1 when the text between <answer> and </answer> means the same as the gold answer, else 0.",
  weight: 1,
  score: (_, example, trajectory) => (taggedMatches(finalAnswer(trajectory), example.answer) ? 1 : 0),
});

/** 1 when the conversation ended by itself with an <answer>, else 0. */
export const taggedForm = defineReward({
  name: "taggedForm",
  title: "Right form",
  help: "1 when the conversation ends by itself with a text between <answer> and </answer>, else 0.",
  weight: 0,
  score: (_, __, trajectory) => (trajectory.stopReason === "completed" && hasTagged(finalAnswer(trajectory)) ? 1 : 0),
});
