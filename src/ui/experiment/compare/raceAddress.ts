// A race as an address: "#/compare?version=2&preset=digit-sum-table&steps=60&vary=learningRate&values=0.5,1&seeds=3".
// What racers share is written as the Train screen's address writes it. What cannot be used is left out, a
// field or a value at a time, and said.
import type { Catalog } from "../../../protocol/catalog.ts";
import { schemaOf } from "../../../protocol/config/fields.ts";
import type { RunConfigKey } from "../../../protocol/config.ts";
import { showValue } from "../../../protocol/problems.ts";
import { AXES, type Axis } from "../../../rl/race/axis.ts";
import { draftFromQuery, draftQuery, readValue } from "../../engine/store/draft/draftAddress.ts";
import { variedFields } from "./setup/racePlan.ts";
import { MOST_RUNS, NEW_RACE, RACER_LIMIT, type RaceSetup, SEED_LIMIT, type Setting } from "./setup/raceSetup.ts";

/** Whether a fork, and after which step; "last" for all that the run has taken. */
const FORK = "fork";
const OWN = new Set([FORK, "runs", "vary", "values", "seeds", "epochs", "axis", "target"]);

/** The query of a set-up; empty for one in which nothing was chosen. */
export function raceQuery(catalog: Catalog, setup: RaceSetup): URLSearchParams {
  const { kind, base, vary, values, seeds, ownEpochs, forkStep, axis, target } = setup;
  if (kind === "runs") return runsQuery(setup);
  const query = new URLSearchParams(base ? draftQuery(catalog, base) : undefined);
  // The first preset as it is has an empty query, but a race that starts from it does not follow the Train screen.
  if (base && query.size === 0) query.set("preset", base.presetId);
  if (kind === "fork") query.set(FORK, forkStep === null ? "last" : String(forkStep));
  if (vary) query.set("vary", vary);
  if (values) query.set("values", values.join(","));
  if (seeds !== NEW_RACE.seeds) query.set("seeds", String(seeds));
  if (ownEpochs) query.set("epochs", "own");
  if (axis !== NEW_RACE.axis) query.set("axis", axis);
  if (target !== null) query.set("target", String(target));
  return query;
}

/** The query of kept runs beside each other. */
function runsQuery({ runs, axis, target }: RaceSetup): URLSearchParams {
  const query = new URLSearchParams({ runs: runs.join(",") });
  if (axis !== NEW_RACE.axis) query.set("axis", axis);
  if (target !== null) query.set("target", String(target));
  return query;
}

export interface AddressRace {
  readonly setup: RaceSetup;
  /** What of the address was not used and why, in sentences; null if all of it was. */
  readonly problem: string | null;
}

/** Reads one parameter; `undefined` where it is not there or was refused. */
type Reader = <Value>(name: string, rule: string, read: (text: string) => Value | null) => Value | undefined;

/** The set-up an address describes, without what cannot be used of it. */
export function raceFromQuery(catalog: Catalog, query: URLSearchParams): AddressRace {
  const refused: string[] = [];
  const read: Reader = (name, rule, parse) => {
    const text = query.get(name);
    if (text === null) return undefined;
    const value = parse(text);
    if (value === null) refused.push(`${name} must be ${rule}, got ${showValue(text)}`);
    return value ?? undefined;
  };
  const shared = new URLSearchParams([...query].filter(([name]) => !OWN.has(name)));
  const fork = read(FORK, 'a step or "last"', (text) => (text === "last" ? text : wholeWithin(text, 0, Number.MAX_SAFE_INTEGER)));
  const runs = [...new Set((query.get("runs") ?? "").split(",").filter(Boolean))];
  if (runs.length > MOST_RUNS) refused.push(`runs must be at most ${MOST_RUNS}, got ${runs.length}`);
  const kind = query.has(FORK) ? "fork" : query.has("runs") ? "runs" : "race";
  const fields = variedFields(catalog, kind === "fork");
  const vary = read("vary", "a setting that can vary", (text) => fields.find(({ key }) => key === text)?.key ?? null);
  const chosen = {
    runs: runs.slice(0, MOST_RUNS),
    vary: (vary as RunConfigKey | undefined) ?? null,
    values:
      query.has("values") && vary ? valuesFrom(catalog, vary, kind === "fork" ? "fork" : "race", query.get("values") ?? "", refused) : null,
    seeds: read("seeds", `a whole number from 1 to ${SEED_LIMIT}`, (text) => wholeWithin(text, 1, SEED_LIMIT)) ?? NEW_RACE.seeds,
    ownEpochs: read("epochs", '"own"', (text) => (text === "own" ? true : null)) ?? false,
    forkStep: typeof fork === "number" ? fork : null,
    axis:
      read("axis", `one of ${listedNames(Object.keys(AXES))}`, (text) => (Object.hasOwn(AXES, text) ? (text as Axis) : null)) ?? "steps",
    target: read("target", "a number from 0 to 1", (text) => shareFrom(text)) ?? null,
  };
  const { draft, problem } = draftFromQuery(catalog, shared, refused);
  return { setup: { kind, base: shared.size > 0 ? draft : null, ...chosen }, problem };
}

/** The values that are of the field's kind and within its range; null, so some that differ, where too few are left. */
function valuesFrom(catalog: Catalog, key: string, kind: "race" | "fork", text: string, refused: string[]): readonly Setting[] | null {
  const field = catalog.fields.find((each) => each.key === key)!;
  const rule = schemaOf(field);
  const isKnown = (value: Setting) => key !== "algorithm" || catalog.algorithms.some(({ id }) => id === value);
  const given = text.split(",").map((each) => readValue(field.kind, each));
  const good = given.filter((value) => rule.safeParse(value).success && isKnown(value));
  const bad = given.filter((value) => !good.includes(value));
  refused.push(...bad.map((value) => `${showValue(value)} is no value of ${key}`));
  const most = kind === "fork" ? 1 : RACER_LIMIT;
  if (good.length > most) refused.push(`values must be at most ${most}, got ${good.length}`);
  return good.length < (kind === "fork" ? 1 : 2) ? null : good.slice(0, most);
}

function wholeWithin(text: string, least: number, most: number): number | null {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : null;
}

function shareFrom(text: string): number | null {
  const value = text.trim() === "" ? Number.NaN : Number(text);
  return value >= 0 && value <= 1 ? value : null;
}

function listedNames(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(", ");
}
