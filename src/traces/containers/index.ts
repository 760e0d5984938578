// The containers of rows, told apart by how a file begins, whatever its name.
import type { TraceFile } from "../traceSet.ts";
import type { Container } from "./container.ts";
import { jsonRows } from "./jsonRows.ts";
import { parquetRows } from "./parquetRows.ts";

/** A file as rows. Rejects with a sentence where it is of no known kind. */
export async function openContainer(file: TraceFile): Promise<Container> {
  const begin = new TextDecoder().decode(await file.read(0, Math.min(4, file.size)));
  return begin === "PAR1" || /\.parquet$/i.test(file.path) ? parquetRows(file) : jsonRows(file);
}
