// What an address says, value by value: each has a name in the address, a text, and what it is where the address says nothing of it, which
// is left out of addresses. What cannot be read is never guessed: it is as if nothing were said, and where a value has a rule that is told.
import { showValue } from "../../../protocol/problems.ts";

/** One value of an address. */
export interface Param<V> {
  readonly name: string;
  /** What it is where the address says nothing. */
  readonly otherwise: V;
  /** What its text must be, as the sentence about another one says it: "seeds must be a whole number from 1 to 5". */
  readonly rule?: string;
  /** The value of a text; null where it is none. @param texts all that the address has under the name, of which the first is the text */
  read(text: string, texts: readonly string[]): V | null;
  /** The text of a value, or one for each entry of the address; null where nothing need be said. */
  write(value: V): string | readonly string[] | null;
}

/** The values of a place by the names that the page has for them. */
export type Params = Readonly<Record<string, Param<unknown>>>;
/** A place: what its values are. */
export type PlaceOf<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer V> ? V : never };

/** The place that an address names. @param refused takes a sentence for each value that breaks its rule */
export function decode<P extends Params>(params: P, query: URLSearchParams, refused: string[] = []): PlaceOf<P> {
  const read = ({ name, otherwise, rule, read }: Param<unknown>) => {
    const texts = query.getAll(name);
    const [text] = texts;
    const value = text === undefined ? otherwise : read(text, texts);
    if (value === null && text !== undefined && rule !== undefined) refused.push(`${name} must be ${rule}, got ${showValue(text)}`);
    return value ?? otherwise;
  };
  return Object.fromEntries(Object.entries(params).map(([key, param]) => [key, read(param)])) as PlaceOf<P>;
}

/** What an address says of a place, or of those of its values that are given. */
export function encode<P extends Params>(params: P, place: Partial<PlaceOf<P>>): URLSearchParams {
  const texts = Object.entries(params).flatMap(([key, param]) => {
    const text = key in place ? param.write(place[key]) : null;
    return text === null ? [] : [text].flat().map((each) => [param.name, each]);
  });
  return new URLSearchParams(texts);
}

const wholeIn = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : null);

/** A whole number, which may be left open. */
export const whole = (name: string): Param<number | null> => ({
  name,
  otherwise: null,
  read: wholeIn,
  write: (value) => (value === null ? null : String(value)),
});

/** An index, which counts from 1 in addresses as on the page. */
export const index = <N extends 0 | null>(name: string, otherwise: N): Param<number | N> => ({
  name,
  otherwise,
  read: (text) => ((wholeIn(text) ?? 0) > 0 ? Number(text) - 1 : null),
  write: (value) => (value === null || value === otherwise ? null : String(value + 1)),
});

/** A number within bounds, which may be left open; another is refused. */
export const within = (name: string, least: number, most: number, isWhole: boolean): Param<number | null> => ({
  name,
  otherwise: null,
  rule: `a ${isWhole ? "whole " : ""}number from ${least} to ${most}`,
  read(text) {
    const value = (isWhole ? /^\d+$/.test(text) : text.trim() !== "") ? Number(text) : Number.NaN;
    return value >= least && value <= most ? value : null;
  },
  write: (value) => (value === null ? null : String(value)),
});

/** One of some ids. */
export const oneOf = <Id extends string>(name: string, ids: readonly Id[], otherwise: Id): Param<Id> => ({
  name,
  otherwise,
  read: (text) => ids.find((id) => id === text) ?? null,
  write: (value) => (value === otherwise ? null : value),
});

/** A param whose other texts are refused. */
export const ruled = <V>(param: Param<V>, rule: string): Param<V> => ({ ...param, rule });

/** A text of any kind, which whoever reads it looks up. */
export const word = (name: string): Param<string | null> => ({ name, otherwise: null, read: (text) => text, write: (value) => value });

/** Texts of any kind in a row. */
export const words = (name: string): Param<readonly string[]> => ({
  name,
  otherwise: [],
  read: (text) => text.split(",").filter((each) => each !== ""),
  write: (value) => (value.length === 0 ? null : value.join(",")),
});

/** Texts of any kind, each an entry of its own. */
export const entries = (name: string): Param<readonly string[]> => ({
  name,
  otherwise: [],
  read: (_, texts) => texts,
  write: (value) => value,
});

/** Something that is said by being named. */
export const flag = (name: string): Param<boolean> => ({ name, otherwise: false, read: () => true, write: (value) => (value ? "" : null) });
