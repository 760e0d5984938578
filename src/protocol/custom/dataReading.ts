// What the page asks the worker that reads somebody's data, and what comes back.
import type { OwnData, OwnProblem } from "./customTasks.ts";

/** Which columns a problem is read from; null where no answers are known. */
export interface ReadColumns {
  readonly question: string;
  readonly answer: string | null;
}

/**
 * Bytes of a file or rows from elsewhere; then problems of what was read last. Or the lines of a content: those that
 * are kept, or some to keep.
 */
export type DataRequest = { readonly name: string } & (
  | { readonly does: "read"; readonly bytes: Uint8Array }
  | { readonly does: "take"; readonly rows: readonly string[] }
  | { readonly does: "keep"; readonly columns: ReadColumns; readonly leavesOut?: boolean }
  | { readonly does: "give"; readonly sha256: string }
  | { readonly does: "hold"; readonly lines: string }
);

/** What was read. */
export interface SeenData {
  readonly columns: readonly string[];
  readonly rows: number;
  /** What is wrong with some of them; null where all can be read. */
  readonly bad: string | null;
  /** The first rows, as short texts in the order of the columns. */
  readonly first: readonly (readonly string[])[];
  readonly likely: ReadColumns;
}

/** Problems as a configuration holds them: themselves, or which content. */
export interface KeptData {
  readonly held: { readonly problems: readonly OwnProblem[] } | { readonly data: OwnData };
  readonly rows: number;
  readonly answers: number;
  readonly first: readonly OwnProblem[];
  /** Rows that were left out, and why. */
  readonly notes: readonly string[];
}

export type DataReply =
  | ({ readonly type: "seen" } & SeenData)
  | ({ readonly type: "kept" } & KeptData)
  | { readonly type: "content"; readonly lines: string | null }
  | { readonly type: "problem"; readonly message: string };
