// Whether two written answers mean the same: numbers are compared as exact fractions, so that 0.5,
// 1/2 and \frac{1}{2} agree, points, sets, intervals and matrices part by part, anything else as normalised text. A number
// never equals what is none. Never throws, and takes time linear in the text: every pattern scans without nested repetition,
// and only short texts are parsed.
import { plainText, ROW } from "./plainText.ts";
import { parseQuantity, type Quantity } from "./quantity.ts";

/** Content of the last complete \boxed{...} (nested braces kept), or null. */
export function lastBoxed(text: string): string | null {
  const openings: number[] = [];
  let isBox = false;
  let content: string | null = null;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "\\") {
      isBox = text.startsWith("\\boxed", i);
      i += isBox ? 5 : 1;
    } else if (char === "{") {
      openings.push(isBox ? i + 1 : -1);
      isBox = false;
    } else if (char === "}") {
      const start = openings.pop();
      if (start !== undefined && start >= 0) content = text.slice(start, i);
      isBox = false;
    } else if (char !== " ") isBox = false;
  }
  return content;
}

/** What divides a text into parts that are compared each by itself. */
const SEPARATOR = new RegExp(String.raw`(\\(?:begin|end)\{\w{1,20}\*?\}|\\[{}|]|[()[\],;&|${ROW}]|\\cup|∪)`);

/** The part between separators in one spelling: as a number where it is one. */
function partKey(part: string): string {
  const quantity = parseQuantity(part.trim());
  if (quantity) return `${quantity.key} ${quantity.unit} ${quantity.name}`;
  return part
    .replace(/ /g, "")
    .replace(/\{([^{}\\])\}/g, "$1")
    .replace(/^\{([^{}]*)\}$/, "$1")
    .toLowerCase();
}

function sameText(a: string, b: string): boolean {
  // The letter of a choice, with or without parentheses.
  const [first, other] = [a, b].map((plain) => plain.replace(/^\(([a-zA-Z])\)$/, "$1").split(SEPARATOR));
  if (!first || first.length !== other?.length) return false;
  const [keys, otherKeys] = [first, other].map((parts) => parts.map((part, i) => (i % 2 === 0 ? partKey(part) : part)));
  return ordered(keys!).join(ROW) === ordered(otherKeys!).join(ROW);
}

/** The parts of a set in one order; all others as they are. */
function ordered(keys: readonly string[]): readonly string[] {
  const isSet = keys[0] === "" && keys[1] === "\\{" && keys.at(-2) === "\\}" && keys.at(-1) === "";
  const inner = keys.slice(2, -2);
  return isSet && inner.every((key, i) => i % 2 === 0 || key === ",") ? inner.filter((_, i) => i % 2 === 0).sort() : keys;
}

function sameQuantity(a: Quantity, b: Quantity): boolean {
  const isOther = (one: string, other: string) => one !== other && one !== "" && other !== "";
  if (isOther(a.unit, b.unit) || isOther(a.name, b.name)) return false;
  if (a.key === b.key) return true;
  // 50% is 50 where the question asks for percent, and 1/2 where it does not.
  if (a.unit === "%" && b.unit === "") return a.hundredth === b.key;
  return b.unit === "%" && a.unit === "" && a.key === b.hundredth;
}

/**
 * Whether two answers mean the same. Numbers: whole, signed, decimal, fraction, mixed, LaTeX, with
 * thousands separators, percent, scientific notation, powers, roots, factorials; a unit or a name counts only where both
 * have one. Other text: equal up to case, spaces and LaTeX dress. Symmetric; an empty answer equals nothing.
 */
export function sameAnswer(answer: string, gold: string): boolean {
  const plainAnswer = plainText(answer);
  const plainGold = plainText(gold);
  if (plainAnswer === "" || plainGold === "") return false;
  const quantity = parseQuantity(plainAnswer);
  const goldQuantity = parseQuantity(plainGold);
  if (quantity && goldQuantity) return sameQuantity(quantity, goldQuantity);
  // One of them is no number: without its spaces "8 5" would look like 85.
  if (quantity || goldQuantity) return false;
  return sameText(plainAnswer, plainGold);
}

/** The answer as a number, where it is one. */
export function quantityOf(answer: string): Quantity | null {
  return parseQuantity(plainText(answer));
}

/** Whether an answer reads as a number. */
export function isNumeric(answer: string): boolean {
  return quantityOf(answer) !== null;
}
