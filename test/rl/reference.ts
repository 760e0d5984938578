// Reads the reference numbers of test/reference and brings them into the form that the objective takes.
import { readFileSync } from "node:fs";

const FOLDER = new URL("../reference/", import.meta.url);

/** A JSON file of the reference folder; the caller names its shape. */
export function readReference<T>(name: string): T {
  return JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as T;
}

/** A padded [Q, T] table laid out row after row, with every row as long as the table is wide. */
export function flatten(table: readonly (readonly number[])[]): Float64Array {
  return Float64Array.from(table.flat());
}

/** Starts of Q rows of T tokens each, plus the end. */
export function rowStarts(rows: number, width: number): Int32Array {
  return Int32Array.from({ length: rows + 1 }, (_, q) => q * width);
}

/** Largest difference of two arrays over the largest reference element (or 1e-12 where all are 0). */
export function relativeError(actual: ArrayLike<number>, expected: ArrayLike<number>): number {
  let largest = 1e-12;
  let difference = 0;
  for (let i = 0; i < expected.length; i++) {
    largest = Math.max(largest, Math.abs(expected[i]!));
    difference = Math.max(difference, Math.abs(actual[i]! - expected[i]!));
  }
  return actual.length === expected.length ? difference / largest : Number.POSITIVE_INFINITY;
}
