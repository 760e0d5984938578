// Rows of JSON text: one a line, or the entries of a list. A file is read a chunk at a time, and what is kept of a row is where its
// bytes lie; one that is longer than a conversation can be is passed over without being held.

import { errorText } from "../../protocol/problems.ts";
import { joinedBytes } from "../../protocol/run/deflate.ts";
import type { TraceFile } from "../traceSet.ts";
import { type Container, type FoundRow, firstRow, type RowPlace, type RowTaker, TraceError } from "./container.ts";
import { rowOfText } from "./jsonText.ts";

const CHUNK = 2 ** 22;
/** Bytes that one row may have: a million tokens with fifteen numbers each take fewer. */
const MOST_ROW = 2 ** 28;
/** Rows that lie no farther apart are read at once, up to so many bytes. */
const MOST_READ = 2 ** 25;
const GAP = 2 ** 16;

/** Finds where rows end; remembers across chunks what it is in the middle of. */
interface Cutter {
  /** The place behind the end of the row that goes on at `from`, or -1 where it goes on behind the chunk. */
  next(bytes: Uint8Array, from: number): number;
  /** Whether commas and brackets stand between rows. */
  readonly isList: boolean;
  /** "line 7", "row 7" */
  readonly unit: string;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const NEWLINE = 0x0a;
const isOpening = (byte: number) => byte === 0x5b || byte === 0x7b;
const isClosing = (byte: number) => byte === 0x5d || byte === 0x7d;

const lines = (): Cutter => ({ next: (bytes, from) => bytes.indexOf(NEWLINE, from) + 1 || -1, isList: false, unit: "line" });

/** Entries of a list end at the commas between its own brackets, outside of texts. */
function entries(): Cutter {
  let depth = 0;
  let isInText = false;
  let isEscaped = false;
  return {
    isList: true,
    unit: "row",
    next(bytes, from) {
      for (let at = from; at < bytes.length; at++) {
        const byte = bytes[at]!;
        if (isEscaped) isEscaped = false;
        else if (isInText) {
          if (byte === BACKSLASH) isEscaped = true;
          else if (byte === QUOTE) isInText = false;
        } else if (byte === QUOTE) isInText = true;
        else if (isOpening(byte)) depth += 1;
        else if (isClosing(byte)) depth -= 1;
        else if (byte === COMMA && depth <= 1) return at + 1;
      }
      return -1;
    },
  };
}

/** Bytes of a row that goes over the end of chunks; null once there are too many to hold. */
function joined(parts: readonly Uint8Array[] | null): Uint8Array | null {
  return parts === null || parts.length === 1 ? (parts?.[0] ?? null) : joinedBytes(parts);
}

/** Rows of a text, as they are cut out of it. */
function takeRows(path: string, { isList, unit }: Cutter, taker: RowTaker) {
  let count = 0;
  return (bytes: Uint8Array | null, place: RowPlace): boolean => {
    count += 1;
    const where = `${path}, ${unit} ${count}`;
    try {
      if (bytes === null) throw new TraceError(`must be at most ${MOST_ROW / 2 ** 20} MB long`);
      const row = rowOfText(bytes, isList);
      return row === null || taker.row(row, place, where);
    } catch (error) {
      // What lies too deep, or is wrong with what a form reads of it, is told with its place.
      taker.broken(where, errorText(error));
      return true;
    }
  };
}

async function scan(file: TraceFile, cutter: Cutter, taker: RowTaker): Promise<void> {
  const take = takeRows(file.path, cutter, taker);
  let held: Uint8Array[] | null = [];
  let begin = 0;
  for (let from = 0; from < file.size; from += CHUNK) {
    const chunk = await file.read(from, Math.min(from + CHUNK, file.size));
    if (chunk.length === 0) break;
    let at = 0;
    for (let end = cutter.next(chunk, at); end >= 0; end = cutter.next(chunk, at)) {
      held?.push(chunk.subarray(at, end));
      if (!take(joined(held), { begin, end: from + end })) return;
      held = [];
      begin = from + end;
      at = end;
    }
    const isTooLong: boolean = from + chunk.length - begin > MOST_ROW;
    // A copy: the chunk would be held whole by the little of it that is left.
    if (isTooLong) held = null;
    else if (at < chunk.length) held?.push(chunk.slice(at));
    taker.progress(Math.min(from + CHUNK, file.size));
  }
  if (begin < file.size) take(joined(held), { begin, end: file.size });
  taker.progress(file.size);
}

/** Places that are read at once: neighbours, in the order of the file. */
function spansOf(places: readonly RowPlace[]): readonly RowPlace[] {
  const spans: RowPlace[] = [];
  for (const { begin, end } of [...places].sort((a, b) => a.begin - b.begin)) {
    const last = spans.at(-1);
    if (last && begin - last.end <= GAP && end - last.begin <= MOST_READ) spans[spans.length - 1] = { begin: last.begin, end };
    else spans.push({ begin, end });
  }
  return spans;
}

async function read(file: TraceFile, isList: boolean, places: readonly RowPlace[]): Promise<readonly FoundRow[]> {
  const rows = new Map<number, FoundRow>();
  const wanted = [...places].sort((a, b) => a.begin - b.begin);
  let next = 0;
  for (const span of spansOf(places)) {
    const bytes = await file.read(span.begin, span.end);
    for (let place = wanted[next]; place && place.end <= span.end; place = wanted[++next]) {
      const row = rowOfText(bytes.subarray(place.begin - span.begin, place.end - span.begin), isList);
      if (row) rows.set(place.begin, row);
    }
  }
  return places.map(({ begin }) => {
    const row = rows.get(begin);
    if (!row) throw new TraceError(`${file.path} has changed since it was opened: open it again`);
    return row;
  });
}

/** The first sign of a text that is no blank; "" where the beginning of a file is nothing but blanks. */
async function firstSign(file: TraceFile): Promise<string> {
  const bytes = await file.read(0, Math.min(file.size, 1024));
  return new TextDecoder().decode(bytes).trimStart().slice(0, 1);
}

/** A text file of rows, whatever its name: a list where it begins as one. */
export async function jsonRows(file: TraceFile): Promise<Container> {
  const kind = (await firstSign(file)) === "[" ? entries : lines;
  return {
    file,
    first: () => firstRow((taker) => scan(file, kind(), taker)),
    scan: (taker) => scan(file, kind(), taker),
    read: (places) =>
      read(file, kind().isList, places).catch((error: unknown) => {
        throw new TraceError(
          error instanceof TraceError && error.message.startsWith(file.path) ? error.message : `${file.path}: ${errorText(error)}`,
        );
      }),
  };
}
