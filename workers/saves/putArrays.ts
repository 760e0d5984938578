// Writes arrays of a save as files: whole and on the disk before the row that names them is, or not at all.
import { writeAnew } from "../models/writeFiles.ts";
import { folderHere, removeArrays, type StoredArray } from "./arrayFiles.ts";

/** Smaller ones lie in the database, which takes less time for them than a file does. */
const LEAST_BYTES = 16 * 1024;
const nameOf = (runId: string) => `${encodeURIComponent(runId)}~${crypto.randomUUID()}`;

/**
 * Writes the large ones of these arrays; where they lie. None are written where the browser refuses, for any reason but that its
 * storage is full: then it rejects, and nothing is left behind.
 */
export async function putArrays(runId: string, arrays: ReadonlyMap<string, Uint8Array>): Promise<ReadonlyMap<string, StoredArray>> {
  const large = [...arrays].filter(([, { length }]) => length >= LEAST_BYTES);
  const folder = large.length > 0 ? await folderHere() : null;
  const put = new Map<string, StoredArray>();
  if (!folder) return put;
  try {
    for (const [name, bytes] of large) {
      const file = nameOf(runId);
      put.set(name, { file, bytes: bytes.length });
      await writeAnew(folder, file, [bytes]);
    }
    return put;
  } catch (error) {
    await removeArrays([...put.values()].map(({ file }) => file));
    if (error instanceof DOMException && error.name === "QuotaExceededError") throw error;
    return new Map();
  }
}
