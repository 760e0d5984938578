// Patterns of tokenizer.json as JavaScript's. They are written for Oniguruma in Ruby's syntax, where lines have anchors of
// their own, `+` after a quantifier keeps what it took, and a class means all of Unicode. What is not read is refused.
import { orElse } from "../../protocol/problems.ts";
import { TextCursor } from "../../rl/data/textCursor.ts";

/** ASCII letters that other characters are a case of. */
const FOLDED: Readonly<Record<string, string>> = { k: "\u212A", s: "\u017F" };
/** What Oniguruma takes for parts of words. */
const WORD = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u00B2\\u00B3\\u00B9\\u00BC-\\u00BE";
const CLASSES: Readonly<Record<string, string>> = {
  d: "\\p{Nd}",
  D: "\\P{Nd}",
  s: "\\p{White_Space}",
  S: "\\P{White_Space}",
  w: `[${WORD}]`,
  W: `[^${WORD}]`,
  h: "[0-9A-Fa-f]",
  H: "[^0-9A-Fa-f]",
};
const CONTROLS: Readonly<Record<string, number>> = { a: 7, e: 27, f: 12, n: 10, r: 13, t: 9, v: 11 };
const ENDS: Readonly<Record<string, string>> = { A: "(?<![\\s\\S])", z: "(?![\\s\\S])" };
const OPENINGS = ["(?:", "(?i:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "("] as const;

/** Repetitions in a row: each more takes as often as long again on a long text. Known patterns have two. */
const MOST_IN_A_ROW = 3;
/** Choices in a row: each more may double the time. Known patterns have ten. */
const MOST_CHOICES = 16;
/** Known patterns have some hundred signs. */
const MOST_SIGNS = 4096;
/** Tries that a text may take: a*b takes n²/2 of n letters a, a*a*b n³/6, since each letter may begin a match that then fails. */
const MOST_TRIES = 4e9;
const ORDERS = [1, 2, 6, 24] as const;

const escaped = (code: number) => `\\u{${code.toString(16)}}`;

class PatternReader extends TextCursor {
  #groups = 0;
  /**
   * Choices so far that matching may take back: alternatives within brackets, and quantifiers that are no fixed count;
   * and repetitions among them.
   */
  #choices = 0;
  #repetitions = 0;
  /** What the alternatives of the whole pattern repeat without a bound. */
  readonly repeated: string[][] = [[]];

  refuse(what: string): never {
    const shown = JSON.stringify(this.text.slice(0, 80));
    throw new Error(`tokenizer.json: the pattern ${shown} has ${what}, which is not read here`);
  }

  #character(): string {
    const char = String.fromCodePoint(this.text.codePointAt(this.at) ?? this.refuse("an open end"));
    this.at += char.length;
    return char;
  }

  /** Alternatives up to a closing bracket or the end. @param folds whether letters stand for both cases */
  alternatives(folds: boolean, isInner: boolean): string {
    let out = "";
    let before = this.#repetitions;
    let chosen = this.#choices;
    for (;;) {
      if (this.#choices - chosen > MOST_CHOICES) this.refuse(`more than ${MOST_CHOICES} choices in a row, which may match for ever`);
      if (this.#repetitions - before > MOST_IN_A_ROW)
        this.refuse(`more than ${MOST_IN_A_ROW} repetitions in a row, which may match for ever`);
      if (this.at >= this.text.length) return isInner ? this.refuse("an open bracket") : out;
      if (this.take(")")) return isInner ? out : this.refuse("a bracket too many");
      if (this.take("|")) {
        out += "|";
        before = this.#repetitions;
        if (isInner) this.#choices++;
        else this.repeated.push([]);
        chosen = this.#choices;
        continue;
      }
      const choices = this.#choices;
      const atom = this.#atom(folds);
      out += this.#quantified(atom, this.#choices > choices);
    }
  }

  #kept(inner: string): string {
    const name = `kept${this.#groups++}`;
    return `(?:(?=(?<${name}>${inner}))\\k<${name}>)`;
  }

  /**
   * @param hasChoices whether the atom has, so that repeating it would try each of them at each place: `(a+)+` doubles
   *   its time with every letter.
   */
  #quantified(atom: string, hasChoices: boolean): string {
    const simple = this.match(/[*+?]/y)?.[0];
    const braces = simple === undefined ? this.match(/\{(\d*)(,?)(\d*)\}(?<!\{,?\})/y) : null;
    if (braces) {
      const [, least, comma, most] = braces;
      this.#repeat(comma !== "" || Number(least) > 1, comma !== "", hasChoices, atom);
      const counted = `(?:${atom}{${least || "0"}${comma}${most}})`;
      if (this.take("?")) return comma ? `${counted.slice(0, -1)}?)` : this.refuse("an exact count with ? behind it");
      return this.take("+") ? `${counted}+` : counted;
    }
    if (simple === undefined) return atom;
    this.#repeat(simple !== "?", true, hasChoices, atom);
    const whole = `(?:${atom})${simple}`;
    const out = this.take("?") ? `${whole}?` : this.take("+") ? this.#kept(whole) : whole;
    return this.match(/[*+?]/y) ? this.refuse("a quantifier of a quantifier") : out;
  }

  #repeat(repeats: boolean, isOpen: boolean, hasChoices: boolean, atom: string): void {
    if (repeats && hasChoices) this.refuse("a repetition of repetitions or of alternatives, which may match for ever");
    if (isOpen) this.#choices++;
    if (!isOpen || !repeats) return;
    this.#repetitions++;
    this.repeated.at(-1)?.push(atom);
  }

  #atom(folds: boolean): string {
    const opening = OPENINGS.find((each) => this.take(each));
    if (opening !== undefined) {
      if (this.text[this.at] === "?") this.refuse(`"(${this.text.slice(this.at, this.at + 2)}"`);
      const inner = this.alternatives(folds || opening === "(?i:", true);
      if (opening === "(?>") return this.#kept(inner);
      return `${opening === "(" || opening === "(?i:" ? "(?:" : opening}${inner})`;
    }
    if (this.take("[")) return this.#class(folds);
    if (this.take("\\")) return this.#escape(folds, false);
    const char = this.#character();
    if (char === ".") return "[^\\n]";
    if (char === "^") return "(?<![^\\n])";
    if (char === "$") return "(?![^\\n])";
    if ("*+?".includes(char)) this.refuse(`a ${char} behind nothing`);
    return `[${this.#cases(char, folds)}]`;
  }

  /** A character in a class, with those that are a case of it. */
  #cases(char: string, folds: boolean): string {
    const code = escaped(char.codePointAt(0) ?? 0);
    if (!folds || !/\p{Cased}/u.test(char)) return code;
    if (!/[a-z]/i.test(char)) return this.refuse(`${char} in both its cases`);
    const lower = char.toLowerCase();
    return `${lower}${lower.toUpperCase()}${FOLDED[lower] ?? ""}`;
  }

  #escape(folds: boolean, isInClass: boolean): string {
    const property = this.match(/([pP])\{(\^?)([^}]*)\}/y);
    if (property) return this.#property(property);
    const hex = this.match(/x\{([0-9A-Fa-f]+)\}|x([0-9A-Fa-f]{2})|u([0-9A-Fa-f]{4})/y);
    const asClass = (code: number) => {
      const inner = this.#cases(String.fromCodePoint(code), folds);
      return isInClass ? inner : `[${inner}]`;
    };
    if (hex) return asClass(Number.parseInt(hex[1] ?? hex[2] ?? hex[3] ?? "", 16));
    const char = this.#character();
    const known = CLASSES[char] ?? (isInClass ? undefined : ENDS[char]);
    if (known !== undefined) return known;
    const control = CONTROLS[char];
    if (control !== undefined) return asClass(control);
    return /[A-Za-z0-9]/.test(char) ? this.refuse(`\\${char}`) : asClass(char.codePointAt(0) ?? 0);
  }

  #property([whole, letter, negation, name]: RegExpExecArray): string {
    const isNegated = (letter === "P") !== (negation === "^");
    for (const each of [name, `Script=${name}`]) {
      try {
        new RegExp(`\\p{${each}}`, "v");
        return `\\${isNegated ? "P" : "p"}{${each}}`;
      } catch {
        // The other form, or none.
      }
    }
    return this.refuse(`\\${whole}`);
  }

  #class(folds: boolean): string {
    const negation = this.take("^") ? "^" : "";
    const operands = [""];
    const add = (text: string) => operands.push(`${operands.pop()}${text}`);
    if (this.text[this.at] === "]") this.refuse("an empty class");
    while (!this.take("]")) {
      if (this.take("&&")) operands.push("");
      else if (this.take("[:")) this.refuse("a class of POSIX");
      else if (this.take("[")) add(this.#class(folds));
      else add(this.#member(folds));
    }
    return operands.length === 1 ? `[${negation}${operands[0]}]` : `[${negation}${operands.map((each) => `[${each}]`).join("&&")}]`;
  }

  /** A member of a class: a range, a character, or a class by its name. */
  #member(folds: boolean): string {
    const one = () => (this.take("\\") ? this.#escape(false, true) : escaped(this.#character().codePointAt(0) ?? 0));
    const from = this.at;
    const first = one();
    if (this.text[this.at] !== "-" || this.text[this.at + 1] === "]") {
      if (!folds) return first;
      this.at = from;
      return this.take("\\") ? this.#escape(true, true) : this.#cases(this.#character(), true);
    }
    if (folds) this.refuse("a range in both its cases");
    this.at++;
    const last = one();
    return /^\\u\{\w+\}\\u\{\w+\}$/.test(`${first}${last}`) ? `${first}-${last}` : this.refuse("a range of classes");
  }
}

/** A pattern of tokenizer.json, for all its matches. Throws a sentence where it has what is not read here. */
export function compilePattern(source: string): RegExp {
  return compiled(source).pattern;
}

/** The same, for a text: throws a sentence where matching it may take for ever. */
export function patternFor(source: string): (text: string) => RegExp {
  const { reader, pattern } = compiled(source);
  const runs = reader.repeated
    .filter((atoms) => atoms.length > 0)
    .map((atoms) => ({ run: new RegExp(`(?:${atoms.join("|")})+`, "gv"), depth: Math.min(atoms.length, MOST_IN_A_ROW) }));
  const tries = (length: number, depth: number) => length ** (depth + 1) / (ORDERS[depth] ?? 1);
  return (text) => {
    for (const { run, depth } of runs) {
      if (tries(text.length, depth) <= MOST_TRIES) continue;
      let all = 0;
      for (const [{ length }] of text.matchAll(run)) {
        all += tries(length, depth);
        if (all > MOST_TRIES) reader.refuse(`${length} signs in a row of this text to repeat over, which may match for ever`);
      }
    }
    return pattern;
  };
}

function compiled(source: string) {
  const reader = new PatternReader(source);
  if (source.length > MOST_SIGNS) reader.refuse(`more than ${MOST_SIGNS} signs`);
  const translated = reader.alternatives(false, false);
  return { reader, pattern: orElse(() => new RegExp(translated, "gv"), null) ?? reader.refuse("a form") };
}
