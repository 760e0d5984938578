// JSON as Python writes it: NaN and Infinity are numbers there and none in JSON. What is no number is read as null, since a reward that
// is not a number is none.
import { errorText, isRecord, orThrow } from "../../protocol/problems.ts";
import { type FoundRow, TraceError, valueText } from "./container.ts";

/** Texts are matched so that what stands in them stays as it is. */
const NOT_FINITE = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\b(?:NaN|Infinity)\b/g;

/** The value of a JSON text in which NaN and Infinity may stand. Throws a sentence where it is none. */
export function readText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (!/NaN|Infinity/.test(text)) throw error;
    return JSON.parse(text.replace(NOT_FINITE, (found) => (found.startsWith('"') ? found : "null"))) as unknown;
  }
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Text of bytes. Throws a TraceError where they are none. */
export function textOf(bytes: Uint8Array): string {
  return orThrow(
    () => utf8.decode(bytes),
    () => new TraceError("is not text in UTF-8"),
  );
}

/** An entry of a list without the comma or bracket at either end. A loop, since a pattern would look from every blank of a long text. */
function entryOf(text: string): string {
  let from = 0;
  let to = text.length;
  while (from < to && " \t\r\n,[".includes(text[from]!)) from += 1;
  while (to > from && " \t\r\n,]".includes(text[to - 1]!)) to -= 1;
  return text.slice(from, to);
}

/**
 * A row of its text; null where there is nothing but blanks. Throws a TraceError where it is none.
 * @param isEntry whether it is one of a list
 */
export function rowOfText(bytes: Uint8Array, isEntry: boolean): FoundRow | null {
  if (bytes.length <= 1) return null;
  const whole = textOf(bytes);
  const text = isEntry ? entryOf(whole) : whole.endsWith("\n") ? whole.slice(0, -1) : whole;
  if (text === "" || text.trim() === "") return null;
  const value = orThrow(
    () => readText(text),
    (error) => new TraceError(isCut(error) ? "is cut short: JSON ends in the middle of it" : "is not JSON"),
  );
  if (!isRecord(value)) throw new TraceError(`must be an object with columns, got ${valueText(value)}`);
  return value;
}

const isCut = (error: unknown) => /unterminated|unexpected end|end of/i.test(errorText(error));
