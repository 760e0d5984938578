// The rows of the table of runs: which of them a search and the filters leave, and in which order. Pure, and quick enough for
// thousands of rows at every key: the text that a search looks through is made once for each row.
import type { SaveSummary } from "../../../protocol/run/runSummary.ts";

/** What is asked of the rows; "" where all values do. */
export interface RowQuery {
  readonly text: string;
  readonly task: string;
  readonly algorithm: string;
  readonly tag: string;
  readonly verdict: string;
  readonly sort: SortKey;
  readonly isDescending: boolean;
}

export type SortKey = "saved" | "name" | "step" | "right" | "final" | "verdict" | "bytes";

export const ALL_ROWS: RowQuery = { text: "", task: "", algorithm: "", tag: "", verdict: "", sort: "saved", isDescending: true };

/** What stands for the algorithm of a run. */
export const algorithmOf = ({ config }: SaveSummary): string => (config?.kind === "supervised" ? "supervised" : (config?.algorithm ?? ""));

const texts = new WeakMap<SaveSummary, string>();

function textOf(row: SaveSummary): string {
  const known = texts.get(row);
  if (known !== undefined) return known;
  const { name, runId, config, label, digest, parent } = row;
  const parts = [name, runId, config?.task, algorithmOf(row), ...(label.tags ?? []), label.notes, digest?.verdict, parent?.runId];
  const text = parts.filter(Boolean).join("\n").toLowerCase();
  texts.set(row, text);
  return text;
}

const VALUES: Readonly<Record<SortKey, (row: SaveSummary) => number | string | null>> = {
  saved: ({ savedAt }) => savedAt,
  name: ({ name }) => name.toLowerCase(),
  step: ({ step }) => step,
  right: ({ digest }) => digest?.accuracy ?? null,
  final: ({ digest }) => digest?.final ?? null,
  verdict: ({ digest }) => digest?.verdict ?? null,
  bytes: ({ bytes }) => bytes,
};

function compared(a: number | string | null, b: number | string | null, isDescending: boolean): number {
  // What has no value stands last, whichever way the others are sorted.
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  if (a === b) return 0;
  return (a < b ? -1 : 1) * (isDescending ? -1 : 1);
}

/** The rows that were asked for: pinned ones first, those that cannot be read last. Every word of the text must be found. */
export function rowsFor(rows: readonly SaveSummary[], { text, task, algorithm, tag, verdict, sort, isDescending }: RowQuery) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = rows.filter(
    (row) =>
      (task === "" || row.config?.task === task) &&
      (algorithm === "" || algorithmOf(row) === algorithm) &&
      (tag === "" || (row.label.tags ?? []).includes(tag)) &&
      (verdict === "" || row.digest?.verdict === verdict) &&
      words.every((word) => textOf(row).includes(word)),
  );
  const value = VALUES[sort];
  const place = (row: SaveSummary) => (row.config === null ? 2 : row.label.isPinned ? 0 : 1);
  const keyed = found.map((row) => ({ row, key: value(row), place: place(row) }));
  keyed.sort((a, b) => a.place - b.place || compared(a.key, b.key, isDescending) || b.row.savedAt - a.row.savedAt);
  return keyed.map(({ row }) => row);
}

/** The values that a filter offers, each once, in their order. */
export function valuesOf(rows: readonly SaveSummary[], of: (row: SaveSummary) => readonly string[]): readonly string[] {
  return [...new Set(rows.flatMap(of))].filter(Boolean).sort((a, b) => a.localeCompare(b));
}

/** A kind of runs that could go, to make room. */
export interface Spare {
  readonly title: string;
  readonly runIds: readonly string[];
  readonly bytes: number;
}

/** Steps below which a run was hardly begun. */
const HARDLY = 3;
const MONTH_MS = 30 * 24 * 3_600_000;

/** Runs that nobody may miss, by why; pinned and named ones are never among them. */
export function sparesOf(rows: readonly SaveSummary[], now: number): readonly Spare[] {
  const loose = rows.filter(({ label }) => Object.keys(label).length === 0);
  const kinds: readonly (readonly [string, (row: SaveSummary) => boolean])[] = [
    ["cannot be read", ({ config }) => config === null],
    [`stopped before step ${HARDLY}`, ({ config, step }) => config !== null && step < HARDLY],
    [
      "older than 30 days, without a name, notes, tags or a pin",
      ({ config, step, savedAt }) => config !== null && step >= HARDLY && now - savedAt > MONTH_MS,
    ],
  ];
  return kinds.flatMap(([title, isOne]) => {
    const found = loose.filter(isOne);
    const bytes = found.reduce((sum, row) => sum + row.bytes, 0);
    return found.length > 0 ? [{ title, runIds: found.map(({ runId }) => runId), bytes }] : [];
  });
}
