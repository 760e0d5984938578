// Reads a written number as an exact fraction with a unit. A small recursive-descent parser: it looks
// one token ahead and never backtracks, so its time is linear in the text.
//
//   quantity := value unit?           value := sign? (ratio | mixed)
//   ratio    := atom ("/" atom)?      mixed := digits (fraction | " " digits "/" digits)
//   atom     := decimal (("×" | "x") "10^" exponent | "^" exponent)? | fraction | "(" value ")" | "{" value "}"
//   decimal  := digits ("." digits? ("\overline{" digits "}")?)?
//   fraction := "\frac" argument argument, an argument being "{" value "}" or one digit
import { parseUnit } from "./unit.ts";

/** numerator / denominator, denominator > 0, not necessarily reduced; unit in its one spelling, "" where none is written. */
export interface Quantity {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly unit: string;
}

type Fraction = readonly [numerator: bigint, denominator: bigint];

/** Largest power of ten in scientific notation. */
const MAX_EXPONENT = 99;
/** Longest base of a power, so that nothing grows out of hand. */
const MAX_BASE_DIGITS = 9;
// No thousands group begins with 0: "0,123" is no 123.
const NUMBER =
  /(?:[1-9]\d{0,2}(?:,\d{3})+(?![\d,])|[1-9]\d{0,2}(?: \d{3})+(?![\d,])|[1-9]\d{0,2}(?:'\d{3})+(?![\d'])|\d+)(?:\.\d*)?|\.\d+/y;
const REPEATING = /\\(?:overline|bar) ?\{(\d{1,20})\}/y;
const EXPONENT = / ?[×x*] ?10 ?\^ ?(?:\{ ?([-+]?\d{1,3}) ?\}|([-+]?\d{1,3}))|[eE]([-+]?\d{1,3})/y;
const POWER = / ?\^ ?(?:\{ ?(-?\d{1,2}) ?\}|(-?\d{1,2}))(?![\d.])/y;

/** Cursor over the text; null anywhere below means "not a number". */
class Reader {
  #at = 0;
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }

  spaces(): void {
    while (this.#text[this.#at] === " ") this.#at++;
  }

  take(literal: string): boolean {
    if (!this.#text.startsWith(literal, this.#at)) return false;
    this.#at += literal.length;
    return true;
  }

  match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  rest(): string {
    return this.#text.slice(this.#at);
  }
}

function power10(exponent: number): bigint {
  return 10n ** BigInt(exponent);
}

function decimal(reader: Reader): Fraction | null {
  const found = reader.match(NUMBER)?.[0].replace(/[, ']/g, "");
  if (found === undefined) return null;
  const [whole = "", decimals] = found.split(".");
  const base = decimals === undefined ? ([BigInt(whole), 1n] as const) : fractional(reader, whole, decimals);
  const scientific = reader.match(EXPONENT);
  if (!scientific) return found.length <= MAX_BASE_DIGITS ? power(reader, base) : base;
  const exponent = Number(scientific[1] ?? scientific[2] ?? scientific[3]);
  if (Math.abs(exponent) > MAX_EXPONENT) return null;
  return exponent >= 0 ? [base[0] * power10(exponent), base[1]] : [base[0], base[1] * power10(-exponent)];
}

/** Digits with a decimal point, and those behind it that repeat for ever: 0.1\overline{6} is 1/6. */
function fractional(reader: Reader, whole: string, decimals: string): Fraction {
  const [top, bottom] = [BigInt(whole + decimals), power10(decimals.length)];
  const repeated = reader.match(REPEATING)?.[1];
  if (repeated === undefined) return [top, bottom];
  const nines = power10(repeated.length) - 1n;
  return [top * nines + BigInt(repeated), bottom * nines];
}

function power(reader: Reader, base: Fraction): Fraction | null {
  const found = reader.match(POWER);
  if (!found) return base;
  const exponent = Number(found[1] ?? found[2]);
  const times = BigInt(Math.abs(exponent));
  const raised: Fraction = [base[0] ** times, base[1] ** times];
  return exponent >= 0 ? raised : divide([1n, 1n], raised);
}

function divide(a: Fraction | null, b: Fraction | null): Fraction | null {
  if (!a || !b || b[0] === 0n) return null;
  const sign = b[0] < 0n ? -1n : 1n;
  return [a[0] * b[1] * sign, a[1] * b[0] * sign];
}

function argument(reader: Reader): Fraction | null {
  reader.spaces();
  if (reader.take("{")) return closed(reader, "}");
  const digit = reader.match(/\d/y);
  return digit ? [BigInt(digit[0]), 1n] : null;
}

function closed(reader: Reader, close: string): Fraction | null {
  const inner = value(reader);
  reader.spaces();
  return inner && reader.take(close) ? inner : null;
}

function fraction(reader: Reader): Fraction | null {
  const top = argument(reader);
  return top && divide(top, argument(reader));
}

function atom(reader: Reader): Fraction | null {
  if (reader.take("\\frac")) return fraction(reader);
  if (reader.take("(")) return closed(reader, ")");
  if (reader.take("{")) return closed(reader, "}");
  return decimal(reader);
}

const NOTHING: Fraction = [0n, 1n];

/** The fraction behind a whole number; nothing where none stands there, null where it divides by 0. */
function mixedPart(reader: Reader): Fraction | null {
  const found = reader.match(/ (\d{1,9}) ?\/ ?(\d{1,9})/y);
  if (found) return divide([BigInt(found[1] ?? ""), 1n], [BigInt(found[2] ?? ""), 1n]);
  return reader.match(/ ?\\frac/y) ? fraction(reader) : NOTHING;
}

function value(reader: Reader): Fraction | null {
  reader.spaces();
  const negative = reader.take("-");
  if (!negative) reader.take("+");
  reader.spaces();
  const first = atom(reader);
  if (!first) return null;
  const signed = (result: Fraction | null): Fraction | null => result && [negative ? -result[0] : result[0], result[1]];
  if (reader.match(/ ?\/ ?/y)) return signed(divide(first, signedAtom(reader)));
  const rest = first[1] === 1n ? mixedPart(reader) : NOTHING;
  return signed(rest && [first[0] * rest[1] + rest[0], first[1] * rest[1]]);
}

function signedAtom(reader: Reader): Fraction | null {
  const negative = reader.take("-");
  const found = atom(reader);
  return found && negative ? [-found[0], found[1]] : found;
}

/** The number written in `text`, or null where it is not just one number with at most a unit. */
export function parseQuantity(text: string): Quantity | null {
  const reader = new Reader(text);
  const number = value(reader);
  if (!number) return null;
  const behind = parseUnit(reader.rest());
  if (behind === null) return null;
  const { multiple, unit } = behind;
  return { numerator: number[0] * multiple[0], denominator: number[1] * multiple[1], unit };
}
