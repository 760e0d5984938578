// Reads a written number as an exact value with a unit: a fraction times the root of a whole number times a power of π. A
// small recursive-descent parser: it looks one token ahead and never backtracks, so its time is linear in the text. What it
// cannot read to the last sign is no number: sums are not worked out, and products only with roots and π.
//
//   quantity := (name "=")? value unit?         value   := sign? product ("/" "-"? atom)?
//   product  := (whole proper | atom) ("×"? (root | π))*   proper := ("and"? digits "/" digits) | fraction, less than 1
//   atom     := (decimal | fraction | root | π | "(" value ")" | "{" value "}") ("×" "10^" exponent | "^" exponent | "!")?
//   decimal  := digits ("." digits? ("\overline{" digits "}")?)?
//   fraction := "\frac" argument argument       root    := "\sqrt" argument
//   argument := "{" value "}" or "(" value ")" or one digit
import { TextCursor } from "../../data/textCursor.ts";
import { parseUnit } from "./unit.ts";

/**
 * A number by its key, the same for all spellings; its key as a hundredth; its unit in its one spelling and the letter
 * it is given to, "" where none is written.
 */
export interface Quantity {
  readonly key: string;
  readonly hundredth: string;
  readonly unit: string;
  readonly name: string;
}

/** top / bottom · √root · π^pi in lowest terms, with bottom > 0 and root >= 0. */
interface Value {
  readonly top: bigint;
  readonly bottom: bigint;
  readonly root: bigint;
  readonly pi: number;
}

/** Longest text that is read as a number; longer ones are compared as text. */
const MAX_LENGTH = 256;
/** Largest power of ten in scientific notation. */
const MAX_EXPONENT = 99;
/** Bounds of powers and factorials, so that nothing grows out of hand. */
const MAX_DIGITS = 300;
const MAX_FACTORIAL = 170n;
// No thousands group begins with 0: "0,123" is no 123.
const NUMBER =
  /(?:[1-9]\d{0,2}(?:,\d{3})+(?![\d,])|[1-9]\d{0,2}(?: \d{3})+(?![\d,])|[1-9]\d{0,2}(?:'\d{3})+(?![\d'])|\d+)(?:\.\d*)?|\.\d+/y;
const REPEATING = /\\(?:overline|bar) ?\{(\d{1,20})\}/y;
const EXPONENT = / ?[×x*] ?10 ?\^ ?(?:[{(] ?([-+]?\d{1,3}) ?[)}]|([-+]?\d{1,3}))|[eE]([-+]?\d{1,3})/y;
const POWER = / ?\^ ?(?:[{(] ?(-?\d{1,2}) ?[)}]|(-?\d{1,2}))(?![\d.])/y;
const NAME = /^([a-zA-Z](?:_\{?\w\}?)?|\\(?:alpha|beta|gamma|theta|phi|lambda|mu|sigma|omega)) ?= ?/;

/** Cursor over the text; null anywhere below means "not a number". */
class Reader extends TextCursor {
  /** How many round brackets are open. */
  brackets = 0;

  spaces(): void {
    this.match(/ +/y);
  }
}

const whole = (top: bigint): Value => ({ top, bottom: 1n, root: 1n, pi: 0 });
const isPlain = ({ root, pi }: Value): boolean => root === 1n && pi === 0;

function divisor(a: bigint, b: bigint): bigint {
  let large = a < 0n ? -a : a;
  let small = b;
  while (small !== 0n) [large, small] = [small, large % small];
  return large;
}

/** top / bottom in lowest terms. */
function ratio(top: bigint, bottom: bigint): Value {
  const common = divisor(top, bottom);
  return { ...whole(top / common), bottom: bottom / common };
}

function times(a: Value, b: Value): Value {
  return { ...ratio(a.top * b.top, a.bottom * b.bottom), root: a.root * b.root, pi: a.pi + b.pi };
}

function divide(a: Value | null, b: Value | null): Value | null {
  if (!a || !b || b.top * b.root === 0n) return null;
  const sign = b.top < 0n ? -1n : 1n;
  return times(a, { ...ratio(b.bottom * sign, b.top * sign * b.root), root: b.root, pi: -b.pi });
}

function decimal(reader: Reader): Value | null {
  const found = reader.match(NUMBER)?.[0];
  // (1,234) is a point.
  if (found === undefined || (reader.brackets > 0 && found.includes(","))) return null;
  const [digits = "", decimals] = found.replace(/[, ']/g, "").split(".");
  const base = decimals === undefined ? whole(BigInt(digits)) : fractional(reader, digits, decimals);
  const scientific = reader.match(EXPONENT);
  if (!scientific) return base;
  const exponent = Number(scientific[1] ?? scientific[2] ?? scientific[3]);
  if (Math.abs(exponent) > MAX_EXPONENT) return null;
  const size = whole(10n ** BigInt(Math.abs(exponent)));
  return exponent >= 0 ? times(base, size) : divide(base, size);
}

/** Digits with a decimal point, and those behind it that repeat for ever: 0.1\overline{6} is 1/6. */
function fractional(reader: Reader, digits: string, decimals: string): Value {
  const top = BigInt(digits + decimals);
  const bottom = 10n ** BigInt(decimals.length);
  const repeated = reader.match(REPEATING)?.[1];
  if (repeated === undefined) return ratio(top, bottom);
  const nines = 10n ** BigInt(repeated.length) - 1n;
  return ratio(top * nines + BigInt(repeated), bottom * nines);
}

/** What a power or a factorial makes of the value before it. */
function raised(reader: Reader, base: Value): Value | null {
  if (reader.take("!")) {
    if (!isPlain(base) || base.bottom !== 1n || base.top < 0n || base.top > MAX_FACTORIAL) return null;
    let product = 1n;
    for (let i = 2n; i <= base.top; i++) product *= i;
    return whole(product);
  }
  const found = reader.match(POWER);
  if (!found) return base;
  const exponent = Number(found[1] ?? found[2]);
  if ([base.top, base.bottom, base.root].some((each) => String(each).length * Math.abs(exponent) > MAX_DIGITS)) return null;
  const n = BigInt(Math.abs(exponent));
  const power = { top: base.top ** n, bottom: base.bottom ** n, root: base.root ** n, pi: base.pi * Number(n) };
  return exponent >= 0 ? power : divide(whole(1n), power);
}

function argument(reader: Reader): Value | null {
  reader.spaces();
  if (reader.take("{")) return closed(reader, "}");
  if (reader.take("(")) return closed(reader, ")");
  const digit = reader.match(/\d/y);
  return digit && whole(BigInt(digit[0]));
}

function closed(reader: Reader, close: "}" | ")"): Value | null {
  const depth = close === ")" ? 1 : 0;
  reader.brackets += depth;
  const inner = value(reader);
  reader.brackets -= depth;
  reader.spaces();
  return inner && reader.take(close) ? inner : null;
}

function fraction(reader: Reader): Value | null {
  const top = argument(reader);
  return top && divide(top, argument(reader));
}

function squareRoot(reader: Reader): Value | null {
  const inner = argument(reader);
  if (!inner || !isPlain(inner) || inner.top < 0n) return null;
  return { ...ratio(1n, inner.bottom), root: inner.top * inner.bottom };
}

/** A root or π, where one stands here. */
function irrational(reader: Reader): Value | null | undefined {
  if (reader.take("\\sqrt")) return squareRoot(reader);
  return reader.take("π") ? { ...whole(1n), pi: 1 } : undefined;
}

function atom(reader: Reader): Value | null {
  const found = unraised(reader);
  return found && raised(reader, found);
}

function unraised(reader: Reader): Value | null {
  if (reader.take("\\frac")) return fraction(reader);
  if (reader.take("(")) return closed(reader, ")");
  if (reader.take("{")) return closed(reader, "}");
  const found = irrational(reader);
  return found === undefined ? decimal(reader) : found;
}

/** The fraction behind a whole number, which makes a mixed number of it; null where it is 1 or more, 0 where none stands there. */
function mixedPart(reader: Reader): Value | null {
  const found = reader.match(/ (?:and )?(\d{1,9}) ?\/ ?(\d{1,9})/y);
  if (!found && !reader.match(/ ?(?:and )?\\frac/y)) return whole(0n);
  const part = found ? divide(whole(BigInt(found[1] ?? "")), whole(BigInt(found[2] ?? ""))) : fraction(reader);
  return part && isPlain(part) && part.top >= 0n && part.top < part.bottom ? part : null;
}

function product(reader: Reader): Value | null {
  const isDigit = reader.sees(/\d/y);
  const first = atom(reader);
  const rest = first && isDigit && first.bottom === 1n && isPlain(first) ? mixedPart(reader) : whole(0n);
  if (!first || !rest) return null;
  let result: Value = { ...first, top: first.top * rest.bottom + rest.top, bottom: first.bottom * rest.bottom };
  while (reader.match(/ ?(?:[×*·] ?)?(?=\\sqrt|π)/y)) {
    const found = irrational(reader);
    const factor = found && raised(reader, found);
    if (!factor) return null;
    result = times(result, factor);
  }
  return result;
}

function value(reader: Reader): Value | null {
  reader.spaces();
  const isNegative = reader.take("-");
  if (!isNegative) reader.take("+");
  reader.spaces();
  let result = product(reader);
  if (result && reader.match(/ ?(?:\/|÷) ?/y)) {
    const sign = whole(reader.take("-") ? -1n : 1n);
    const below = atom(reader);
    result = divide(result, below && times(sign, below));
  }
  return result && isNegative ? times(whole(-1n), result) : result;
}

/** The value's square in lowest terms, with its sign and π: the same for √8 and 2√2. */
function keyOf({ top, bottom, root, pi }: Value): string {
  if (top * root === 0n) return "0";
  const square = ratio(top * top * root, bottom * bottom);
  return `${top < 0n ? "-" : ""}${square.top.toString(16)}/${square.bottom.toString(16)}${pi === 0 ? "" : `π${pi}`}`;
}

/** The number written in `text`, or null where it is not just one number with at most a name and a unit. */
export function parseQuantity(text: string): Quantity | null {
  if (text.length > MAX_LENGTH) return null;
  const [named = "", name = ""] = NAME.exec(text) ?? [];
  const reader = new Reader(text.slice(named.length).replace(/^(?:minus|negative) (?=[\d.\\√π])/i, "-"));
  const number = value(reader);
  const behind = number && parseUnit(reader.text.slice(reader.at));
  if (!number || !behind) return null;
  const [top, bottom] = behind.multiple;
  const size = times(number, ratio(top, bottom));
  return { key: keyOf(size), hundredth: keyOf(times(size, ratio(1n, 100n))), unit: behind.unit, name: name.toLowerCase() };
}
