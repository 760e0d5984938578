// Two answers as columns, token against token: what both have is passed over but for a few tokens around each
// difference, and what was said to the policy in between stands as text, without the marks of its template.
import type { TrajectoryRecord } from "../../../../protocol/records.ts";
import { tokenKeys } from "../../group/groupShape.ts";
import { insertedText } from "../../rollouts/conversation/turns.ts";
import { type ShownPiece, showPiece } from "../../tokens/drawing.ts";
import { type AlignedPlace, alignTokens } from "../story/align.ts";

type Answer = Pick<TrajectoryRecord, "tokens" | "pieces" | "sampled">;

/** What one answer has in a column. */
export interface DifferenceCell {
  readonly text: string;
  readonly kind: ShownPiece["kind"] | "said";
}

export type DifferenceColumn =
  | { readonly kind: "both" | "differs"; readonly a: DifferenceCell | null; readonly b: DifferenceCell | null }
  | { readonly kind: "skipped"; readonly count: number };

export interface Difference {
  readonly columns: readonly DifferenceColumn[];
  /** Places of the alignment, and those with the same token in both. */
  readonly places: number;
  readonly shared: number;
  /** The first place, from 0, where they differ; null where they do not. */
  readonly partsAt: number | null;
}

/** Shared tokens that stay on either side of a difference. */
const SEEN_ALIKE = 3;
const MOST_SAID = 32;

function saidText(pieces: readonly string[]): string {
  const text = insertedText(pieces);
  return text.length > MOST_SAID ? `${text.slice(0, MOST_SAID)}…` : text;
}

function cellOf({ pieces }: Answer, t: number | null): DifferenceCell | null {
  if (t === null) return null;
  const { text, kind } = showPiece(pieces[t] ?? "");
  return { text, kind };
}

/** A run of places where neither said anything itself, as one column. */
function saidColumn(a: Answer, b: Answer, run: readonly AlignedPlace[], isBoth: boolean): DifferenceColumn {
  const of = ({ pieces }: Answer, at: readonly (number | null)[]): DifferenceCell | null => {
    const own = at.flatMap((t) => (t === null ? [] : [pieces[t] ?? ""]));
    return own.length === 0 ? null : { text: saidText(own), kind: "said" };
  };
  return {
    kind: isBoth ? "both" : "differs",
    a: of(
      a,
      run.map((place) => place.a),
    ),
    b: of(
      b,
      run.map((place) => place.b),
    ),
  };
}

/** Runs of columns that both have, but for those next to a difference, become one that counts them. */
function withoutAlike(columns: readonly DifferenceColumn[]): readonly DifferenceColumn[] {
  const isNear = (at: number) => columns.slice(Math.max(0, at - SEEN_ALIKE), at + SEEN_ALIKE + 1).some(({ kind }) => kind === "differs");
  const kept: DifferenceColumn[] = [];
  for (const [at, column] of columns.entries()) {
    const last = kept.at(-1);
    if (column.kind !== "both" || isNear(at)) kept.push(column);
    else if (last?.kind === "skipped") kept[kept.length - 1] = { kind: "skipped", count: last.count + 1 };
    else kept.push({ kind: "skipped", count: 1 });
  }
  return kept;
}

export function differenceOf(a: Answer, b: Answer): Difference {
  const [a_T = [], b_T = []] = tokenKeys([a, b]);
  const places = alignTokens(a_T, b_T);
  const isShared = (place: AlignedPlace) => place.a !== null && place.b !== null && a_T[place.a] === b_T[place.b];
  const isInserted = (place: AlignedPlace) =>
    (place.a === null || a.sampled[place.a] === 0) && (place.b === null || b.sampled[place.b] === 0);
  const columns: DifferenceColumn[] = [];
  for (let at = 0; at < places.length; at++) {
    const place = places[at]!;
    if (!isInserted(place)) {
      columns.push({ kind: isShared(place) ? "both" : "differs", a: cellOf(a, place.a), b: cellOf(b, place.b) });
      continue;
    }
    const from = at;
    while (at + 1 < places.length && isInserted(places[at + 1]!)) at += 1;
    const run = places.slice(from, at + 1);
    columns.push(saidColumn(a, b, run, run.every(isShared)));
  }
  const partsAt = places.findIndex((place) => !isShared(place));
  return {
    columns: partsAt === -1 ? columns : withoutAlike(columns),
    places: places.length,
    shared: places.filter(isShared).length,
    partsAt: partsAt === -1 ? null : partsAt,
  };
}
