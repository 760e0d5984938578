// What a run is called where nobody has named it: its starting point and what differs from that, "Calculator, learning rate 1e-3,
// seed 2", all of it, since lists wrap; two words where nothing differs, so that two runs of one preset are told apart.
// It follows from the run alone and never changes while other runs come and go.
import type { Catalog, PresetEntry } from "../../protocol/catalog.ts";
import { asideKeys, changedFields } from "../../protocol/config/configFacts.ts";
import { type RunConfig, type RunConfigKey, runConfigSchema } from "../../protocol/config.ts";
import { isRecord } from "../../protocol/problems.ts";
import { settingNumber } from "../../protocol/quantities.ts";
import { fnv1a } from "../random.ts";
import { resolveConfig } from "../resolveConfig.ts";
import { rulesOf } from "../rewards/ruleProblems.ts";

/** How far a run goes, how it is measured and what computes it make no other run of it; a change on the way is said by itself. */
const UNSAID: ReadonlySet<string> = new Set([...asideKeys, "steps", "changes", "version"]);
const UNSAID_GROUPS: ReadonlySet<string> = new Set(["evaluation", "engine"]);
const isSaid = (key: string) => !UNSAID.has(key) && !UNSAID_GROUPS.has(groupOf(key));
const groupOf = (key: string): string => (key in runConfigSchema.shape ? runConfigSchema.shape[key as RunConfigKey].group : "");
/** Another kind of run, however little else differs. */
const OTHER_KIND = 100;
/** Shorter than the field's title, where people have a shorter word. */
const SHORT: Readonly<Record<string, string>> = { learningRate: "lr", klCoef: "KL", loraRank: "rank", groupSize: "group" };

const CALM = "calm brisk quiet bright early late keen mild plain swift warm wide still young bold clear".split(" ");
const THINGS = "heron otter maple river harbor meadow falcon cedar ember fjord lantern pebble raven spruce tide willow".split(" ");

/** Two words for a run, the same for the same id. */
export function twoWords(runId: string): string {
  const bits = fnv1a(runId) >>> 0;
  return `${CALM[bits % 16]} ${THINGS[(bits >>> 8) % 16]}`;
}

interface Start {
  readonly preset: PresetEntry;
  readonly config: RunConfig;
}

/** Starting points of each task, worked out once. */
const startsOf = new WeakMap<Catalog, Map<string, readonly Start[]>>();

function startsFor(catalog: Catalog, task: string): readonly Start[] {
  const byTask = startsOf.get(catalog) ?? new Map<string, readonly Start[]>();
  startsOf.set(catalog, byTask);
  const known = byTask.get(task);
  if (known) return known;
  const starts = catalog.presets
    .filter(({ config }) => (config.task ?? runConfigSchema.shape.task.parse(undefined)) === task)
    .map((preset) => ({ preset, config: resolveConfig(preset.config, catalog.tasks, catalog.algorithms, rulesOf(catalog)) }));
  byTask.set(task, starts);
  return starts;
}

function shown(value: unknown): string {
  if (typeof value === "number") return settingNumber(value);
  if (typeof value === "boolean") return value ? "on" : "off";
  return isRecord(value) || Array.isArray(value) || value === undefined ? "changed" : String(value).slice(0, 24);
}

/** Fields that hold something of each part of a reward. */
const REWARDS: ReadonlySet<string> = new Set(["rewardWeights", "rewardRules", "customRewards", "judges"]);

function partTitle({ tasks, rewardRules }: Catalog, name: string): string {
  return [...tasks.flatMap(({ rewards }) => rewards), ...rewardRules].find((part) => part.name === name)?.title ?? name;
}

function settingText(catalog: Catalog, name: string, value: unknown): string {
  if (name === "algorithm") return catalog.algorithms.find(({ id }) => id === value)?.title ?? String(value);
  const [key = "", entry] = name.split(/\.(.*)/s);
  if (entry !== undefined && REWARDS.has(key)) {
    const part = isRecord(value) && typeof value.title === "string" ? value.title : partTitle(catalog, entry);
    return key === "rewardWeights" ? `weight of “${part}” ${shown(value)}` : `${value === undefined ? "without" : "with"} “${part}”`;
  }
  const title = entry ?? SHORT[key] ?? catalog.fields.find((field) => field.key === key)?.title.toLowerCase() ?? key;
  return `${title} ${shown(value)}`;
}

function valueAt(config: RunConfig, name: string): unknown {
  const [key = "", entry] = name.split(/\.(.*)/s);
  const value: unknown = config[key as keyof RunConfig];
  return entry === undefined ? value : isRecord(value) ? value[entry] : undefined;
}

/** What an algorithm sets is said by its name. */
function said(catalog: Catalog, start: RunConfig, config: RunConfig): readonly string[] {
  const differing = changedFields(start, config).filter((name) => isSaid(name.split(".")[0]!));
  if (!differing.includes("algorithm")) return differing;
  const switches = catalog.algorithms.flatMap((entry) => Object.keys(entry.config));
  return differing.filter((name) => name === "algorithm" || !switches.includes(name));
}

interface Near {
  readonly title: string;
  readonly differing: readonly string[];
  readonly far: number;
}

/** The algorithm first, then what most comparisons are about, then the seed. */
function rank(catalog: Catalog, name: string): number {
  if (name === "algorithm") return 0;
  if (name === "seed") return 2;
  return catalog.fields.some(({ key, compared }) => key === name && compared) ? 1 : 3;
}

/** What a run is called by itself. */
export function runName(catalog: Catalog, { runId, config }: { readonly runId: string; readonly config: RunConfig }): string {
  const near = startsFor(catalog, config.task)
    .map(({ preset, config: start }) => {
      const differing = said(catalog, start, config);
      // What goes wrong on purpose is named so where the run is that very one.
      const isKind = start.model === config.model && start.kind === config.kind && (!preset.shows || differing.length === 0);
      return { title: preset.title, differing, far: differing.length + (isKind ? 0 : OTHER_KIND) };
    })
    .reduce<Near | null>((best, each) => (best && best.far <= each.far ? best : each), null);
  const { title, differing } = near ?? { title: catalog.tasks.find(({ id }) => id === config.task)?.title ?? config.task, differing: [] };
  const ordered = [...differing].sort((a, b) => rank(catalog, a) - rank(catalog, b));
  const named = ordered.map((name) => settingText(catalog, name, valueAt(config, name)));
  const later = config.changes.flatMap(({ afterStep, settings }) => {
    // What an algorithm sets is said by its name.
    const told = Object.entries(settings).filter(([key]) => settings.algorithm === undefined || key === "algorithm");
    return told.map(([key, value]) => `${settingText(catalog, key, value)} from step ${afterStep + 1}`);
  });
  const parts = [...named, ...later];
  return `${title}, ${parts.length > 0 ? parts.join(", ") : twoWords(runId)}`;
}

/** The name with its seed, which makes the run repeatable: for what leaves the page without its configuration. */
export function runCaption(catalog: Catalog, run: { readonly runId: string; readonly config: RunConfig }): string {
  const name = runName(catalog, run);
  return name.includes("seed") ? name : `${name}, seed ${run.config.seed}`;
}
