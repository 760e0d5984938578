// Whether the answer that a text comes to is the right number, for policies that were asked for no form:
// the last box, else the last <answer>, else what follows the last "####" (as in GSM8K), else the last number.
import { z } from "../../../protocol/zod.ts";
import { isNumeric, lastBoxed, sameAnswer } from "../match/semanticMatch.ts";
import { finalAnswer } from "../rewardRule.ts";
import { lastTagged } from "../taggedAnswer.ts";
import { defineLibraryRule } from "./libraryRule.ts";

const DIGITS = String.raw`(?:[1-9]\d{0,2}(?:,\d{3})+(?![\d,])|\d+)(?:\.\d+)?|\.\d+`;
/** A number as it stands in prose; a sign belongs to it unless it joins two numbers or words. */
const NUMBER = new RegExp(
  String.raw`(?:(?<![\w)\]}])[-+\u2212])?[$€£¥]?(?:\\[dtc]?frac ?(?:\{[^{}]*\}|\d) ?(?:\{[^{}]*\}|\d)|(?:${DIGITS})(?: ?/ ?\d+)?(?:e[-+]?\d+)? ?(?:\\?%)?)`,
  "g",
);
/** A number that matters is not farther from the end than this. */
const LOOK_BACK = 2000;

/** The answer that a text marks as its own; null where it marks none. */
export function markedAnswer(text: string): string | null {
  const at = text.lastIndexOf("####");
  return lastBoxed(text) ?? lastTagged(text) ?? (at < 0 ? null : (text.slice(at + 4).split("\n", 1)[0] ?? null));
}

/** The numbers that stand near the end of a text, as they are written there. */
export function numbersIn(text: string): readonly string[] {
  return text.slice(-LOOK_BACK).match(NUMBER) ?? [];
}

/** The number that a text comes to, as it is written there; null where it holds none. */
export function statedNumber(text: string): string | null {
  return markedAnswer(text) ?? numbersIn(text).at(-1) ?? null;
}

/** 1 when the answer means the same number as `example.answer`, else 0; null where that is no number. */
export const numericMatch = defineLibraryRule({
  name: "numericMatch",
  title: "Right number",
  help: "1 when the number that the text comes to equals the gold answer (0.5, 1/2 and 50% agree), else 0; not scored where the gold answer is no number.",
  weight: 1,
  settingsSchema: z.strictObject({}),
  score(_, example, trajectory) {
    if (!isNumeric(example.answer)) return null;
    const stated = statedNumber(finalAnswer(trajectory) ?? "");
    return stated !== null && sameAnswer(stated, example.answer) ? 1 : 0;
  },
});
