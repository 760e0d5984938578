// Files of rollouts as readers get them, from bytes and from the samples in test/reference/traces.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { TraceFile } from "../../src/traces/traceSet.ts";

/** A file of these bytes, or of a text. */
export function traceFile(path: string, content: string | Uint8Array): TraceFile {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return { path, size: bytes.length, read: async (begin, end) => bytes.slice(begin, end) };
}

/** Rows as lines of JSON. */
export const lines = (rows: readonly unknown[]): string => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

export const SAMPLES = join(import.meta.dirname, "../reference/traces");

/** All files of a folder of samples, by their path within it. */
export function sampleFiles(folder: string): readonly TraceFile[] {
  const root = join(SAMPLES, folder);
  return readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => traceFile(path.slice(root.length + 1), readFileSync(path)));
}
