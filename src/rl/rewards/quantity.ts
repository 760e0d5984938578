// Reads a written number as an exact fraction with a unit. A small recursive-descent parser: it looks
// one token ahead and never backtracks, so its time is linear in the text.
//
//   quantity := value unit?           value := sign? (ratio | mixed)
//   ratio    := atom ("/" atom)?      mixed := digits (fraction | " " digits "/" digits)
//   atom     := decimal (("×" | "x") "10^" exponent)? | fraction | "(" value ")" | "{" value "}"
//   fraction := "\frac" argument argument, an argument being "{" value "}" or one digit

/** numerator / denominator, denominator > 0, not necessarily reduced; unit is "" where none is written. */
export interface Quantity {
  readonly numerator: bigint;
  readonly denominator: bigint;
  readonly unit: string;
}

type Fraction = readonly [numerator: bigint, denominator: bigint];

/** Largest power of ten in scientific notation. */
const MAX_EXPONENT = 99;
const NUMBER = /(?:\d{1,3}(?:,\d{3})+(?![\d,])|\d{1,3}(?: \d{3})+(?![\d,])|\d+)(?:\.\d*)?|\.\d+/y;
const EXPONENT = / ?[×x*] ?10 ?\^ ?(?:\{ ?([-+]?\d{1,3}) ?\}|([-+]?\d{1,3}))|e([-+]?\d{1,3})/y;
const UNIT_SINGLES = new Set(["m", "g", "s", "h", "l", "%"]);
/** Words after which a text is more than one number. */
const JOINING = new Set(["or", "and", "to", "plus", "minus", "times", "over", "by", "not", "but", "than", "if"]);

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
  const found = reader.match(NUMBER)?.[0].replace(/[, ]/g, "");
  if (found === undefined) return null;
  const [whole = "", decimals = ""] = found.split(".");
  const base: Fraction = [BigInt(whole + decimals), power10(decimals.length)];
  const scientific = reader.match(EXPONENT);
  if (!scientific) return base;
  const exponent = Number(scientific[1] ?? scientific[2] ?? scientific[3]);
  if (Math.abs(exponent) > MAX_EXPONENT) return null;
  return exponent >= 0 ? [base[0] * power10(exponent), base[1]] : [base[0], base[1] * power10(-exponent)];
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

function mixedPart(reader: Reader): Fraction | null {
  const found = reader.match(/ (\d{1,9}) ?\/ ?(\d{1,9})/y);
  if (found) return divide([BigInt(found[1] ?? ""), 1n], [BigInt(found[2] ?? ""), 1n]);
  return reader.match(/ ?\\frac/y) ? fraction(reader) : null;
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
  const rest = first[1] === 1n ? mixedPart(reader) : null;
  return signed(rest ? [first[0] * rest[1] + rest[0], rest[1]] : first);
}

function signedAtom(reader: Reader): Fraction | null {
  const negative = reader.take("-");
  const found = atom(reader);
  return found && negative ? [-found[0], found[1]] : found;
}

/** A unit's canonical spelling, "" for none, or null where the rest is something else. */
function unitOf(rest: string): string | null {
  const unit = rest.trim().toLowerCase();
  if (unit === "" || UNIT_SINGLES.has(unit)) return unit;
  const words = unit.split(" ");
  const isUnit = rest.startsWith(" ") && words.length <= 3 && words.every((word) => /^[a-z]{2,20}$/.test(word) && !JOINING.has(word));
  return isUnit ? unit.replace(/([a-z]{2})s$/, "$1") : null;
}

/** The number written in `text`, or null where it is not just one number with at most a unit. */
export function parseQuantity(text: string): Quantity | null {
  const reader = new Reader(text);
  const number = value(reader);
  if (!number) return null;
  const unit = unitOf(reader.rest());
  return unit === null ? null : { numerator: number[0], denominator: number[1], unit };
}
