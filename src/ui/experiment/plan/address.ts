// A set-up as an address: "#/compare?version=2&preset=digit-sum-table&steps=60&vary=learningRate&values=0.5,1&seeds=3", and where two
// fields may vary "#/sweep?preset=digit-sum-table&over=learningRate:0.1,0.5&over=groupSize:8,16&seeds=3". What runs share is written as
// the Train screen's address writes it. What cannot be used is left out, a field or a value at a time, and said.
import type { Catalog } from "../../../protocol/catalog.ts";
import { schemaOf } from "../../../protocol/config/fields.ts";
import { showValue, unknownField } from "../../../protocol/problems.ts";
import type { Setting } from "../../../protocol/run/experimentPlan.ts";
import { AXES, type Axis } from "../../../rl/race/axis.ts";
import { draftFromQuery, draftQuery, readValue } from "../../engine/store/draft/draftAddress.ts";
import { resolveDraft } from "../../engine/store/draft/draftConfig.ts";
import { SHAPES, shapeOf } from "../shapes/index.ts";
import type { Shape } from "../shapes/shape.ts";
import { type ChosenField, MOST_RUNS, newSetup, type Setup } from "./setup.ts";

/** What is of no run's settings. */
const OWN = new Set(["id", "shape", "fork", "runs", "vary", "values", "over", "seeds", "epochs", "axis", "target"]);

const firstOf = (screen: Shape["screen"]) => SHAPES.find((shape) => shape.screen === screen)!;

/** The query of a set-up; empty for one in which nothing was chosen. */
export function setupQuery(catalog: Catalog, setup: Setup): URLSearchParams {
  const { kind, shown, base, over, seeds, ownEpochs, forkStep, axis, target, runs } = setup;
  const shape = shapeOf(kind);
  const isRuns = kind === "runs";
  const query = new URLSearchParams(isRuns ? { runs: runs.join(",") } : base ? draftQuery(catalog, base) : undefined);
  // The first preset as it is has an empty query, but an experiment that starts from it does not follow the Train screen.
  if (!isRuns && base && query.size === 0) query.set("preset", base.presetId);
  if (kind === "fork") query.set("fork", forkStep === null ? "last" : String(forkStep));
  else if (!isRuns && kind !== firstOf(shape.screen).id) query.set("shape", kind);
  if (!isRuns) writeFields(query, shape, over);
  if (!isRuns && seeds !== shape.seeds) query.set("seeds", String(seeds));
  if (!isRuns && ownEpochs) query.set("epochs", "own");
  if (axis !== "steps") query.set("axis", axis);
  if (target !== null) query.set("target", String(target));
  if (shown !== null) query.set("id", shown);
  return query;
}

function writeFields(query: URLSearchParams, { values: form }: Shape, over: readonly ChosenField[]): void {
  for (const { field, values } of over) {
    if (form === "list") query.append("over", values === null ? field : `${field}:${values.join(",")}`);
    else {
      query.set("vary", field);
      if (values) query.set("values", values.join(","));
    }
  }
}

export interface AddressSetup {
  readonly setup: Setup;
  /** What of the address was not used and why, in sentences; null if all of it was. */
  readonly problem: string | null;
}

/** Reads one parameter; `undefined` where it is not there or was refused. */
type Reader = <Value>(name: string, rule: string, read: (text: string) => Value | null) => Value | undefined;

function shapeIn(screen: Shape["screen"], query: URLSearchParams): Shape {
  const named = query.has("fork") ? "fork" : query.has("runs") ? "runs" : query.get("shape");
  return SHAPES.find((shape) => shape.screen === screen && shape.id === named) ?? firstOf(screen);
}

/** The set-up an address describes, without what cannot be used of it. */
export function setupFromQuery(catalog: Catalog, screen: Shape["screen"], query: URLSearchParams): AddressSetup {
  const refused: string[] = [];
  const read: Reader = (name, rule, parse) => {
    const text = query.get(name);
    if (text === null) return undefined;
    const value = parse(text);
    if (value === null) refused.push(`${name} must be ${rule}, got ${showValue(text)}`);
    return value ?? undefined;
  };
  const shared = new URLSearchParams([...query].filter(([name]) => !OWN.has(name)));
  const shape = shapeIn(screen, query);
  const fresh = newSetup(shape);
  const fork = read("fork", 'a step or "last"', (text) => (text === "last" ? text : wholeWithin(text, 0, Number.MAX_SAFE_INTEGER)));
  const runs = [...new Set((query.get("runs") ?? "").split(",").filter(Boolean))];
  if (runs.length > MOST_RUNS) refused.push(`runs must be at most ${MOST_RUNS}, got ${runs.length}`);
  const over =
    shape.values === "list" ? fieldsFrom(catalog, shape, query, shared, refused) : fieldFrom(catalog, shape, query, read, refused);
  const { seeds: most } = shape.most;
  const chosen = {
    ...{ shown: query.get("id"), runs: runs.slice(0, MOST_RUNS), over },
    seeds: read("seeds", `a whole number from 1 to ${most}`, (text) => wholeWithin(text, 1, most)) ?? fresh.seeds,
    ownEpochs: read("epochs", '"own"', (text) => (text === "own" ? true : null)) ?? false,
    forkStep: typeof fork === "number" ? fork : null,
    axis:
      read("axis", `one of ${listedNames(Object.keys(AXES))}`, (text) => (Object.hasOwn(AXES, text) ? (text as Axis) : null)) ?? "steps",
    target: read("target", "a number from 0 to 1", (text) => shareFrom(text)) ?? null,
  };
  const { draft, problem } = draftFromQuery(catalog, shared, refused);
  return { setup: { ...fresh, base: shared.size > 0 ? draft : null, ...chosen }, problem };
}

/** One field whose values are checked one by one. */
function fieldFrom(catalog: Catalog, shape: Shape, query: URLSearchParams, read: Reader, refused: string[]): readonly ChosenField[] {
  const fields = shape.fields(catalog, null);
  const field = read("vary", "a setting that can vary", (text) => fields.find(({ key }) => key === text) ?? null);
  if (!field) return [];
  const text = query.get("values");
  if (text === null) return [{ field: field.key, values: null }];
  const rule = schemaOf(field);
  const isKnown = (value: Setting) => field.key !== "algorithm" || catalog.algorithms.some(({ id }) => id === value);
  const given = text.split(",").map((each) => readValue(field.kind, each));
  const good = given.filter((value) => rule.safeParse(value).success && isKnown(value));
  const bad = given.filter((value) => !good.includes(value));
  refused.push(...bad.map((value) => `${showValue(value)} is no value of ${field.key}`));
  // A branch has one value, and its run the other.
  const [least, most] = shape.id === "fork" ? [1, 1] : [2, shape.most.combinations];
  if (good.length > most) refused.push(`values must be at most ${most}, got ${good.length}`);
  return [{ field: field.key, values: good.length < least ? null : good.slice(0, most) }];
}

/** Fields with lists of values, which the form refuses beside them. */
function fieldsFrom(
  catalog: Catalog,
  shape: Shape,
  query: URLSearchParams,
  shared: URLSearchParams,
  refused: string[],
): readonly ChosenField[] {
  const { draft } = draftFromQuery(catalog, shared);
  const fields = shape.fields(catalog, resolveDraft(catalog, draft).config);
  const keys = fields.map(({ key }) => key);
  const over = query.getAll("over").flatMap((text): readonly ChosenField[] => {
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
