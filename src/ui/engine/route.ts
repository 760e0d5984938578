// A tiny router: the screen and its state live in the hash ("#/rollouts?step=120&prompt=2"), so that every view can be linked to and served
// as one static page. A place on a screen is a plain object; what is at its default is left out of the address, and a link that was copied
// says the settings of the run as well, before the place.
import { EXPERIMENT_LIMITS } from "../../protocol/run/experimentPlan.ts";
import { AXES, type Axis } from "../../rl/race/axis.ts";
import {
  decode,
  encode,
  entries,
  flag,
  index,
  oneOf,
  type Params,
  type PlaceOf,
  ruled,
  whole,
  within,
  word,
  words,
} from "./address/params.ts";
import { EXPLAINED_PHASES } from "./store/selection.ts";

/** A place of a run; without a step it follows the newest one. */
const SPOT = {
  step: whole("step"),
  promptIndex: index("prompt", 0),
  trajectoryIndex: index("completion", 0),
  tokenIndex: index("token", null),
};

const AXIS_IDS = Object.keys(AXES) as readonly Axis[];

/** What an experiment's address says beside the settings that its runs share. What varies is looked up in the catalog by its screen. */
export const EXPERIMENT = {
  /** The kept experiment that is shown. */
  id: word("id"),
  shape: word("shape"),
  /** The step after which a branch leaves its run. */
  fork: ruled<number | "last" | null>(
    {
      name: "fork",
      otherwise: null,
      read: (text) => (text === "last" ? text : whole("fork").read(text, [text])),
      write: (step) => (step === null ? null : String(step)),
    },
    'a step or "last"',
  ),
  runs: words("runs"),
  /** One field with its values, or several of "field:values". */
  vary: word("vary"),
  values: words("values"),
  over: entries("over"),
  seeds: within("seeds", 1, EXPERIMENT_LIMITS.seeds, true),
  epochs: ruled(oneOf("epochs", ["base", "own"], "base"), '"own"'),
  axis: ruled(oneOf("axis", AXIS_IDS, "steps"), `one of ${AXIS_IDS.map((id) => JSON.stringify(id)).join(", ")}`),
  /** What runs are compared by; the usual measure where it is left out. */
  measure: word("measure"),
  target: within("target", 0, 1, false),
  isPaired: flag("paired"),
};

/** The screens with the values that name a place on each. What the lessons' controls say beside them is theirs. */
const PLACES = {
  train: SPOT,
  rollouts: SPOT,
  /** A step that is left out is the first that was recorded, or the newest, which is followed while the run goes on. */
  time: { prompt: index("prompt", 0), from: whole("from"), to: whole("to") },
  /** Conditions as texts, a column to sort by with "-" before it where the largest comes first, a column over the steps, and a page. */
  table: { where: entries("where"), sort: word("sort"), curve: word("curve"), page: whole("page") },
  explain: { ...SPOT, explained: oneOf("phase", EXPLAINED_PHASES, "prompt") },
  learn: { lesson: word("lesson"), page: word("page"), hide: words("hide") },
  /** One word that is held, and what is searched for. */
  words: { word: word("word"), find: word("find") },
  runs: { run: word("run"), tag: word("tag"), fork: flag("fork"), bring: flag("bring") },
  /** A log of another program: what it says is in the page alone. */
  log: {},
  open: {},
  compare: EXPERIMENT,
  sweep: EXPERIMENT,
  customize: { section: word("section") },
} satisfies Readonly<Record<string, Params>>;

export type Screen = keyof typeof PLACES;
export const SCREENS = Object.keys(PLACES) as readonly Screen[];
export type Place<S extends Screen> = PlaceOf<(typeof PLACES)[S]>;

/** The place on a screen that an address names; what cannot be read is left out, never guessed. */
export const placeIn = <S extends Screen>(screen: S, query: URLSearchParams): Place<S> => decode<(typeof PLACES)[S]>(PLACES[screen], query);

/** The query of a place, behind the settings of its run where they are given. */
export function placeQuery<S extends Screen>(screen: S, place: Partial<Place<S>>, settings?: URLSearchParams): URLSearchParams {
  return new URLSearchParams([...(settings ?? []), ...encode<(typeof PLACES)[S]>(PLACES[screen], place)]);
}

const namesIn = (...places: readonly Params[]) => new Set(places.flatMap((params) => Object.values(params).map(({ name }) => name)));
const OF_RUNS = namesIn(PLACES.explain, PLACES.time, PLACES.table, PLACES.customize);
const OF_EXPERIMENTS = namesIn(EXPERIMENT);

/** What an address says of the settings of a run, or of those that the runs of an experiment share; empty where it says nothing of them. */
export function settingsIn(query: URLSearchParams, isOfExperiment = false): URLSearchParams {
  const ofPlace = isOfExperiment ? OF_EXPERIMENTS : OF_RUNS;
  return new URLSearchParams([...query].filter(([name]) => !ofPlace.has(name)));
}

/** Screens with the run's controls; the others have runs of their own, and a second set of buttons would leave open which run they mean. */
export function showsRun(screen: Screen): boolean {
  return screen === "train" || screen === "customize" || isOfRun(screen);
}

/** Screens that edit the settings of a run to come, which their address says. */
export function editsSettings(screen: Screen): screen is "train" | "customize" {
  return screen === "train" || screen === "customize";
}

export interface Route {
  readonly screen: Screen;
  readonly query: URLSearchParams;
  /** What the hash names in a screen's place and is none; null where it names one, or nothing. */
  readonly missing: string | null;
}

/** Whether a hash brings a recording (ui/runs/replay/replayLink.ts): what it says is no place of a screen. */
export const isReplayLink = (hash: string): boolean => hash.startsWith("#/replay?");

/** Reads a hash; anything unknown is the Train screen, and is named. */
export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = isReplayLink(hash) ? [] : hash.replace(/^#\/?/, "").split("?", 2);
  const screen = SCREENS.find((known) => known === path);
  return { screen: screen ?? "train", query: new URLSearchParams(query), missing: screen || path === "" ? null : path };
}

/** Whether a screen shows a place of the run, which its address names. */
export function isOfRun(screen: Screen): boolean {
  return screen === "rollouts" || screen === "time" || screen === "table" || screen === "explain";
}

/** The hash of a screen, at a place or with a query. */
export function hashOf<S extends Screen>(screen: S, at: URLSearchParams | Partial<Place<S>> = {}): string {
  const text = (at instanceof URLSearchParams ? at : placeQuery(screen, at)).toString();
  return text ? `#/${screen}?${text}` : `#/${screen}`;
}

/** Goes to a screen and leaves a step in the browser's history. */
export function goTo<S extends Screen>(screen: S, at?: URLSearchParams | Partial<Place<S>>): void {
  window.location.hash = hashOf(screen, at);
}

/**
 * Changes the query of the current screen without a step in the browser's history; what a screen says that is being
 * left changes nothing.
 */
export function replaceQuery<S extends Screen>(screen: S, at: URLSearchParams | Partial<Place<S>>): void {
  const hash = hashOf(screen, at);
  if (hash === window.location.hash || parseRoute(window.location.hash).screen !== screen) return;
  window.history.replaceState(window.history.state, "", hash);
  window.dispatchEvent(new Event("hashchange"));
}
