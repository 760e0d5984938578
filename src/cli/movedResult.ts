// What moved between the committed result of an experiment and one that was just made.
import { isSame } from "../protocol/config/configFacts.ts";
import { isRecord } from "../protocol/problems.ts";

/** What is compared of a result's file. */
export interface ComparedResult {
  readonly config: object;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (number | null)[])[];
  readonly evaluations: readonly { readonly sampledAccuracy: number; readonly sampledInterval: readonly [number, number] }[];
}

/** The text of a committed file as a result; null where it is none. */
export function committedResult(text: string): ComparedResult | null {
  const value: unknown = JSON.parse(text);
  const isResult = isRecord(value) && isRecord(value.config) && [value.columns, value.rows, value.evaluations].every(Array.isArray);
  return isResult ? (value as unknown as ComparedResult) : null;
}

/** Settings that are not the same; the version of their form is none. */
function otherSettings(one: object, other: object): readonly string[] {
  const [before, after] = [one, other] as readonly Readonly<Record<string, unknown>>[];
  const keys = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...keys].filter((key) => key !== "version" && !isSame(before?.[key], after?.[key]));
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`;

/** What moved, as half a sentence; null where every number is as committed. Seconds and machine are no result. */
export function movedResult(before: ComparedResult | null, after: ComparedResult): string | null {
  if (!before) return "new";
  const parts: string[] = [];
  const settings = otherSettings(before.config, after.config);
  if (settings.length > 0) parts.push(`other ${settings.join(", ")}`);
  if (!isSame(before.columns, after.columns)) parts.push("other columns");
  const first = after.rows.findIndex((row, i) => !isSame(row, before.rows[i]));
  if (first >= 0) parts.push(`curves from step ${after.rows[first]?.[0]} on`);
  if (before.rows.length !== after.rows.length) parts.push(`${after.rows.length} steps instead of ${before.rows.length}`);
  const was = before.evaluations.at(-1);
  const is = after.evaluations.at(-1);
  if (was && is && was.sampledAccuracy !== is.sampledAccuracy) {
    const [low, high] = was.sampledInterval;
    const place = is.sampledAccuracy >= low && is.sampledAccuracy <= high ? "within" : "OUTSIDE";
    parts.push(`final accuracy ${percent(was.sampledAccuracy)} -> ${percent(is.sampledAccuracy)}, ${place} its interval`);
  } else if (!isSame(before.evaluations, after.evaluations)) parts.push("evaluations");
  return parts.length === 0 ? null : parts.join("; ");
}
