// Exact match and token F1 of short answers after the normalisation of SQuAD (Rajpurkar et al. 2016): lower
// case, punctuation and articles left out, blanks made one. Unlike there, what makes another number of digits
// stays: "1.8", "1/8" and "-18" are not 18.
import type { Example, Trajectory } from "../../types.ts";
import { defineReward, finalAnswer } from "../rewardRule.ts";
import { lastTagged } from "../taggedAnswer.ts";

// The characters of Python's string.punctuation, as in SQuAD's own script.
const PUNCTUATION = /(?<=^|\s|\d)([-+.,/:^*](?=\d))|[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g;

/** Words of an answer, normalised. */
export function normalizedWords(text: string): readonly string[] {
  const plain = text
    .toLowerCase()
    .replace(/(?<=\d),(?=\d{3}(?!\d))/g, "")
    .replace(PUNCTUATION, "$1")
    .replace(/\b(?:a|an|the)\b/g, " ");
  return plain.split(/\s+/).filter((word) => word !== "");
}

/** 1 when both have the same words in the same order, else 0. */
export function exactMatch(answer: string, gold: string): number {
  return normalizedWords(answer).join(" ") === normalizedWords(gold).join(" ") ? 1 : 0;
}

/** Harmonic mean of the shares of words that the two have in common; 1 where neither has any. */
export function tokenF1(answer: string, gold: string): number {
  const said = normalizedWords(answer);
  const wanted = normalizedWords(gold);
  if (said.length === 0 || wanted.length === 0) return said.length === wanted.length ? 1 : 0;
  const left = new Map<string, number>();
  for (const word of wanted) left.set(word, (left.get(word) ?? 0) + 1);
  let common = 0;
  for (const word of said) {
    const count = left.get(word) ?? 0;
    if (count === 0) continue;
    left.set(word, count - 1);
    common += 1;
  }
  return (2 * common) / (said.length + wanted.length);
}

/** Compares an answer with the gold one; none is a wrong one. */
export function compared(answer: string | null, { answer: gold }: Example, compare: (answer: string, gold: string) => number): number {
  return answer === null ? 0 : compare(answer, gold);
}

const tagged = (trajectory: Trajectory): string | null => lastTagged(finalAnswer(trajectory));

/** Whether the <answer> has the words of `example.answer`; one that is missing has no words. */
export const isExact = (example: Example, trajectory: Trajectory): boolean => exactMatch(tagged(trajectory) ?? "", example.answer) === 1;

/** 1 when the <answer> has the words of `example.answer`. */
export const em = defineReward({
  name: "em",
  title: "Exact match",
  help: "1 when the text in <answer> has exactly the words of the gold answer, case, punctuation and articles aside, else 0.",
  weight: 1,
  paysAnswers: true,
  score: (_, example, trajectory) => compared(tagged(trajectory), example, exactMatch),
});

/** Token F1 of the <answer> against `example.answer`. */
export const f1 = defineReward({
  name: "f1",
  title: "Token F1",
  help: "How many words the text in <answer> and the gold answer share: the harmonic mean of precision and recall.",
  weight: 0,
  paysAnswers: true,
  score: (_, example, trajectory) => compared(tagged(trajectory), example, tokenF1),
});
