// Rows of a data file, whatever its form: JSON lines, a JSON list, comma-separated values, Parquet. Each row comes
// with the words that say where it stands, since what is wrong with one is said by them.
import { errorText, isRecord, showValue } from "../../../protocol/problems.ts";

/** What is wrong with a file or a row of it, as a sentence. */
export class DataError extends Error {
  override readonly name = "DataError";
}

/** Rows that a file may have, and bytes. */
const MOST_ROWS = 200_000;
const MOST_BYTES = 128 * 2 ** 20;

export interface Row {
  /** Such as "problems.csv:7" or "problems.parquet row 7". */
  readonly where: string;
  readonly values: Readonly<Record<string, unknown>>;
}

function rowOf(where: string, value: unknown): Row {
  if (!isRecord(value)) throw new DataError(`${where}: must be an object with columns, got ${showValue(value)}`);
  return { where, values: value };
}

function jsonLines(path: string, text: string): readonly Row[] {
  return text.split("\n").flatMap((line, i) => {
    if (line.trim() === "") return [];
    const where = `${path}:${i + 1}`;
    try {
      return [rowOf(where, JSON.parse(line))];
    } catch (error) {
      if (error instanceof DataError) throw error;
      throw new DataError(`${where}: is not JSON`);
    }
  });
}

function jsonList(path: string, text: string): readonly Row[] {
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new DataError(`${path} is not JSON: ${errorText(error)}`);
  }
  if (!Array.isArray(list)) throw new DataError(`${path} must hold a list of rows, got ${showValue(list)}`);
  return list.map((value, i) => rowOf(`${path} row ${i + 1}`, value));
}

/** The cells of comma-separated values by RFC 4180, with the line each record begins on. */
export function readCsv(path: string, text: string): readonly Row[] {
  const records: { readonly line: number; readonly cells: string[] }[] = [];
  let [line, at] = [1, 0];
  const source = text.replace(/^\uFEFF/, "");
  while (at < source.length) {
    const record = { line, cells: [] as string[] };
    for (let isOver = false; !isOver; ) {
      let cell = "";
      if (source[at] === '"') {
        const opened = line;
        for (at += 1; source[at] !== '"' || source[at + 1] === '"'; at++) {
          if (at >= source.length) throw new DataError(`${path}:${opened}: a quoted cell is never closed`);
          if (source[at] === '"') at += 1;
          if (source[at] === "\n") line += 1;
          cell += source[at];
        }
        at += 1;
      } else for (; at < source.length && !",\r\n".includes(source[at]!); at++) cell += source[at];
      record.cells.push(cell);
      if (source[at] === "\r") at += 1;
      isOver = source[at] !== ",";
      if (isOver && source[at] !== "\n" && at < source.length) throw new DataError(`${path}:${line}: text follows a quoted cell`);
      at += 1;
    }
    line += 1;
    if (record.cells.length > 1 || record.cells[0] !== "") records.push(record);
  }
  const [head, ...rows] = records;
  if (!head) return [];
  return rows.map(({ line: begun, cells }) => {
    const where = `${path}:${begun}`;
    if (cells.length !== head.cells.length)
      throw new DataError(`${where}: must have ${head.cells.length} cells like the first line, got ${cells.length}`);
    return { where, values: Object.fromEntries(head.cells.map((name, i) => [name, cells[i]])) };
  });
}

async function parquet(path: string, bytes: Uint8Array): Promise<readonly Row[]> {
  const ends = [bytes.subarray(0, 4), bytes.subarray(-4)].map((each) => new TextDecoder().decode(each));
  if (bytes.length < 12 || ends.some((end) => end !== "PAR1"))
    throw new DataError(`${path} cannot be read as Parquet: it must begin and end with PAR1, as whole files of that form do`);
  const [{ parquetReadObjects }, { compressors }] = await Promise.all([import("hyparquet"), import("hyparquet-compressors")]);
  const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
  try {
    return (await parquetReadObjects({ file, compressors })).map((value, i) => rowOf(`${path} row ${i + 1}`, value));
  } catch (error) {
    if (error instanceof DataError) throw error;
    throw new DataError(`${path} cannot be read as Parquet: ${errorText(error)}`);
  }
}

const FORMS: Readonly<Record<string, (path: string, bytes: Uint8Array) => Promise<readonly Row[]> | readonly Row[]>> = {
  ".jsonl": (path, bytes) => jsonLines(path, new TextDecoder().decode(bytes)),
  ".json": (path, bytes) => jsonList(path, new TextDecoder().decode(bytes)),
  ".csv": (path, bytes) => readCsv(path, new TextDecoder().decode(bytes)),
  ".parquet": parquet,
};

/** How names of files that can be read end. */
export const DATA_ENDINGS = Object.keys(FORMS);

/** All rows of a file. Throws a DataError that names the file, and the row where one is wrong. */
export async function rowsOf(name: string, bytes: Uint8Array): Promise<readonly Row[]> {
  const ending = /\.[^.]*$/.exec(name)?.[0].toLowerCase() ?? "";
  const form = Object.hasOwn(FORMS, ending) ? FORMS[ending] : undefined;
  if (!form) throw new DataError(`data must be a file ending in ${DATA_ENDINGS.join(", ")}, got ${name}`);
  if (bytes.length > MOST_BYTES)
    throw new DataError(`${name} must have at most ${MOST_BYTES / 2 ** 20} MB, got ${Math.ceil(bytes.length / 2 ** 20)}`);
  const rows = await form(name, bytes);
  if (rows.length > MOST_ROWS) throw new DataError(`${name} must have at most ${MOST_ROWS} rows, got ${rows.length}`);
  return rows;
}
