// Reads a literal as Python's repr and JSON write it, since logs hold either and sometimes both: {'loss': 0.0, "kl": nan, 'x': None}.
// Only data: names with a bracket, such as np.float64(0.5), are numbers in a wrapper. Where something else stands, nothing is read.

import { TextCursor } from "../data/textCursor.ts";
import { type LogValue, numberIn } from "./log.ts";

export type Literal = LogValue | boolean | string | readonly Literal[] | { readonly [name: string]: Literal };

const WORDS: Readonly<Record<string, Literal>> = { true: true, false: false };
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", t: "\t", r: "\r" };
/** Deeper than any log nests. */
const DEEPEST = 40;

class Reader extends TextCursor {
  /** The next sign that is not space. */
  next(): string {
    // Plain spaces are nearly all that stands there, and a log has millions of them.
    while (this.text.charCodeAt(this.at) <= 32 || /\s/.test(this.text[this.at] ?? "")) this.at++;
    return this.text[this.at] ?? "";
  }

  override take(sign: string): boolean {
    if (this.next() !== sign) return false;
    this.at++;
    return true;
  }
}

/** undefined: here is no literal. */
function read(reader: Reader, depth: number): Literal | undefined {
  if (depth > DEEPEST) return undefined;
  const sign = reader.next();
  if (sign === "{") return readMap(reader, depth);
  if (sign === "[" || sign === "(") return readList(reader, sign === "[" ? "]" : ")", depth);
  return sign === '"' || sign === "'" ? readText(reader) : readWord(reader);
}

function readText(reader: Reader): string | undefined {
  const quote = reader.next();
  const end = reader.text.indexOf(quote, reader.at + 1);
  const plain = end < 0 ? undefined : reader.text.slice(reader.at + 1, end);
  if (plain?.includes("\\") === false) {
    reader.at = end + 1;
    return plain;
  }
  let text = "";
  for (let at = reader.at + 1; at < reader.text.length; at++) {
    const sign = reader.text[at]!;
    if (sign === quote) {
      reader.at = at + 1;
      return text;
    }
    if (sign === "\\") {
      at++;
      const escaped = reader.text[at] ?? "";
      text += ESCAPES[escaped] ?? escaped;
    } else text += sign;
  }
  reader.at = reader.text.length;
  return undefined;
}

const WORD = /[-+\w.]+(?:\([^()]*\))?/y;

function readWord(reader: Reader): Literal | undefined {
  const [word] = reader.match(WORD) ?? [];
  return word === undefined ? undefined : (WORDS[word.toLowerCase()] ?? numberIn(word));
}

function readList(reader: Reader, end: string, depth: number): Literal | undefined {
  const list: Literal[] = [];
  reader.at++;
  while (!reader.take(end)) {
    const value = read(reader, depth + 1);
    if (value === undefined) return undefined;
    list.push(value);
    if (!reader.take(",") && reader.next() !== end) return undefined;
  }
  return list;
}

function readMap(reader: Reader, depth: number): Literal | undefined {
  const map: Record<string, Literal> = Object.create(null);
  reader.at++;
  while (!reader.take("}")) {
    const sign = reader.next();
    const name = sign === '"' || sign === "'" ? readText(reader) : undefined;
    if (name === undefined || !reader.take(":")) return undefined;
    const value = read(reader, depth + 1);
    if (value === undefined) return undefined;
    map[name] = value;
    if (!reader.take(",") && reader.next() !== "}") return undefined;
  }
  return map;
}

/** The literal that begins at a place of the text, undefined where none does, and how far it was read. */
export function literalAt(text: string, begin: number): { readonly value: Literal | undefined; readonly end: number } {
  const reader = new Reader(text, begin);
  const value = read(reader, 0);
  return { value, end: reader.at };
}

export const isMap = (value: Literal | undefined): value is { readonly [name: string]: Literal } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The numbers of a literal by name, those within others as "outer/inner", and its words. */
export function flatValues(map: { readonly [name: string]: Literal }, under = ""): Pick<Flat, "values" | "words"> {
  const flat: Flat = { values: {}, words: {} };
  for (const [name, value] of Object.entries(map)) {
    const path = `${under}${name}`;
    if (value === null || typeof value === "number") flat.values[path] = value;
    else if (typeof value === "boolean") flat.words[path] = String(value);
    else if (typeof value === "string") {
      // JSON has no nan: programs write it as text. A word that is no number stays a word.
      const number = numberIn(value);
      if (number === undefined || value.trim() === "") flat.words[path] = value;
      else flat.values[path] = number;
    } else if (isMap(value)) {
      const inner = flatValues(value, `${path}/`);
      Object.assign(flat.values, inner.values);
      Object.assign(flat.words, inner.words);
    }
  }
  return flat;
}

interface Flat {
  readonly values: Record<string, LogValue>;
  readonly words: Record<string, string>;
}
