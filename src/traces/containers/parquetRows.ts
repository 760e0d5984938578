// Rows of a Parquet file, a row group at a time: a place is the number of a row.
import { errorText } from "../../protocol/problems.ts";
import { openParquet, type ParquetFile, type RowSpan } from "../../rl/data/rows/parquet.ts";
import type { TraceFile } from "../traceSet.ts";
import { type Container, type FoundRow, type RowPlace, type RowTaker, TraceError } from "./container.ts";

/** A file as the library reads it: in parts that have their bytes for themselves. */
function bufferOf(file: TraceFile) {
  return {
    byteLength: file.size,
    async slice(begin: number, end = file.size): Promise<ArrayBuffer> {
      const bytes = await file.read(Math.max(0, begin), Math.min(end, file.size));
      const { buffer, byteOffset, byteLength } = bytes;
      return (byteLength === buffer.byteLength ? buffer : buffer.slice(byteOffset, byteOffset + byteLength)) as ArrayBuffer;
    },
  };
}

async function scan(file: TraceFile, parquet: ParquetFile, taker: RowTaker): Promise<void> {
  for (const span of parquet.spans) {
    const found = await parquet.read(span).catch((error: unknown) => {
      taker.broken(`${file.path}, rows ${span.begin + 1} to ${span.end}`, errorText(error));
      return null;
    });
    for (let i = 0; found && i < found.count; i++) {
      const where = `${file.path}, row ${span.begin + i + 1}`;
      try {
        const place = { begin: span.begin + i, end: span.begin + i + 1 };
        if (!taker.row(found.row(i).values, place, where)) return;
      } catch (error) {
        taker.broken(where, errorText(error).replace(`${file.path} row ${span.begin + i + 1}: `, ""));
      }
    }
    taker.progress(Math.round((file.size * span.end) / Math.max(1, parquet.rows)));
  }
  taker.progress(file.size);
}

async function read(parquet: ParquetFile, places: readonly RowPlace[]): Promise<readonly FoundRow[]> {
  const rows = new Map<number, FoundRow>();
  for (const span of parquet.spans) {
    const own = places.filter(({ begin }) => begin >= span.begin && begin < span.end).map(({ begin }) => begin);
    if (own.length === 0) continue;
    const part: RowSpan = { begin: own.reduce((least, at) => Math.min(least, at)), end: own.reduce((most, at) => Math.max(most, at)) + 1 };
    const { row } = await parquet.read(part);
    for (const at of own) rows.set(at, row(at - part.begin).values);
  }
  return places.map(({ begin }) => {
    const row = rows.get(begin);
    if (!row) throw new TraceError(`row ${begin + 1} is not there`);
    return row;
  });
}

/** A Parquet file of rows. Rejects with a sentence where it cannot be read. */
export async function parquetRows(file: TraceFile): Promise<Container> {
  const parquet = await openParquet(file.path, bufferOf(file), false);
  const first = async () => {
    if (parquet.rows === 0) return null;
    const found = await parquet.read({ begin: 0, end: 1 });
    return found.row(0).values;
  };
  return { file, first, scan: (taker) => scan(file, parquet, taker), read: (places) => read(parquet, places) };
}
