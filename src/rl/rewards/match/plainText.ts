// Brings written answers to one dress: mathematics in LaTeX, in Unicode and in plain signs is written one way.

const VULGAR: Readonly<Record<string, string>> = {
  "½": "12",
  "⅓": "13",
  "⅔": "23",
  "¼": "14",
  "¾": "34",
  "⅕": "15",
  "⅖": "25",
  "⅗": "35",
  "⅘": "45",
  "⅙": "16",
  "⅚": "56",
  "⅛": "18",
  "⅜": "38",
  "⅝": "58",
  "⅞": "78",
};
const CURRENCIES: Readonly<Record<string, string>> = { $: "dollar", "€": "euro", "£": "gbp", "¥": "yen" };
const SYMBOLS: Readonly<Record<string, string>> = {
  times: "×",
  cdot: "×",
  le: "≤",
  leq: "≤",
  ge: "≥",
  geq: "≥",
  ne: "≠",
  neq: "≠",
  pm: "±",
  pi: "π",
  infty: "∞",
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

const SUPERSCRIPTS: Readonly<Record<string, string>> = Object.fromEntries([..."⁰¹²³⁴⁵⁶⁷⁸⁹⁻"].map((sign, i) => [sign, "0123456789-"[i]!]));
/** Stands for the \\\\ between the rows of a matrix. */
export const ROW = "⏎";

/** Leaves out the punctuation of a sentence at the end. A single ! behind a digit, a bracket or a letter alone is a factorial. */
function withoutMarks(plain: string): string {
  const cut = plain.replace(/[.,;:!]{1,8}$/, "");
  const marks = /^!+/.exec(plain.slice(cut.length))?.[0] ?? "";
  return /[\d)}\]]$|(?:^|[^a-zA-Z])[a-zA-Z]$/.test(cut) ? cut + marks : cut;
}

/** Removes what does not change a meaning: math delimiters, spacing and font commands, typographic variants. */
export function plainText(answer: string): string {
  const plain = withoutDelimiters(answer)
    .replace(/\\\\(?:\[\w{1,9}\])?/g, ROW)
    .replace(/(\d)(?:\{,\}|,\\!)(?=\d{3}(?!\d))/g, "$1")
    .replace(/\\boxed|\\!/g, "")
    .replace(/[\u2212\u2012\u2013\uFE63\uFF0D]/g, "-")
    .replace(/[\u2044\u2215]/g, "/")
    .replace(/\u2019/g, "'")
    .replace(/[½⅓⅔¼¾⅕-⅚⅛-⅞]/g, (char) => `\\frac${VULGAR[char]}`)
    .replace(/[\u00A0\u2009\u202F]|\\[,;: ]|\\q?quad(?![a-zA-Z])|~/g, " ")
    .replace(/\\[()[\]]/g, "")
    .replace(/\\(?:left|right|[bB]igg?[lr]?|displaystyle|textstyle)(?![a-zA-Z])/g, "")
    .replace(/[pbB]matrix(?=\*?\})/g, "matrix")
    .replace(/\\(?:text|textbf|textit|textrm|mathrm|mathbf|boldsymbol|bm|mbox)(?: ?)\{([^{}]*)\}/g, " $1 ")
    .replace(/\\(?:[dtcs]frac|nicefrac)/g, "\\frac")
    .replace(/√ ?(\d+(?:\.\d+)?)|√/g, (_, digits?: string) => (digits ? `\\sqrt{${digits}}` : "\\sqrt"))
    .replace(/(?<![a-zA-Z\\])sqrt(?= ?[({])/g, "\\sqrt")
    .replace(/⁻?[⁰¹²³⁴-⁹]+/g, (signs) => `^{${[...signs].map((sign) => SUPERSCRIPTS[sign]).join("")}}`)
    .replace(/(\d) ?\*\* ?(?=[\d({])/g, "$1^")
    .replace(/\\%|per ?cent(?![a-z])/g, "%")
    .replace(/(?:\^ ?\{? ?\\circ ?\}?|\\degree(?![a-zA-Z])|°) ?(?:([CF])(?![a-zA-Z]))?/g, (_, scale?: string) =>
      scale ? ` degrees ${scale === "C" ? "celsius" : "fahrenheit"} ` : " degrees ",
    )
    .replace(SYMBOL, (_, name: string) => SYMBOLS[name] ?? name)
    .replace(/(?<![a-zA-Z\\])pi(?![a-zA-Z])/g, "π")
    .replace(/\{,\}/g, ",")
    .replace(/\s+/g, " ")
    .replace(/ \^/g, "^")
    .trim();
  return currencyBehind(withoutMarks(withoutMarks(plain).replace(/^(\*\*|`)(.*)\1$/, "$2")).trim());
}
