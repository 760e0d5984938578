// What a text comes to, and whether that is the gold answer: what it marks as its answer, else what stands behind "the answer
// is", else its last number. It is read whole or not at all.
import { lastTagged } from "../taggedAnswer.ts";
import { type Run, runsOf } from "./runs.ts";
import { isNumeric, lastBoxed, quantityOf, sameAnswer } from "./semanticMatch.ts";
import { exactMatch } from "./textMatch.ts";
import { isChanging, isMultiple, isNumeral } from "./unit.ts";

/** A number that matters is not farther from the end than this, and an answer not longer. */
const LOOK_BACK = 2000;
const ANSWER_IS = /\banswer(?:\s+is\b|\s*[:=])(?:\s*[:=])?(?:\s+(?:therefore|thus|then|simply|exactly|just|about|equal to)\b)?/gi;
/** Words with which something else begins than what is counted. */
const FUNCTION_WORDS = new Set(
  `a an the is are was were be been has have had do does did will would can could should may might must in on at of for from with without
  to by as so if or and but because since that which who when where while after before until than then there here not it its he his she
  her they their them we our you your i my this these those into onto out through during between each`.split(/\s+/),
);
/** Words that change the number before them where a number in words follows. */
const JOINED = new Set("and or to plus minus times over under above below by than of off from less".split(" "));
/** What changes the number behind it. */
const CHANGED =
  /(?:\b(?:root|half|thirds?|quarters?|fourths?|fifths?|tenths?|power|square|cube|log|logarithm|reciprocal|inverse|negative|percent)|%) of(?: an?| the)?$|\b(?:log|ln|sin|cos|tan|twice|thrice|double|triple|times|than|plus|minus|under|below|over|above|base|most|least|or equal to|up to|no longer|(?:not|never|cannot|\w+n['’]t)(?: be)?)$/;
/** What behind a number, and behind what is counted, makes a bound of it or a difference. */
const BOUND =
  /^(?:(?:or|and) (?:more|less|fewer|greater|larger|smaller|higher|lower|older|younger|above|below|over|under|up)\b|at (?:most|least)\b|than$)/;
/** What may stand before the last = of an equation that gives a number: arithmetic, or something with a name. */
const NAMED = /^[^a-zA-Z]*$|^[a-zA-Z]+'?(?:_\w+)?(?:\(.*\))?$/;

/** The answer that a text marks as its own; null where it marks none. */
function markedAnswer(text: string): string | null {
  const at = text.lastIndexOf("####");
  return lastBoxed(text) ?? lastTagged(text) ?? (at < 0 ? null : (text.slice(at + 4).split("\n", 1)[0] ?? null));
}

/** The rest of the line behind the last "the answer is". */
function behindAnswerIs(text: string): string | null {
  const found = [...text.matchAll(ANSWER_IS)].at(-1);
  return found ? (text.slice(found.index + found[0].length).split("\n", 1)[0] ?? null) : null;
}

/** Whether the words around a number make another one of it. */
function isChanged({ text, before, after }: Run): boolean {
  const isNumber = (word = "") => isNumeral(word) || isMultiple(word) || /^(?:freezing|nothing|power)$|\d/.test(word);
  const written = after.filter((word) => !/^(?:an?|the)$/.test(word));
  const behind = written.map((word) => word.replace(/\W/g, ""));
  const isJoined = (word: string, i: number) => JOINED.has(word) && isNumber(behind[i + 1]);
  return (
    CHANGED.test(before.join(" ")) ||
    BOUND.test(behind.slice(behind.findIndex((word) => FUNCTION_WORDS.has(word))).join(" ")) ||
    // "7 (seven)" and "seven (7)" say one number twice.
    (isNumeral(before.findLast((word) => word !== "and") ?? "") && !text.startsWith("(")) ||
    isNumeral(written[0] ?? "") ||
    [behind[0], behind.at(-1)].some((word) => word === "below" || word === "under") ||
    behind.some((word, i) => isJoined(word, i) || (isChanging(word) && !JOINED.has(word) && !FUNCTION_WORDS.has(word)))
  );
}

/** What an expression comes to: what stands behind its last =; null where that is one of several or of an unknown. */
function lastSide(text: string): string | null {
  const plain = text.replace(/^\$([^$]*)\$$/, "$1");
  const sides = plain.split(/(?<![<>!])=|≈|\\approx(?![a-zA-Z])/);
  if (sides.length === 1 || (sides.length === 2 && isNumeric(plain))) return plain;
  const named = sides[0]!.replace(/\\[a-zA-Z]+|[\s${}]/g, "").replace(/([\d%)])x(?=[\d(])/g, "$1*");
  // "x=1,y=2"
  const isListed = sides.slice(1, -1).some((side) => /(?<!\\)[,;](?!\d{3}|\})/.test(side));
  return NAMED.test(named) && !isListed && !/\s(?:and|or)\s/i.test(plain) ? sides.at(-1)! : null;
}

/** Whether an expression, with the words behind it, is the number `gold`. */
export function isNumber(run: Run, gold: string): boolean {
  const side = lastSide(run.text);
  if (side === null || isChanged(run)) return false;
  const end = run.after.findIndex((word) => FUNCTION_WORDS.has(word));
  const words = run.after.slice(0, end < 0 ? undefined : end);
  const rest = words.findIndex((word) => !isMultiple(word) && word !== "percent");
  const multiples = rest < 0 ? words.length : rest;
  // Where the gold answer has a unit, the one here must be it, whatever is said of it further on.
  const hasUnit = (quantityOf(gold)?.unit ?? "") !== "" && words.length > multiples;
  const lengths = hasUnit ? words.slice(multiples).map((_, i) => multiples + i + 1) : [multiples];
  const isSame = (text: string) => lengths.some((length) => sameAnswer([text, ...words.slice(0, length)].join(" "), gold));
  return isSame(side) || (run.isLoud && isSame(`${side}!`));
}

/** The expressions with a number in them that stand near the end of a text. */
export function numbersIn(text: string): readonly Run[] {
  // What is cut is not read.
  return runsOf(text.length > LOOK_BACK ? text.slice(-LOOK_BACK).replace(/^\S+/, "") : text);
}

/** Whether a text comes to the number `gold`. */
export function statesNumber(text: string, gold: string): boolean {
  const marked = markedAnswer(text);
  if (marked !== null && (sameAnswer(marked, gold) || isNumeric(marked))) return sameAnswer(marked, gold);
  const first = runsOf((marked ?? behindAnswerIs(text) ?? "").slice(0, LOOK_BACK))[0];
  if (first?.isFirst) return !first.isListed && isNumber(first, gold);
  const last = marked === null ? numbersIn(text).at(-1) : undefined;
  return last !== undefined && isNumber(last, gold);
}

/** What no word holds: without it "(1,234)" would be 1234 and "x^2" x2. */
const MATHEMATICS = /[\\^_{}()[\]<>=+*/|$%&~]|[-.,;:'’]\d|(?<!\w)-/;

/** Whether a text comes to `gold`, which is no number. */
export function statesText(text: string, gold: string): boolean {
  const behind = behindAnswerIs(text);
  const sentence = behind === null ? text : behind.split(/[.!?](?:\s|$)/, 1)[0]!;
  const clause = sentence.split(/,\s(?!\d)|\s(?:because|since|so|as)\s|\s\((?=[a-z]{2})/, 1)[0]!;
  const marked = markedAnswer(text);
  const isSame = (answer: string) =>
    sameAnswer(answer, gold) || (!MATHEMATICS.test(answer) && !MATHEMATICS.test(gold) && exactMatch(answer, gold) === 1);
  return (marked === null ? [text, ...(behind === null ? [] : [behind, sentence, clause])] : [marked]).some(isSame);
}
