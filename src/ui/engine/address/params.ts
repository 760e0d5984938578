// What an address says, value by value: each has a name in the address, a text, and what it is where the address says nothing of it, which
// is left out of addresses. What cannot be read is never guessed: it is as if nothing were said.

/** One value of an address. */
export interface Param<V> {
  readonly name: string;
  /** What it is where the address says nothing. */
  readonly otherwise: V;
  /** The value of a text; null where it is none. */
  read(text: string): V | null;
  /** The text of a value; null where nothing need be said. */
  write(value: V): string | null;
}

/** The values of a place by the names that the page has for them. */
export type Params = Readonly<Record<string, Param<unknown>>>;
/** A place: what its values are. */
export type PlaceOf<P extends Params> = { readonly [K in keyof P]: P[K] extends Param<infer V> ? V : never };

/** The place that an address names. */
export function decode<P extends Params>(params: P, query: URLSearchParams): PlaceOf<P> {
  const read = (param: Param<unknown>) => {
    const text = query.get(param.name);
    return (text === null ? null : param.read(text)) ?? param.otherwise;
  };
  return Object.fromEntries(Object.entries(params).map(([key, param]) => [key, read(param)])) as PlaceOf<P>;
}

/** What an address says of a place, or of those of its values that are given. */
export function encode<P extends Params>(params: P, place: Partial<PlaceOf<P>>): URLSearchParams {
  const texts = Object.entries(params).flatMap(([key, param]) => {
    const text = key in place ? param.write(place[key]) : null;
    return text === null ? [] : [[param.name, text]];
  });
  return new URLSearchParams(texts);
}

const wholeIn = (text: string) => (/^\d{1,9}$/.test(text) ? Number(text) : null);

/** A whole number, which may be left open. */
export const whole = (name: string): Param<number | null> => ({
  ...{ name, otherwise: null },
  read: wholeIn,
  write: (value) => (value === null ? null : String(value)),
});

/** An index, which counts from 1 in addresses as on the page. */
export const index = <N extends 0 | null>(name: string, otherwise: N): Param<number | N> => ({
  ...{ name, otherwise },
  read: (text) => ((wholeIn(text) ?? 0) > 0 ? Number(text) - 1 : null),
  write: (value) => (value === null || value === otherwise ? null : String(value + 1)),
});

/** One of some ids. */
export const oneOf = <Id extends string>(name: string, ids: readonly Id[], otherwise: Id): Param<Id> => ({
  ...{ name, otherwise },
  read: (text) => ids.find((id) => id === text) ?? null,
  write: (value) => (value === otherwise ? null : value),
});

/** A text of any kind, which whoever reads it looks up. */
export const word = (name: string): Param<string | null> => ({
  ...{ name, otherwise: null },
  read: (text) => text,
  write: (value) => value,
});

/** Texts of any kind in a row. */
export const words = (name: string): Param<readonly string[]> => ({
  ...{ name, otherwise: [] },
  read: (text) => text.split(",").filter((each) => each !== ""),
  write: (value) => (value.length === 0 ? null : value.join(",")),
});

/** Something that is said by being named. */
export const flag = (name: string): Param<boolean> => ({
  ...{ name, otherwise: false },
  read: () => true,
  write: (value) => (value ? "" : null),
});
