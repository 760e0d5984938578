// A sweep as an address: "#/sweep?id=sweep-1a2b" is one that this browser keeps, "#/sweep?preset=digit-sum-table&over=learningRate:0.1,0.5&seeds=3"
// a set-up that opens anywhere. What cannot be used of it is left out and said.
import { useEffect } from "react";
import type { Catalog } from "../../../../protocol/catalog.ts";
import { showValue, unknownField } from "../../../../protocol/problems.ts";
import { SWEEP_LIMITS, type SweepPlan, type SweptField } from "../../../../protocol/run/sweepPlan.ts";
import { parseRoute, replaceQuery, useHash } from "../../../engine/route.ts";
import { draftFromQuery, draftQuery, readValue } from "../../../engine/store/draft/draftAddress.ts";
import { type Draft, resolveDraft } from "../../../engine/store/draft/draftConfig.ts";
import { useDraft } from "../../../engine/store/draft/draftStore.ts";
import { baseOf } from "../../compare/setup/raceSetup.ts";
import { useSweeps } from "../sweepStore.ts";
import { NEW_SWEEP, type SweepSetup, sweptFields, useSweepSetup } from "./sweepSetup.ts";

const OWN = new Set(["id", "over", "seeds"]);

/** The query of a set-up; empty for one in which nothing was chosen. */
export function sweepQuery(catalog: Catalog, { base, over, seeds }: SweepSetup): URLSearchParams {
  const query = new URLSearchParams(base ? draftQuery(catalog, base) : undefined);
  if (base && query.size === 0) query.set("preset", base.presetId);
  for (const { field, values } of over) query.append("over", `${field}:${values.join(",")}`);
  if (seeds !== NEW_SWEEP.seeds) query.set("seeds", String(seeds));
  return query;
}

/** The set-up that would make a plan again. */
export function setupOfPlan(catalog: Catalog, { base, over, combinations, runs }: SweepPlan): SweepSetup {
  const seeds = Math.max(1, ...combinations.map((_, place) => runs.filter(({ combination }) => combination === place).length));
  return { base: baseOf(catalog, base), over, seeds };
}

/** The set-up that an address describes, and what of it was not used. */
export function sweepFromQuery(catalog: Catalog, query: URLSearchParams): { readonly setup: SweepSetup; readonly problem: string | null } {
  const refused: string[] = [];
  const shared = new URLSearchParams([...query].filter(([name]) => !OWN.has(name)));
  const { draft } = draftFromQuery(catalog, shared);
  const fields = sweptFields(catalog, resolveDraft(catalog, draft).config);
  const over = query.getAll("over").flatMap((text): readonly SweptField[] => {
    const [key = "", values = ""] = text.split(/:(.*)/s);
    const field = fields.find((each) => each.key === key);
    if (field)
      return [
        {
          field: key,
          values: values
            .split(",")
            .filter(Boolean)
            .map((each) => readValue(field.kind, each)),
        },
      ];
    refused.push(
      unknownField(
        key,
        fields.map((each) => each.key),
      ),
    );
    return [];
  });
  if (over.length > SWEEP_LIMITS.fields) refused.push(`over must be given at most ${SWEEP_LIMITS.fields} times, got ${over.length}`);
  const given = query.get("seeds");
  const seeds = given === null ? NEW_SWEEP.seeds : Number(given);
  const isCount = Number.isInteger(seeds) && seeds >= 1 && seeds <= SWEEP_LIMITS.seeds;
  if (!isCount) refused.push(`seeds must be a whole number from 1 to ${SWEEP_LIMITS.seeds}, got ${showValue(given)}`);
  const { problem } = draftFromQuery(catalog, shared, refused);
  const base = shared.size > 0 ? draft : null;
  return { setup: { base, over: over.slice(0, SWEEP_LIMITS.fields), seeds: isCount ? seeds : NEW_SWEEP.seeds }, problem };
}

/** Keeps set-up and address equal; used once, by the screen. */
export function useSweepAddress(catalog: Catalog | null): void {
  const hash = useHash();
  const setup = useSweepSetup();
  useEffect(() => {
    const { screen, query } = parseRoute(hash);
    if (!catalog || screen !== "sweep" || query.has("id")) return;
    const current = sweepQuery(catalog, useSweepSetup.getState());
    if (query.toString() === current.toString()) return;
    // A plain link to the screen keeps what was chosen.
    if (query.size === 0) return replaceQuery("sweep", current);
    const { setup: read, problem } = sweepFromQuery(catalog, query);
    useSweepSetup.setState(read, true);
    useDraft.setState({ addressProblem: problem });
  }, [hash, catalog]);
  useEffect(() => {
    const { screen, query } = parseRoute(window.location.hash);
    if (!catalog || screen !== "sweep" || query.has("id")) return;
    const own = sweepQuery(catalog, setup);
    // The address keeps the last set-up that can be used.
    if (sweepFromQuery(catalog, own).problem === null) replaceQuery("sweep", own);
  }, [setup, catalog]);
}

/** A link to the set-up on screen, or to that of a kept sweep, which opens in any browser. @param draft the Train screen's form */
export function sweepLink(catalog: Catalog, id: string | null, draft: Draft): URLSearchParams {
  const kept = id === null ? undefined : useSweeps.getState().kept?.find((each) => each.id === id);
  const setup = kept ? setupOfPlan(catalog, kept.plan) : useSweepSetup.getState();
  return sweepQuery(catalog, { ...setup, base: setup.base ?? draft });
}
