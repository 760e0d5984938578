// A row of a file that somebody brings, with the words that say where it stands, since what is wrong with one is said by
// them. One that is wrong is no reason to lose the others: it is told with its place, and left out where somebody says so.
import { asOneMessage } from "../../../protocol/problems.ts";
import { counted } from "../../../protocol/quantities.ts";

/** What is wrong with a file or a row of it, as a sentence. */
export class DataError extends Error {
  override readonly name = "DataError";
}

export interface Row {
  /** Such as "problems.csv:7" or "problems.parquet row 7". */
  readonly where: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** Rows, and a sentence for each that is wrong. */
export interface FoundRows<R = Row> {
  readonly rows: readonly R[];
  readonly bad: readonly string[];
}

/** Rows that a file may have. */
const MOST_ROWS = 200_000;

/** Throws a DataError for more rows than a file may have. */
export function checkRowCount(name: string, count: number): void {
  if (count > MOST_ROWS) throw new DataError(`${name} must have at most ${MOST_ROWS} rows, got ${count}`);
}

/** Takes rows one by one; one that throws a DataError is wrong, and null is none. @param name of the file. */
export function takenRows<From, R>(name: string, given: Iterable<From>, take: (from: From) => R | null): FoundRows<R> {
  const [rows, bad]: [R[], string[]] = [[], []];
  for (const each of given) {
    checkRowCount(name, rows.length + bad.length);
    try {
      const row = take(each);
      if (row !== null) rows.push(row);
    } catch (error) {
      if (!(error instanceof DataError)) throw error;
      bad.push(error.message);
    }
  }
  checkRowCount(name, rows.length + bad.length);
  return { rows, bad };
}

/** Throws where rows are wrong and nobody said to leave them out, or where all are. @param offer how somebody says so. */
export function checkBad({ rows, bad }: FoundRows<unknown>, leavesOut: boolean, offer: string): void {
  if (bad.length === 0 || (leavesOut && rows.length > 0)) return;
  const all = bad.length + rows.length;
  // Where all are wrong one sentence says what is.
  if (rows.length === 0) throw new DataError(bad[0]!);
  throw new DataError(`${asOneMessage(bad)} (${bad.length} of ${counted(all, "row")} cannot be read: ${offer})`);
}

/** What is said of rows that were left out; nothing where none were. */
export function saidOfBad(bad: readonly string[]): readonly string[] {
  return bad.length === 0 ? [] : [`${bad.length === 1 ? "1 row was" : `${bad.length} rows were`} left out: ${asOneMessage(bad)}`];
}
