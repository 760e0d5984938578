// Whether two written answers mean the same: numbers are compared as exact fractions, so that 0.5,
// 1/2 and \frac{1}{2} agree, anything else as normalised text. Never throws, and takes time linear in
// the text: every pattern below scans without nested repetition, and only short texts are parsed.
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

const VULGAR: Readonly<Record<string, string>> = { "½": "\\frac12", "⅓": "\\frac13", "⅔": "\\frac23", "¼": "\\frac14", "¾": "\\frac34" };

/** Removes what does not change a meaning: math delimiters, spacing and font commands, typographic variants. */
function plainText(answer: string): string {
  return answer
    .replace(/\\boxed|\\!/g, "")
    .replace(/[\u2212\u2012\u2013\uFE63\uFF0D]/g, "-")
    .replace(/[\u2044\u2215]/g, "/")
    .replace(/[½⅓⅔¼¾]/g, (char) => VULGAR[char] ?? char)
    .replace(/[\u00A0\u2009\u202F]|\\[,;: ]|~/g, " ")
    .replace(/\\[()[\]]|\\?\$/g, "")
    .replace(/\\(?:left|right|displaystyle|textstyle)(?![a-zA-Z])/g, "")
    .replace(/\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox)(?: ?)\{([^{}]*)\}/g, " $1 ")
    .replace(/\\[dtc]frac/g, "\\frac")
    .replace(/\\%|percent(?![a-z])/g, "%")
    .replace(/\^\{?\\circ\}?|°/g, " degrees ")
    .replace(/\\(?:times|cdot)(?![a-zA-Z])/g, "×")
    .replace(/\{,\}/g, ",")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/[.,;:!]{1,8}$/, "")
    .trim();
}

/** Longest text that is read as a number; longer ones are compared as text. */
const MAX_NUMBER_LENGTH = 256;

function quantityOf(plain: string): Quantity | null {
  if (plain.length > MAX_NUMBER_LENGTH) return null;
  return parseQuantity(plain.replace(/^[a-zA-Z] ?= ?/, ""));
}

function textKey(plain: string): string {
  return plain
    .replace(/\{([^{}\\])\}/g, "$1")
    .replace(/^\{([^{}]*)\}$/, "$1")
    .replace(/ /g, "")
    .toLowerCase();
}

function sameQuantity(a: Quantity, b: Quantity): boolean {
  const equal = (scaleA: bigint, scaleB: bigint) => a.numerator * b.denominator * scaleA === b.numerator * a.denominator * scaleB;
  if (a.unit !== b.unit && a.unit !== "" && b.unit !== "") return false;
  if (equal(1n, 1n)) return true;
  // 50% is 50 where the question asks for percent, and 1/2 where it does not.
  if (a.unit === "%" && b.unit === "") return equal(1n, 100n);
  return b.unit === "%" && a.unit === "" && equal(100n, 1n);
}

/**
 * Whether two answers mean the same. Numbers: whole, signed, decimal, fraction, mixed, LaTeX, with
 * thousands separators, percent, scientific notation; a unit counts only where both name one. Other
 * text: equal up to case, spaces and LaTeX dress. Symmetric; an empty answer equals nothing.
 */
export function sameAnswer(answer: string, gold: string): boolean {
  const [plainAnswer, plainGold] = [plainText(answer), plainText(gold)];
  if (plainAnswer === "" || plainGold === "") return false;
  const [quantity, goldQuantity] = [quantityOf(plainAnswer), quantityOf(plainGold)];
  if (quantity && goldQuantity) return sameQuantity(quantity, goldQuantity);
  return textKey(plainAnswer) === textKey(plainGold);
}

/** Whether an answer reads as a number. */
export function isNumeric(answer: string): boolean {
  return quantityOf(plainText(answer)) !== null;
}
