// All rollouts of a run as one table: what somebody asks of it, and what comes back. Rows are answers, wherever in the run they were given.
import { z } from "../zod.ts";

const column = z.string().min(1).max(200);

/** What a row must be to be found. */
const tableConditionSchema = z.discriminatedUnion("is", [
  /** A number of a column, from and to included. */
  z.strictObject({ is: z.literal("between"), column, from: z.number(), to: z.number() }),
  /** A word of a column; null stands for what is not known. */
  z.strictObject({ is: z.literal("one-of"), column, words: z.array(z.string().max(1000).nullable()).min(1).max(100) }),
  /** The answer's text has this in it, whatever the case of its letters. */
  z.strictObject({ is: z.literal("with-text"), text: z.string().min(1).max(1000) }),
  /** A regular expression is found in the answer's text. */
  z.strictObject({ is: z.literal("matching"), pattern: z.string().min(1).max(1000) }),
]);
/** A condition on rows. */
export type TableCondition = z.output<typeof tableConditionSchema>;

export const tableQuerySchema = z.strictObject({
  /** All of them hold. */
  where: z.array(tableConditionSchema).max(50),
  /** Rows without a value come last either way; null leaves rows as the run has them. */
  sort: z.strictObject({ column, isDescending: z.boolean() }).nullable(),
  from: z.int().min(0),
  count: z.int().min(0).max(1000),
  /** Whether the values of all columns are counted, over the rows that were found. */
  counted: z.boolean(),
  /** A column whose mean is wanted for each step, over the rows that were found. */
  curve: column.nullable(),
});
/** A question to the table. */
export type TableQuery = z.output<typeof tableQuerySchema>;

/** A column that the run has. */
export interface TableColumn {
  readonly id: string;
  readonly title: string;
  readonly kind: "number" | "word";
}

/** A row: where the answer is, how it begins, and its values in the order of the columns; null where not known. */
export interface TableRow {
  readonly step: number;
  readonly promptIndex: number;
  readonly trajectoryIndex: number;
  readonly begin: string;
  readonly values: readonly (number | string | null)[];
}

/** How the values of a column are spread over rows: numbers in bins of one width, words by how often they come, most frequent first. */
export type ColumnCounts =
  | { readonly column: string; readonly kind: "number"; readonly from: number; readonly to: number; readonly bins: readonly number[] }
  | { readonly column: string; readonly kind: "word"; readonly words: readonly { readonly word: string | null; readonly count: number }[] };

/** What the table answers. */
export interface TableAnswer {
  readonly columns: readonly TableColumn[];
  /** Steps whose rollouts could not be read, with why for the first. */
  readonly unread: { readonly count: number; readonly why: string } | null;
  /** Rows in all, and those that were found. */
  readonly total: number;
  readonly found: number;
  readonly rows: readonly TableRow[];
  readonly counts: readonly ColumnCounts[];
  /** Mean of the column at each step that has a value of it; null where none was asked for. */
  readonly curve: { readonly column: string; readonly steps: readonly number[]; readonly means: readonly number[] } | null;
}
