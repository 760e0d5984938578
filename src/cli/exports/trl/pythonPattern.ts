// A regular expression of JavaScript (flags s and u) as one of Python's re (DOTALL and ASCII), where both mean the same. What
// Python reads otherwise or not at all gives null, and the lab judges instead.

/** Blanks of JavaScript's \s; Python's are others. */
const BLANKS = "\\t\\n\\v\\f\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff";

/** What an escape becomes, by the letter behind the backslash; left out where it means something else there. */
const ESCAPES: Readonly<Record<string, { readonly outside: string | null; readonly inside: string | null }>> = {
  ...Object.fromEntries(["d", "D", "w", "W", "n", "r", "t", "f", "v"].map((letter) => [letter, same(`\\${letter}`)])),
  b: { outside: "\\b", inside: null },
  B: { outside: "\\B", inside: null },
  s: { outside: `[${BLANKS}]`, inside: BLANKS },
  S: { outside: `[^${BLANKS}]`, inside: null },
};

function same(text: string) {
  return { outside: text, inside: text };
}

/** Reads an escape at `at`; null where it has no counterpart. */
function escapeAt(source: string, at: number, isInside: boolean): readonly [text: string, length: number] | null {
  const letter = source[at + 1] ?? "";
  const hex = /^\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2}))/.exec(source.slice(at));
  const code = hex ? Number.parseInt(hex[1] ?? hex[2]!, 16) : null;
  // Halves of a pair are one sign for JavaScript and two for Python.
  if (hex && code !== null) return code >= 0xd800 && code < 0xe000 ? null : [`\\u${code.toString(16).padStart(4, "0")}`, hex[0].length];
  if (!/[A-Za-z0-9]/.test(letter)) return letter === "" ? null : [`\\${letter}`, 2];
  const known = ESCAPES[letter]?.[isInside ? "inside" : "outside"];
  return known === undefined || known === null ? null : [known, 2];
}

/** What opens a group, in Python's words. */
function groupAt(source: string, at: number): readonly [text: string, length: number] | null {
  const found = /^\((?:\?(?::|=|!|<([A-Za-z_]\w*)>))?/.exec(source.slice(at))!;
  const [opening, name] = found;
  // Looking back has no fixed width here and one there, and flags of a group are spelled otherwise.
  if (opening === "(" && source[at + 1] === "?") return null;
  return [name === undefined ? opening : `(?P<${name}>`, opening.length];
}

/** One piece of the expression. @param isInside whether it stands in brackets */
function pieceAt(source: string, at: number, isInside: boolean): readonly [text: string, length: number] | null {
  const sign = source[at]!;
  if (sign === "\\") return escapeAt(source, at, isInside);
  if (isInside) return sign === "[" ? ["\\[", 1] : /[&~|-]/.test(sign) && source[at + 1] === sign ? null : [sign, 1];
  if (sign === "(") return groupAt(source, at);
  if (sign === "$") return ["\\Z", 1];
  // What counts follows only as {n}, {n,} or {n,m} in both.
  if (sign === "{") return /^\{\d+(?:,\d*)?\}/.test(source.slice(at)) ? [sign, 1] : null;
  return [sign, 1];
}

/** The same expression for Python, or null. */
export function pythonPattern(source: string): string | null {
  let isInside = false;
  let written = "";
  for (let at = 0; at < source.length; ) {
    if (!isInside && source[at] === "[") {
      if (/^\[\^?\]/.test(source.slice(at))) return null;
      isInside = true;
      const opening = source[at + 1] === "^" ? "[^" : "[";
      written += opening;
      at += opening.length;
      continue;
    }
    if (isInside && source[at] === "]") {
      isInside = false;
      written += "]";
      at += 1;
      continue;
    }
    const piece = pieceAt(source, at, isInside);
    if (!piece) return null;
    written += piece[0];
    at += piece[1];
  }
  return written;
}
