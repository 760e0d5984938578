// The Explain screen as an address: a place of Rollouts and the phase, "#/explain?step=12&completion=4&token=2&phase=ratio".
// It names no run, so that a link leads to the same place of a run that is trained again.

import { hashOf } from "../../engine/route.ts";
import type { ExplainedPhase, Selection } from "../../engine/store/selection.ts";
import { queryOf, selectionFrom } from "../../engine/store/selectionAddress.ts";
import { EXPLAINED } from "./story/phases.ts";

type Place = Omit<Selection, "phase">;

const FIRST = "prompt";

/** The id that a text names, or null. */
function phaseNamed(text: string | null): ExplainedPhase | null {
  return EXPLAINED.find(({ id }) => id === text)?.id ?? null;
}

/** The place that an address names. */
export function explainedFrom(query: URLSearchParams): Place {
  return { ...selectionFrom(query), explained: phaseNamed(query.get("phase")) ?? FIRST };
}

/** The address of a place; what is at its default is left out. */
export function explainQuery(selection: Place): URLSearchParams {
  const query = queryOf(selection);
  if (selection.explained !== FIRST) query.set("phase", selection.explained);
  return query;
}

/** A link to a place from its beginning. */
export function explainHref(place: Omit<Place, "explained">): string {
  return hashOf("explain", explainQuery({ ...place, explained: FIRST }));
}
