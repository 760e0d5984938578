// A signature: a pattern in a log that people ask about again and again. It is a fault or it is none, and says which, with the log's own
// numbers. Unlike the diagnoses it asks for nothing that short logs of other programs do not have.
import { meanOf } from "../../advantage/statistics.ts";
import type { LogEvidence } from "../logEvidence.ts";

export interface Signature {
  readonly id: string;
  readonly title: string;
  /** Whether something goes wrong, or it looks so and is as it should be. */
  readonly kind: "fault" | "normal";
  /** The diagnosis that says the same of a run whose numbers are all known: told once. */
  readonly cause?: string;
  /** Signatures and diagnoses that only follow from it, and are not told beside it. */
  readonly leadsTo?: readonly string[];
  /** It is a fault while the reward still rises, too. */
  readonly hidesInProgress?: true;
  /** The lesson that shows it. */
  readonly lesson: string;
  /** Why it comes about, for somebody who has not met it before. */
  readonly explains: string;
  readonly tries: readonly string[];
  /** A sentence with the log's numbers, or null where the pattern is not there. */
  readonly find: (run: LogEvidence) => string | null;
}

/** All values of a metric. */
export const valuesOf = (run: LogEvidence, key: string): readonly number[] => Array.from(run.metric(key).values);

/** Steps that the log has at all. */
export const stepsOf = (run: LogEvidence): number => run.log.rows.length;

/** Means of the first and the last third, at least one value each; null with fewer than two values. */
export function thirds(values: readonly number[]): { readonly first: number; readonly last: number } | null {
  if (values.length < 2) return null;
  const third = Math.max(1, Math.floor(values.length / 3));
  return { first: meanOf(values.slice(0, third)), last: meanOf(values.slice(-third)) };
}

/** The largest mean of as many values in a row as a third of them: what single lucky steps do not make. */
export function bestMean(values: readonly number[]): number {
  const third = Math.max(1, Math.floor(values.length / 3));
  return Math.max(...values.slice(third - 1).map((_, i) => meanOf(values.slice(i, i + third))));
}

/** "In all 4 steps", "In 3 of 4 steps"; rows that the log gives no step are logged lines. */
export function inSteps(count: number, of: number): string {
  if (of === 1) return "In the one step of the log";
  return count === of ? `In all ${of} steps of the log` : `In ${count} of ${of} steps`;
}
