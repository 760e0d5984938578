// JSON as it was written: JSON.parse loses numbers that a double does not hold (2 ** 53 + 1, 1e400), how one is spelled (1.0),
// the order of keys that read as places, and keys that stand twice. Programs see the plain values here too; what was written
// is remembered beside each object and list, for whoever writes them again.

/** What an object or a list was written with, where its plain value does not say it. */
interface Written {
  /** Keys in their order. */
  readonly keys?: readonly string[] | undefined;
  /** Texts of numbers, by key or place. */
  readonly numbers: ReadonlyMap<string, string>;
  readonly twice?: string | undefined;
}

const written = new WeakMap<object, Written>();

/** Remembers how numbers of an object or a list are spelled that come from another form. */
export function rememberNumbers(holder: object, numbers: ReadonlyMap<string, string>): void {
  if (numbers.size > 0) written.set(holder, { numbers });
}

/** A key that an object, as it was written, has twice; undefined where it has none. */
export function keyTwice(holder: object): string | undefined {
  return written.get(holder)?.twice;
}

/** How a number in a field was written; else as a double of it reads. */
export function numberText(holder: object, key: string, value: number | bigint): string {
  return written.get(holder)?.numbers.get(key) ?? String(value);
}

/** Where a text in quotes ends. @param from of its first quote. */
function endOfText(json: string, from: number): number {
  for (let at = from + 1; ; at++) {
    at = json.indexOf('"', at);
    let slashes = 0;
    while (json[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
}

/** Reads what JSON.parse has found to be right. */
class Reader {
  readonly #json: string;
  #at = 0;
  constructor(json: string) {
    this.#json = json;
  }

  /** The next sign that is no blank, comma or colon. */
  #sign(): string {
    while (" \t\r\n,:".includes(this.#json[this.#at]!)) this.#at += 1;
    return this.#json[this.#at]!;
  }

  #text(): string {
    const from = this.#at;
    this.#at = endOfText(this.#json, from);
    return JSON.parse(this.#json.slice(from, this.#at)) as string;
  }

  /** A value, a number as its text. */
  read(): { readonly value: unknown; readonly number?: string } {
    const sign = this.#sign();
    if (sign === '"') return { value: this.#text() };
    if (sign === "{" || sign === "[") return { value: this.#holder(sign === "[") };
    const from = this.#at;
    while (this.#at < this.#json.length && !" \t\r\n,]}".includes(this.#json[this.#at]!)) this.#at += 1;
    const word = this.#json.slice(from, this.#at);
    const value: unknown = JSON.parse(word);
    return typeof value === "number" && String(value) !== word ? { value, number: word } : { value };
  }

  #holder(isList: boolean): object {
    const entries: [string, unknown][] = [];
    const numbers = new Map<string, string>();
    for (this.#at += 1; !"]}".includes(this.#sign()); ) {
      const key = isList ? String(entries.length) : this.#text();
      const { value, number } = this.read();
      if (number === undefined) numbers.delete(key);
      else numbers.set(key, number);
      entries.push([key, value]);
    }
    this.#at += 1;
    const keys = entries.map(([key]) => key);
    const found: object = isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
    const own = isList ? keys : Object.keys(found);
    const twice = own.length < keys.length ? keys.find((key, i) => keys.indexOf(key) < i) : undefined;
    const moved = own.every((key, i) => key === keys[i]) ? undefined : [...new Set(keys)];
    if (numbers.size > 0 || moved || twice !== undefined) written.set(found, { numbers, keys: moved, twice });
    return found;
  }
}

/** The value of a JSON text, remembering how it was written. Throws as JSON.parse does. */
export function readJson(json: string): unknown {
  const plain: unknown = JSON.parse(json);
  return typeof plain === "object" && plain !== null ? new Reader(json).read().value : plain;
}

/**
 * JSON of plain data, spelled as Jinja's tojson spells it (Python's json.dumps): a space after each comma and colon, keys in
 * their own order, numbers as they were written; undefined fields are left out. The chat template and the renderer must
 * agree to the byte.
 */
export function jsonText(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value ?? null);
  const { keys = Object.keys(value), numbers } = written.get(value) ?? {};
  const entry = (key: string) => numbers?.get(key) ?? jsonText((value as Readonly<Record<string, unknown>>)[key]);
  if (Array.isArray(value)) return `[${value.map((_, i) => entry(String(i))).join(", ")}]`;
  const fields = keys.filter((key) => (value as Readonly<Record<string, unknown>>)[key] !== undefined);
  return `{${fields.map((key) => `${JSON.stringify(key)}: ${entry(key)}`).join(", ")}}`;
}

/** A call's arguments, and how they were written where the values do not say it: saves and other threads hold plain values. */
interface CallArguments {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly written?: string;
}

/** Arguments that were read, to be kept. */
export function callArguments(given: Readonly<Record<string, unknown>>): CallArguments {
  const text = jsonText(given);
  // A copy remembers nothing.
  return { arguments: given, ...(text === jsonText(structuredClone(given)) ? {} : { written: text }) };
}

/** Arguments as JSON, as they were written. */
export const argumentsText = ({ arguments: given, written: text }: CallArguments): string => text ?? jsonText(given);
