// Whether two written answers mean the same: numbers are compared as exact fractions, so that 0.5,
// 1/2 and \frac{1}{2} agree, anything else as normalised text. A number never equals what is none. Never throws, and takes time linear in
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

const VULGAR: Readonly<Record<string, string>> = {
  ...{ "½": "12", "⅓": "13", "⅔": "23", "¼": "14", "¾": "34", "⅕": "15", "⅖": "25", "⅗": "35", "⅘": "45" },
  ...{ "⅙": "16", "⅚": "56", "⅛": "18", "⅜": "38", "⅝": "58", "⅞": "78" },
};
const CURRENCIES: Readonly<Record<string, string>> = { $: "dollar", "€": "euro", "£": "gbp", "¥": "yen" };
const SYMBOLS: Readonly<Record<string, string>> = {
  ...{ times: "×", cdot: "×", le: "≤", leq: "≤", ge: "≥", geq: "≥", ne: "≠", neq: "≠", pm: "±", pi: "π", infty: "∞" },
};
const SYMBOL = /\\(times|cdot|leq?|geq?|neq?|pm|pi|infty)(?![a-zA-Z])/g;
const DOLLAR = /\\?\$/g;

/** Takes away the $ that open and close mathematics: those without a backslash, where they come in pairs. */
function withoutDelimiters(answer: string): string {
  const marks = answer.match(DOLLAR) ?? [];
  const isPaired = marks.filter((mark) => mark === "$").length % 2 === 0;
  return answer.replace(DOLLAR, (mark) => (mark === "$" && isPaired ? "" : "$"));
}

/** Writes a currency's sign behind its number, as a unit. */
function currencyBehind(plain: string): string {
  const found = /^([-+]? ?)([$€£¥]) ?([-+]?[\d.\\][^$€£¥]*)$/.exec(plain) ?? /^([-+]?)([$€£¥])?([^$€£¥]*)([$€£¥])$/.exec(plain);
  if (!found) return plain;
  const [, sign = "", before, amount = "", behind] = found;
  if (before && behind) return plain;
  return `${sign}${amount.trim()} ${CURRENCIES[before ?? behind ?? ""]}`;
}

/** Removes what does not change a meaning: math delimiters, spacing and font commands, typographic variants. */
function plainText(answer: string): string {
  const plain = withoutDelimiters(answer)
    .replace(/\\boxed|\\!/g, "")
    .replace(/[\u2212\u2012\u2013\uFE63\uFF0D]/g, "-")
    .replace(/[\u2044\u2215]/g, "/")
    .replace(/\u2019/g, "'")
    .replace(/[½⅓⅔¼¾⅕-⅚⅛-⅞]/g, (char) => `\\frac${VULGAR[char]}`)
    .replace(/[\u00A0\u2009\u202F]|\\[,;: ]|\\q?quad(?![a-zA-Z])|~/g, " ")
    .replace(/\\[()[\]]/g, "")
    .replace(/\\(?:left|right|displaystyle|textstyle)(?![a-zA-Z])/g, "")
    .replace(/\\(?:text|textbf|textit|textrm|mathrm|mathbf|mbox)(?: ?)\{([^{}]*)\}/g, " $1 ")
    .replace(/\\(?:[dtcs]frac|nicefrac)/g, "\\frac")
    .replace(/\\%|per ?cent(?![a-z])/g, "%")
    .replace(/(?:\^\{?\\circ\}?|°) ?(?:([CF])(?![a-zA-Z]))?/g, (_, scale?: string) =>
      scale ? ` degrees ${scale === "C" ? "celsius" : "fahrenheit"} ` : " degrees ",
    )
    .replace(SYMBOL, (_, name: string) => SYMBOLS[name] ?? name)
    .replace(/\{,\}/g, ",")
    .replace(/\s+/g, " ")
    .replace(/ \^/g, "^")
    .trim()
    .replace(/[.,;:!]{1,8}$/, "")
    .replace(/^(\*\*|`)(.*)\1$/, "$2")
    .replace(/[.,;:!]{1,8}$/, "")
    .trim();
  return currencyBehind(plain);
}

/** Longest text that is read as a number; longer ones are compared as text. */
const MAX_NUMBER_LENGTH = 256;

function quantityOf(plain: string): Quantity | null {
  if (plain.length > MAX_NUMBER_LENGTH) return null;
  return parseQuantity(plain.replace(/^[a-zA-Z] ?= ?/, "").replace(/^(?:minus|negative) (?=[\d.\\])/i, "-"));
}

function textKey(plain: string): string {
  const key = plain
    .replace(/ /g, "")
    .replace(/\{([^{}\\])\}/g, "$1")
    .replace(/^\{([^{}]*)\}$/, "$1")
    .toLowerCase();
  // The letter of a choice, with or without parentheses.
  return key.replace(/^\(([a-z])\)$/, "$1");
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
 * thousands separators, percent, scientific notation, powers; a unit counts only where both name one. Other
 * text: equal up to case, spaces and LaTeX dress. Symmetric; an empty answer equals nothing.
 */
export function sameAnswer(answer: string, gold: string): boolean {
  const [plainAnswer, plainGold] = [plainText(answer), plainText(gold)];
  if (plainAnswer === "" || plainGold === "") return false;
  const [quantity, goldQuantity] = [quantityOf(plainAnswer), quantityOf(plainGold)];
  if (quantity && goldQuantity) return sameQuantity(quantity, goldQuantity);
  // One of them is no number: without its spaces "8 5" would look like 85.
  if (quantity || goldQuantity) return false;
  return textKey(plainAnswer) === textKey(plainGold);
}

/** Whether an answer reads as a number. */
export function isNumeric(answer: string): boolean {
  return quantityOf(plainText(answer)) !== null;
}
