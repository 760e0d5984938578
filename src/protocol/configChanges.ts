// In what two configurations differ, by dotted names: what the page says of a draft, and the command line of
// the runs it compares.
import type { RunConfig } from "./config.ts";
import { isRecord } from "./problems.ts";

/** Fields that hold named values of their own. An edit of the first two is laid over the preset's, one of the others takes its place. */
export const RECORD_KEYS = ["taskOptions", "rewardWeights", "rewardRules", "rewardGates"] as const;
export const RECORDS: ReadonlySet<string> = new Set(RECORD_KEYS);

/** Whether two values of plain JSON say the same, in whatever order their keys were written. */
export function isSame(a: unknown, b: unknown): boolean {
  if (Array.isArray(a)) return Array.isArray(b) && a.length === b.length && a.every((value, i) => isSame(value, b[i]));
  if (!isRecord(a)) return Object.is(a, b);
  const keys = Object.keys(a);
  return isRecord(b) && keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && isSame(a[key], b[key]));
}

function recordChanges(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>, prefix: string): readonly string[] {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].filter((key) => !isSame(a[key], b[key])).map((key) => `${prefix}${key}`);
}

/** Dotted names of the fields in which two configurations differ. */
export function changedFields(a: RunConfig, b: RunConfig): readonly string[] {
  const plain = recordChanges(a, b, "").filter((key) => !RECORDS.has(key));
  return [...plain, ...RECORD_KEYS.flatMap((key) => recordChanges(a[key], b[key], `${key}.`))];
}
