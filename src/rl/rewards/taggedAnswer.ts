// The answer between <answer> and </answer>: what of a turn is judged, and whether it is right.

import type { TaskInstance } from "../tasks/task.ts";
import type { Trajectory } from "../types.ts";
import { sameAnswer } from "./match/semanticMatch.ts";
import { defineReward, finalAnswer } from "./rewardRule.ts";

/** Text of the last complete <answer>, blanks around it left out; null where there is none. */
export function lastTagged(text: string | null): string | null {
  if (text === null) return null;
  const close = text.lastIndexOf("</answer>");
  const open = close < 0 ? -1 : text.lastIndexOf("<answer>", close);
  return open < 0 ? null : text.slice(open + "<answer>".length, close).trim();
}

/** What stands between a tag and the next one that closes it, in order; what lies within is not looked into. */
export function enclosed<Tag extends string>(text: string, tags: readonly Tag[]): { readonly tag: Tag; readonly content: string }[] {
  const found: { tag: Tag; content: string }[] = [];
  // A tag that nothing closes any more is looked for once.
  const closable = new Set<string>(tags);
  let at = 0;
  for (const { 0: opening, 1: name, index } of text.matchAll(/<(\w+)>/g)) {
    const tag = tags.find((each) => each === name);
    if (tag === undefined || index < at || !closable.has(tag)) continue;
    const begin = index + opening.length;
    const close = `</${tag}>`;
    const end = text.indexOf(close, begin);
    if (end < 0) closable.delete(tag);
    else found.push({ tag, content: text.slice(begin, end) });
    at = end < 0 ? at : end + close.length;
  }
  return found;
}

/** Whether the last answer of the text means the same as the gold answer; without one it does not. */
function taggedMatches(text: string | null, gold: string): boolean {
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
  paysAnswers: true,
  score: (_, example, trajectory) => (taggedMatches(finalAnswer(trajectory), example.answer) ? 1 : 0),
});

/** 1 when the conversation ended by itself with an <answer>, else 0. */
export const taggedForm = defineReward({
  name: "taggedForm",
  title: "Right form",
  help: "1 when the conversation ends by itself with a text between <answer> and </answer>, else 0.",
  weight: 0,
  score: (_, __, trajectory) => (hasTaggedForm(trajectory) ? 1 : 0),
});

const hasTaggedForm = (trajectory: Trajectory): boolean => trajectory.stopReason === "completed" && hasTagged(finalAnswer(trajectory));

/** How tasks judge an answer between tags. */
export const judgedByTag: Pick<TaskInstance, "isSuccess" | "hasForm"> = {
  isSuccess: (example, trajectory) => taggedMatches(finalAnswer(trajectory), example.answer),
  hasForm: (_, trajectory) => hasTaggedForm(trajectory),
};
