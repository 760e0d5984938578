// A file as rows that can be read again one by one: where a row lies is two numbers, so that a file is gone through once and nothing
// of it is kept but places.
import { showValue } from "../../protocol/problems.ts";
import type { TraceFile } from "../traceSet.ts";

/** A row as it stands in its file. */
export type FoundRow = Readonly<Record<string, unknown>>;

/** Where a row lies: bytes [begin, end) of a text, or the number of a row of a table. */
export interface RowPlace {
  readonly begin: number;
  readonly end: number;
}

/** Takes the rows of a file in their order. */
export interface RowTaker {
  /** Returns false where no more rows are wanted. */
  row(row: FoundRow, place: RowPlace, where: string): boolean;
  broken(where: string, why: string): void;
  /** How many bytes of the file were gone through. */
  progress(doneBytes: number): void;
}

/** A file of rows. */
export interface Container {
  readonly file: TraceFile;
  /** The first row that can be read; null where there is none. Rejects with a sentence as scan does, or where no row can be read. */
  first(): Promise<FoundRow | null>;
  /** Hands over all rows in order. Rejects with a sentence where the file cannot be read at all. */
  scan(taker: RowTaker): Promise<void>;
  /** The rows at places, in their order; where one cannot be read, the file has changed, and this rejects. */
  read(places: readonly RowPlace[]): Promise<readonly FoundRow[]>;
}

/** What is wrong with files of rollouts, as a sentence. */
export class TraceError extends Error {
  override readonly name = "TraceError";
}

/** A value as a sentence repeats it. */
export const valueText = (value: unknown, most?: number): string => (value === undefined ? "nothing" : showValue(value, most));

/** The first row that a scan hands over. */
export async function firstRow(scan: Container["scan"]): Promise<FoundRow | null> {
  let first: FoundRow | null = null;
  let wrong: string | null = null;
  await scan({
    row(row) {
      first = row;
      return false;
    },
    broken(where, why) {
      wrong ??= `${where} ${why}`;
    },
    progress() {},
  });
  if (first === null && wrong !== null) throw new TraceError(wrong);
  return first;
}
