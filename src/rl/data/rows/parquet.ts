// Parquet as rows, whole or a span of rows at a time. What a file says of itself is looked at before anything is unfolded.
import type { AsyncBuffer, Compressors, FileMetaData, SchemaTree } from "hyparquet";
import { errorText, showValue } from "../../../protocol/problems.ts";
import { parsers, rowOf, takeDecimals } from "./parquetCells.ts";
import { checkRowCount, DataError, type FoundRows, type Row, takenRows } from "./row.ts";

/** What a file, or what of it is read at once, may unfold to, in bytes, and in values of all columns: lists have several in a row. */
const MOST_UNFOLDED = 2 ** 30;
const MOST_VALUES = 8_000_000;

const sum = (counts: readonly (bigint | undefined)[]) => counts.reduce((all, count) => all + Number(count ?? 0n), 0);

/** Refuses row groups that are read at once by what the file says of them, before anything is unfolded. */
function checkUnfolded(name: string, groups: FileMetaData["row_groups"]): void {
  const columns = groups.flatMap((group) => group.columns.map(({ meta_data: column }) => column));
  const unfolded = sum(columns.map((column) => column?.total_uncompressed_size));
  if (unfolded > MOST_UNFOLDED)
    throw new DataError(`${name} must unfold to at most ${MOST_UNFOLDED / 2 ** 20} MB, got ${Math.ceil(unfolded / 2 ** 20)}`);
  const values = sum(columns.map((column) => column?.num_values));
  if (values > MOST_VALUES) throw new DataError(`${name} must have at most ${MOST_VALUES} values in all columns, got ${values}`);
}

function checkColumns(name: string, { row_groups: groups }: FileMetaData, { children }: SchemaTree): void {
  const columns = groups.flatMap((group) => group.columns.map(({ meta_data: column }) => column));
  // The library gives up in the midst of its work on a column that is not in the schema, and nobody hears what becomes of the others.
  const isKnown = (path: readonly string[] = []) => {
    const walk = (among: SchemaTree["children"], [first, ...rest]: readonly string[]): boolean =>
      first === undefined || among.some(({ element, children: inner }) => element.name === first && walk(inner, rest));
    return walk(children, path);
  };
  const unknown = columns.find((column) => !isKnown(column?.path_in_schema))?.path_in_schema;
  if (unknown) throw new DataError(`${name} must name all its columns in its schema, got ${showValue(unknown.join("."))}`);
  const names = children.map(({ element }) => element.name);
  const twice = names.find((each, i) => names.indexOf(each) < i);
  if (twice !== undefined) throw new DataError(`${name} must name each column once, got ${JSON.stringify(twice)} twice`);
}

/** What the library falls over is a length or an offset that the file does not have. */
function refusal(name: string, error: unknown): DataError {
  if (error instanceof DataError && error.message.startsWith(name)) return error;
  const isFall = error instanceof TypeError || error instanceof RangeError;
  return new DataError(`${name} cannot be read as Parquet: ${isFall ? "its parts do not fit together: it is damaged" : errorText(error)}`);
}

/** Compressors that unfold no page to more than a file may. */
function bounded(name: string, compressors: Compressors): Compressors {
  return Object.fromEntries(
    Object.entries(compressors).map(([codec, unfold]) => [
      codec,
      (input: Uint8Array, length: number) => {
        if (length > MOST_UNFOLDED) throw new DataError(`${name} must have pages of at most ${MOST_UNFOLDED / 2 ** 20} MB`);
        return unfold(input, length);
      },
    ]),
  );
}

/** Rows that lie together and are unfolded together. */
export interface RowSpan {
  readonly begin: number;
  readonly end: number;
}

function spansOf(groups: FileMetaData["row_groups"]): readonly RowSpan[] {
  const spans: RowSpan[] = [];
  for (const group of groups) {
    const begin = spans.at(-1)?.end ?? 0;
    spans.push({ begin, end: begin + Number(group.num_rows) });
  }
  return spans;
}

/** A Parquet file whose rows are read in parts. */
export interface ParquetFile {
  readonly rows: number;
  /** Its row groups, in order. */
  readonly spans: readonly RowSpan[];
  /** Rows by their number: row(i) throws a DataError where one is wrong. Rejects where the span cannot be read at all. */
  read(span: RowSpan): Promise<{ readonly count: number; row(i: number): Row }>;
}

/** Whether a file frames itself as Parquet does. */
async function isParquet(file: AsyncBuffer): Promise<boolean> {
  const { byteLength } = file;
  if (byteLength < 12) return false;
  const ends = [await file.slice(0, 4), await file.slice(byteLength - 4, byteLength)];
  return ends.every((end) => new TextDecoder().decode(new Uint8Array(end)) === "PAR1");
}

/**
 * Opens a Parquet file. Throws a DataError for one that is none.
 * @param whole whether all of its rows will be held at once, as data with numbers as they are written.
 */
export async function openParquet(name: string, file: AsyncBuffer, whole: boolean): Promise<ParquetFile> {
  if (!(await isParquet(file)))
    throw new DataError(`${name} cannot be read as Parquet: it must begin and end with PAR1, as whole files of that form do`);
  const [{ parquetMetadataAsync, parquetReadObjects, parquetSchema }, { compressors: unbounded }] = await Promise.all([
    import("hyparquet"),
    import("hyparquet-compressors"),
  ]);
  const compressors = bounded(name, unbounded);
  try {
    const metadata = await parquetMetadataAsync(file);
    const schema = parquetSchema(metadata);
    const groups = metadata.row_groups;
    const rows = sum(groups.map((group) => group.num_rows));
    if (whole) checkRowCount(name, Math.max(Number(metadata.num_rows), rows));
    if (whole) checkUnfolded(name, groups);
    checkColumns(name, metadata, schema);
    const scales = takeDecimals(schema);
    const spans = spansOf(groups);
    return {
      rows,
      spans,
      async read({ begin: rowStart, end: rowEnd }) {
        checkUnfolded(
          name,
          groups.filter((_, i) => spans[i]!.begin < rowEnd && spans[i]!.end > rowStart),
        );
        try {
          const values = await parquetReadObjects({ file, metadata, compressors, parsers, utf8: false, rowStart, rowEnd });
          return { count: values.length, row: (i) => rowOf(`${name} row ${rowStart + i + 1}`, values[i] ?? {}, schema, scales, whole) };
        } catch (error) {
          throw refusal(name, error);
        }
      },
    };
  } catch (error) {
    throw refusal(name, error);
  }
}

/** The rows of a Parquet file. Throws a DataError for one that cannot be read, or is too large. */
export async function readParquet(name: string, bytes: Uint8Array): Promise<FoundRows> {
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  const file = await openParquet(name, { byteLength: buffer.byteLength, slice: (begin, end) => buffer.slice(begin, end) }, true);
  const { count, row } = await file.read({ begin: 0, end: file.rows });
  return takenRows(
    name,
    Array.from({ length: count }, (_, i) => i),
    row,
  );
}
