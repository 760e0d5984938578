// Rows of a data file, whatever its form: JSON lines, a JSON list, separated values, Parquet. The page and the command line
// read by these functions alone.
import { keyTwice, readJson } from "../../../protocol/custom/exactJson.ts";
import { errorText, isRecord, orThrow, showValue } from "../../../protocol/problems.ts";
import { readCsv } from "./csv.ts";
import { fileText } from "./fileText.ts";
import { readParquet } from "./parquet.ts";
import { DataError, type FoundRows, type Row, takenRows } from "./row.ts";

/** Bytes that a file may have. */
const MOST_BYTES = 128 * 2 ** 20;

function rowOf(where: string, value: unknown): Row {
  if (!isRecord(value)) throw new DataError(`${where}: must be an object with columns, got ${showValue(value)}`);
  const twice = keyTwice(value);
  if (twice !== undefined) throw new DataError(`${where}: must name each column once, got ${JSON.stringify(twice)} twice`);
  return { where, values: value };
}

/** A file is what it holds: a list in a file of lines is a list. */
function readLines(path: string, text: string): FoundRows {
  if (/^\s*\[/.test(text)) return readList(path, text);
  return takenRows(path, text.split(/\r\n|\n|\r/).entries(), ([i, line]): Row | null => {
    if (line.trim() === "") return null;
    const where = `${path}:${i + 1}`;
    const value = orThrow(
      () => readJson(line),
      () => new DataError(`${where}: is not JSON`),
    );
    return rowOf(where, value);
  });
}

function readList(path: string, text: string): FoundRows {
  let list: unknown;
  try {
    list = readJson(text);
  } catch (error) {
    // And lines in a file of a list are lines.
    if (/^\s*\{.*\}[^\S\r\n]*[\r\n]/.test(text)) return readLines(path, text);
    throw new DataError(`${path} is not JSON: ${errorText(error)}`);
  }
  if (!Array.isArray(list)) throw new DataError(`${path} must hold a list of rows, got ${showValue(list)}`);
  return takenRows(path, list.entries(), ([i, value]) => rowOf(`${path} row ${i + 1}`, value));
}

const FORMS: Readonly<Record<string, (path: string, bytes: Uint8Array) => Promise<FoundRows> | FoundRows>> = {
  ".jsonl": (path, bytes) => readLines(path, fileText(path, bytes)),
  ".json": (path, bytes) => readList(path, fileText(path, bytes)),
  ".csv": (path, bytes) => readCsv(path, fileText(path, bytes)),
  ".tsv": (path, bytes) => readCsv(path, fileText(path, bytes)),
  ".parquet": readParquet,
};

/** How names of files that can be read end. */
export const DATA_ENDINGS = Object.keys(FORMS);

/** The rows of a file, and what is wrong with others. Throws a DataError that names the file where it cannot be read at all. */
export async function rowsOf(name: string, bytes: Uint8Array): Promise<FoundRows> {
  const ending = /\.[^.]*$/.exec(name)?.[0].toLowerCase() ?? "";
  const form = Object.hasOwn(FORMS, ending) ? FORMS[ending] : undefined;
  if (!form) throw new DataError(`data must be a file ending in ${DATA_ENDINGS.join(", ")}, got ${name}`);
  if (bytes.length > MOST_BYTES)
    throw new DataError(`${name} must have at most ${MOST_BYTES / 2 ** 20} MB, got ${Math.ceil(bytes.length / 2 ** 20)}`);
  return form(name, bytes);
}
