// A set-up as an address: "#/compare?version=2&preset=digit-sum-table&steps=60&vary=learningRate&values=0.5,1&seeds=3", and where two
// fields may vary "#/sweep?preset=digit-sum-table&over=learningRate:0.1,0.5&over=groupSize:8,16&seeds=3". What runs share is written as
// the Train screen's address writes it. What cannot be used is left out, a field or a value at a time, and said. Set-up and address of a
// screen stay equal: a link opens with its experiment set up or shown, and a choice shows in the address.
import { useEffect } from "react";
import type { Catalog } from "../../../protocol/catalog.ts";
import { schemaOf } from "../../../protocol/config/fields.ts";
import { showValue, unknownField } from "../../../protocol/problems.ts";
import type { ExperimentPlan, Setting } from "../../../protocol/run/experimentPlan.ts";
import type { Reading } from "../../../rl/race/axis.ts";
import { MEASURE_KINDS, measureNamed } from "../../../rl/race/measures.ts";
import { useHash } from "../../engine/address/hash.ts";
import { decode, encode, type PlaceOf, ruled, within, word } from "../../engine/address/params.ts";
import { EXPERIMENT, parseRoute, replaceQuery, settingsIn } from "../../engine/route.ts";
import { type Draft, resolveDraft } from "../../engine/store/draft/draftConfig.ts";
import { draftFromQuery, draftQuery, readValue } from "../../engine/store/draft/draftQuery.ts";
import { useDraft } from "../../engine/store/draft/draftStore.ts";
import { firstShape, SHAPES, shapeOf } from "../shapes/index.ts";
import type { Shape } from "../shapes/shape.ts";
import { baseOf, type ChosenField, MOST_RUNS, newSetup, type Setup, setSetup, setupOf, useSetups } from "./setup.ts";

/** The query of a set-up; empty for one in which nothing was chosen. */
export function setupQuery(
  catalog: Catalog,
  { kind, shown, base, seeds, ownEpochs, forkStep, runs, over, ...setup }: Setup,
): URLSearchParams {
  const shape = shapeOf(kind);
  const seen = { ...readingOf(setup), id: shown };
  // The first of those that are set up in its way needs no name.
  const named = kind === firstShape(shape.screen, shape.setup).id ? {} : { shape: kind };
  if (shape.setup === "kept") return encode(EXPERIMENT, { ...named, runs, ...seen });
  const settings = base ? draftQuery(catalog, base) : new URLSearchParams();
  // The first preset as it is has an empty query, but an experiment that starts from it does not follow the Train screen.
  if (base && settings.size === 0) settings.set("preset", base.presetId);
  const own = {
    ...named,
    ...(shape.setup === "branch" ? { fork: forkStep ?? ("last" as const) } : {}),
    ...(isListed(shape) ? { over: over.map(listText) } : { vary: over[0]?.field ?? null, values: (over[0]?.values ?? []).map(String) }),
    ...(seeds === shape.seeds ? {} : { seeds }),
    epochs: ownEpochs ? ("own" as const) : ("base" as const),
  };
  return new URLSearchParams([...settings, ...encode(EXPERIMENT, { ...own, ...seen })]);
}

/** Whether its address has a list for each field; where one field alone can vary, it is named apart from its values. */
const isListed = ({ values, most }: Shape): boolean => values === "list" || most.fields > 1;

const readingOf = ({ axis, measure, target, isPaired }: Reading): Reading => ({ axis, measure, target, isPaired });

const listText = ({ field, values }: ChosenField): string => (values === null ? field : `${field}:${values.join(",")}`);

export interface AddressSetup {
  readonly setup: Setup;
  /** What of the address was not used and why, in sentences; null if all of it was. */
  readonly problem: string | null;
}

function shapeIn(screen: Shape["screen"], query: URLSearchParams): Shape {
  const first = firstShape(screen, query.has("fork") ? "branch" : query.has("runs") ? "kept" : "values");
  const named = SHAPES.find((shape) => shape.screen === screen && shape.id === query.get("shape"));
  // What only one way to set up has says more than a name.
  return named && (first.setup === "values" || first.setup === named.setup) ? named : first;
}

/** The set-up an address describes, without what cannot be used of it. */
export function setupFromQuery(catalog: Catalog, screen: Shape["screen"], query: URLSearchParams): AddressSetup {
  const [varied, refused]: [string[], string[]] = [[], []];
  const shape = shapeIn(screen, query);
  const fresh = newSetup(shape);
  const params = {
    ...EXPERIMENT,
    seeds: within("seeds", 1, shape.most.seeds, true),
    vary: variedBy(catalog, shape),
    ...readingParams(query),
  };
  const place = decode(params, query, refused);
  const settings = settingsIn(query, true);
  const runs = [...new Set(place.runs)];
  if (runs.length > MOST_RUNS) refused.push(`runs must be at most ${MOST_RUNS}, got ${runs.length}`);
  const chosen = {
    shown: place.id,
    runs: runs.slice(0, MOST_RUNS),
    ...readingOf(place),
    over: isListed(shape) ? fieldsFrom(catalog, shape, place.over, settings, varied) : fieldFrom(catalog, shape, place, varied),
    seeds: place.seeds ?? fresh.seeds,
    ownEpochs: place.epochs === "own",
    forkStep: place.fork === "last" ? null : place.fork,
  };
  const { draft, problem } = draftFromQuery(catalog, settings, [...varied, ...refused]);
  return { setup: { ...fresh, base: settings.size > 0 ? draft : null, ...chosen }, problem };
}

const MEASURE = ruled(
  { ...word("measure"), read: (text) => measureNamed(text)?.id ?? null },
  `one of ${MEASURE_KINDS.map(({ form }) => form).join(", ")}`,
);
/** How large a value may be that is no share. */
const MOST = 1e9;

/** What an address may say of how a result is read: a target is a share, or a value of the measure that it names. */
function readingParams(query: URLSearchParams) {
  const isShare = measureNamed(query.get("measure") ?? "")?.isShare ?? true;
  return { measure: MEASURE, ...(isShare ? {} : { target: within("target", -MOST, MOST, false) }) };
}

/** The field that varies, which must be one that can. */
function variedBy(catalog: Catalog, shape: Shape) {
  const fields = shape.fields(catalog, null);
  const isOne = (text: string) => isListed(shape) || fields.some(({ key }) => key === text);
  return ruled({ ...word("vary"), read: (text) => (isOne(text) ? text : null) }, "a setting that can vary");
}

/** One field whose values are checked one by one. */
function fieldFrom(
  catalog: Catalog,
  shape: Shape,
  { vary, values }: PlaceOf<typeof EXPERIMENT>,
  refused: string[],
): readonly ChosenField[] {
  const field = shape.fields(catalog, null).find(({ key }) => key === vary);
  if (!field) return [];
  if (values.length === 0) return [{ field: field.key, values: null }];
  const rule = schemaOf(field);
  const isKnown = (value: Setting) => field.key !== "algorithm" || catalog.algorithms.some(({ id }) => id === value);
  const given = values.map((each) => readValue(field.kind, each));
  const good = given.filter((value) => rule.safeParse(value).success && isKnown(value));
  const bad = given.filter((value) => !good.includes(value));
  refused.push(...bad.map((value) => `${showValue(value)} is no value of ${field.key}`));
  // A branch has one value, and its run the other.
  const [least, most] = shape.setup === "branch" ? [1, 1] : [2, shape.most.combinations];
  if (good.length > most) refused.push(`values must be at most ${most}, got ${good.length}`);
  return [{ field: field.key, values: good.length < least ? null : good.slice(0, most) }];
}

/** Fields with lists of values, which the form refuses beside them. */
function fieldsFrom(
  catalog: Catalog,
  shape: Shape,
  texts: readonly string[],
  settings: URLSearchParams,
  refused: string[],
): readonly ChosenField[] {
  const { draft } = draftFromQuery(catalog, settings);
  const fields = shape.fields(catalog, resolveDraft(catalog, draft).config);
  const keys = fields.map(({ key }) => key);
  const over = texts.flatMap((text): readonly ChosenField[] => {
    const [key = "", values] = text.split(/:(.*)/s);
    const field = fields.find((each) => each.key === key);
    if (!field) refused.push(unknownField(key, keys));
    if (!field || values === undefined) return field ? [{ field: key, values: null }] : [];
    const given = values.split(",").filter(Boolean);
    return [{ field: key, values: given.map((each) => readValue(field.kind, each)) }];
  });
  const { fields: most } = shape.most;
  if (over.length > most) refused.push(`over must be given at most ${most} times, got ${over.length}`);
  return over.slice(0, most);
}

/** The shape in an experiment's id: "race-1a2b". A shape's own id may have a dash. */
const shapeOfId = (id: string): Shape | undefined => SHAPES.find((shape) => shape.id === id.slice(0, id.lastIndexOf("-")));

/** The address of what a screen shows; that of a kept sweep hides its set-up and says only how it is read. */
function shownQuery(catalog: Catalog, setup: Setup, screen: Shape["screen"]): URLSearchParams {
  const isAlone = screen === "sweep" && setup.shown !== null;
  return isAlone ? encode(EXPERIMENT, { id: setup.shown, ...readingOf(setup) }) : setupQuery(catalog, setup);
}

/** Names in the address of a kept experiment whose set-up is hidden. */
const SHOWN = new Set(["id", "axis", "measure", "target", "paired"]);

/** How an address without a set-up wants a kept experiment to be read, as far as it says. */
function shownReading(query: URLSearchParams): Partial<Reading> {
  const place = decode({ ...EXPERIMENT, ...readingParams(query) }, query);
  const said = Object.entries(readingOf(place)).filter(([key]) => query.has(key === "isPaired" ? "paired" : key));
  return Object.fromEntries(said);
}

/** Ties address and set-up together; used once, by each of the two screens. */
export function useSetupAddress(catalog: Catalog | null, screen: Shape["screen"]): void {
  const hash = useHash();
  const setup = useSetups((all) => all[screen]);
  useEffect(() => {
    const { screen: at, query } = parseRoute(hash);
    if (!catalog || at !== screen) return;
    const id = query.get("id");
    const now = setupOf(screen);
    if (query.toString() === shownQuery(catalog, now, screen).toString()) return;
    // A plain link keeps what was chosen; on a screen whose set-up a kept experiment hides it leads to the set-up.
    if (query.size === 0 && screen === "sweep") setSetup(screen, { shown: null });
    if (query.size === 0) return replaceQuery(screen, shownQuery(catalog, setupOf(screen), screen));
    if (id !== null && [...query.keys()].every((name) => SHOWN.has(name)))
      return setSetup(screen, { shown: id, kind: shapeOfId(id)?.id ?? now.kind, ...shownReading(query) });
    const { setup: read, problem } = setupFromQuery(catalog, screen, query);
    // What is shown beside a set-up stays there.
    useSetups.setState({ [screen]: screen === "compare" ? { ...read, shown: read.shown ?? now.shown } : read });
    useDraft.setState({ addressProblem: problem });
  }, [hash, catalog, screen]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is set up by now, which an address may just have changed
  useEffect(() => {
    if (!catalog || parseRoute(window.location.hash).screen !== screen) return;
    const query = shownQuery(catalog, setupOf(screen), screen);
    // The address keeps the last set-up that can be used.
    if (setupFromQuery(catalog, screen, query).problem === null) replaceQuery(screen, query);
  }, [setup, catalog, screen]);
}

/** The set-up that would make a plan again. */
export function setupOfPlan(catalog: Catalog, { shape, base, over, combinations, runs }: ExperimentPlan): Setup {
  const seeds = Math.max(1, ...combinations.map((_, place) => runs.filter(({ combination }) => combination === place).length));
  return { ...newSetup(shapeOf(shape)), base: baseOf(catalog, base), over, seeds };
}

/** A link to what a screen sets up or shows, which opens in any browser. @param plan of the kept experiment that hides the set-up */
export function setupLink(catalog: Catalog, setup: Setup, plan: ExperimentPlan | null, base: Draft): URLSearchParams {
  const own = plan ? setupOfPlan(catalog, plan) : setup;
  return setupQuery(catalog, { ...own, base: own.base ?? base, shown: null });
}
