// Cells of Parquet as plain values. What Python reads of it is what is read here: decimals, 64-bit numbers and times are whole, and a
// field of a structure that is null is none, since Arrow gives every structure the keys that any row has.
import type { SchemaTree } from "hyparquet";
import { readJson, rememberNumbers } from "../../../protocol/custom/exactJson.ts";
import { errorText, isRecord, orThrow } from "../../../protocol/problems.ts";
import { DataError, type Row } from "./row.ts";

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Text of bytes; throws where they are none. */
const textOf = (bytes: Uint8Array): string =>
  orThrow(
    () => utf8.decode(bytes),
    () => new DataError("its texts must be UTF-8"),
  );

/** A day as ISO writes it (Hinnant, "chrono-compatible low-level date algorithms": years begin in March). @param days since 1970. */
function dayText(days: number): string {
  const { floor } = Math;
  const since = days + 719_468;
  const era = floor(since / 146_097);
  const ofEra = since - era * 146_097;
  const yearOfEra = floor((ofEra - floor(ofEra / 1460) + floor(ofEra / 36_524) - floor(ofEra / 146_096)) / 365);
  const ofYear = ofEra - (365 * yearOfEra + floor(yearOfEra / 4) - floor(yearOfEra / 100));
  const march = floor((5 * ofYear + 2) / 153);
  const month = march < 10 ? march + 3 : march - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const two = (count: number) => String(count).padStart(2, "0");
  return `${String(year).padStart(4, "0")}-${two(month)}-${two(ofYear - floor((153 * march + 2) / 5) + 1)}`;
}

/** A time as Python writes it. @param count since 1970, in parts of a second of which there are 10 ** digits. */
function timeText(count: bigint | number, digits: number): string {
  const whole = BigInt(count);
  const parts = 10n ** BigInt(digits);
  const fraction = ((whole % parts) + parts) % parts;
  const seconds = Number((whole - fraction) / parts);
  const days = Math.floor(seconds / 86_400);
  const ofDay = seconds - days * 86_400;
  const clock = [ofDay / 3600, (ofDay / 60) % 60, ofDay % 60].map((each) => String(Math.floor(each)).padStart(2, "0")).join(":");
  return `${dayText(days)} ${clock}${fraction === 0n ? "" : `.${String(fraction).padStart(digits, "0").padEnd(6, "0")}`}`;
}

export const parsers = {
  stringFromBytes: (bytes: Uint8Array | undefined) => bytes && textOf(bytes),
  jsonFromBytes: (bytes: Uint8Array | undefined) => bytes && readJson(textOf(bytes)),
  dateFromDays: dayText,
  timestampFromMilliseconds: (count: bigint | number) => timeText(count, 3),
  timestampFromMicroseconds: (count: bigint | number) => timeText(count, 6),
  timestampFromNanoseconds: (count: bigint | number) => timeText(count, 9),
};

/** A whole number of any width as a decimal with its digits behind the point. */
function decimalText(value: unknown, scale: number): string {
  let whole = 0n;
  if (value instanceof Uint8Array) {
    for (const byte of value) whole = whole * 256n + BigInt(byte);
    whole = BigInt.asIntN(8 * value.length, whole);
  } else whole = BigInt(value as number | bigint);
  const digits = String(whole < 0n ? -whole : whole).padStart(scale + 1, "0");
  return `${whole < 0n ? "-" : ""}${digits.slice(0, digits.length - scale)}${scale > 0 ? `.${digits.slice(-scale)}` : ""}`;
}

/** A double as Python writes it: 1.0, 1e+16, 1e-05. */
function doubleText(value: number): string {
  const [digits = "", power = "0"] = value.toExponential().split("e");
  const exponent = Number(power);
  if (exponent < -4 || exponent >= 16) return `${digits}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** Digits behind the point of columns that are decimals, by their path. */
type Scales = ReadonlyMap<string, number>;

/** What stands in a list. */
function itemsOf({ children: [inner] }: SchemaTree): SchemaTree | undefined {
  return inner && inner.children.length === 1 && inner.element.repetition_type === "REPEATED" ? inner.children[0] : inner;
}

const isNumber = (value: unknown): value is number | bigint => typeof value === "number" || typeof value === "bigint";

/** The unit of a column of times of day. */
const unitOf = ({ element: { converted_type: kind, logical_type: logical } }: SchemaTree) =>
  logical?.type === "TIME" ? logical.unit : /^TIME_(\w+)$/.exec(kind ?? "")?.[1];

/** Whether a column's numbers are numbers as they stand. */
const areNumbers = (node: SchemaTree, scales: Scales): boolean => unitOf(node) === undefined && !scales.has(node.path.join("."));

interface Cell {
  readonly value: unknown;
  readonly number?: string;
}

/** A value as it is taken, and the text of a number. */
function cellOf(value: unknown, node: SchemaTree, scales: Scales, areExact: boolean): Cell {
  if (value === null || value === undefined) return { value: null };
  if (Array.isArray(value)) {
    const items = itemsOf(node);
    // Tokens with their numbers are lists of thousands.
    const areAll = !areExact && items && areNumbers(items, scales) && value.every((each) => each === null || isNumber(each));
    if (areAll) return { value: value.map((each: number | bigint | null) => (each === null ? null : Number(each))) };
    return { value: holderOf(value, () => items, scales, areExact) };
  }
  if (!areExact && isNumber(value) && areNumbers(node, scales)) return { value: Number(value) };
  const unit = unitOf(node);
  // A time of day is a time of the first day.
  if (unit) return { value: timeText(value as bigint | number, { MILLIS: 3, MICROS: 6, NANOS: 9 }[unit] ?? 9).slice("1970-01-01 ".length) };
  const scale = scales.get(node.path.join("."));
  const number =
    scale !== undefined
      ? decimalText(value, scale)
      : typeof value === "bigint"
        ? String(value)
        : typeof value === "number" && Number.isFinite(value) && /^(DOUBLE|FLOAT)$/.test(node.element.type ?? "")
          ? doubleText(value)
          : undefined;
  if (number !== undefined) return { value: Number(number), number };
  if (value instanceof Uint8Array) return { value: textOf(value) };
  if (!isRecord(value)) return { value };
  const fieldOf = (key: string) => node.children.find(({ element }) => element.name === key) ?? node.children[0]?.children[1];
  return { value: holderOf(value, fieldOf, scales, areExact) };
}

/** What a list, a map or a structure holds; a field that is null is none. */
function holderOf(holder: object, nodeOf: (key: string) => SchemaTree | undefined, scales: Scales, areExact: boolean): object {
  const isList = Array.isArray(holder);
  const numbers = new Map<string, string>();
  const entries: [string, unknown][] = [];
  for (const [key, each] of Object.entries(holder)) {
    const { value, number } = cellOf(each, nodeOf(key) ?? NO_COLUMN, scales, areExact || !isList);
    if (number !== undefined) numbers.set(key, number);
    if (isList || value !== null) entries.push([key, value]);
  }
  const found: object = isList ? entries.map(([, value]) => value) : Object.fromEntries(entries);
  rememberNumbers(found, numbers);
  return found;
}

const NO_COLUMN: SchemaTree = { children: [], count: 0, element: { name: "" }, path: [] };

/** The decimals of a file. Without their annotation, which is taken off, they come as they are stored and not as doubles. */
export function takeDecimals({ element, children, path }: SchemaTree, into = new Map<string, number>()): Scales {
  if (element.converted_type === "DECIMAL" || element.logical_type?.type === "DECIMAL") {
    into.set(path.join("."), element.scale ?? 0);
    delete element.converted_type;
    delete element.logical_type;
  }
  for (const child of children) takeDecimals(child, into);
  return into;
}

/** A cell of a row; what is wrong with it is said with the place. */
const cellIn = (where: string, cell: () => ReturnType<typeof cellOf>) =>
  orThrow(cell, (error) => new DataError(`${where}: ${errorText(error)}`));

/**
 * A row as the library read it. Throws a DataError that names the place.
 * @param areExact whether it is remembered how numbers of columns and lists are written; those of objects, such as a
 *   call's arguments, always are
 */
export function rowOf(
  where: string,
  found: Readonly<Record<string, unknown>>,
  { children }: SchemaTree,
  scales: Scales,
  areExact: boolean,
): Row {
  const numbers = new Map<string, string>();
  const values: Record<string, unknown> = {};
  for (const node of children) {
    const key = node.element.name;
    const { value, number } = cellIn(where, () => cellOf(Object.hasOwn(found, key) ? found[key] : null, node, scales, areExact));
    if (number !== undefined) numbers.set(key, number);
    Object.defineProperty(values, key, { value, enumerable: true });
  }
  rememberNumbers(values, numbers);
  return { where, values };
}
