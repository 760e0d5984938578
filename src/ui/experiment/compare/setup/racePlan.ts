// What is raced: two to four configurations that differ in one thing, or a run and its branches from one
// step on. Pure: a catalog, a base and the varied values give configurations, labels and problems.
import type { Catalog } from "../../../../protocol/catalog.ts";
import { beginsWithRun } from "../../../../protocol/config/configFacts.ts";
import { choiceTitle, type Field } from "../../../../protocol/config/fields.ts";
import type { RunConfig, RunConfigInput, RunConfigKey } from "../../../../protocol/config.ts";
import type { Problem } from "../../../../protocol/problems.ts";
import { settingsUnder } from "../../../../rl/counterfactual/algorithmSwitches.ts";
import { type Draft, resolveDraft, resolveInput } from "../../../engine/store/draft/draftConfig.ts";
import { inTitles } from "../../../engine/store/inTitles.ts";
import { fieldTitle, valueText } from "../../../step/counterfactual/strips.ts";
import { RACER_LIMIT, type RaceSetup, type Setting, variedKey } from "./raceSetup.ts";

const LETTERS = ["A", "B", "C", "D"] as const;

export interface PlannedRacer {
  /** "A" to "D". */
  readonly id: string;
  /** What is different about it, in words. */
  readonly label: string;
  /** The varied value alone, for the end of a line. */
  readonly short: string;
  readonly input: RunConfigInput;
  /** Null while something is wrong with it. */
  readonly config: RunConfig | null;
  readonly problems: readonly Problem[];
  /** Seeds of its runs, one for each; fewer than asked for where the seed itself varies. */
  readonly seeds: readonly number[];
  /** Step after which it leaves the run it was forked from; null for a racer of its own. */
  readonly forkStep: number | null;
}

/** Groups of fields that decide what is learnt rather than on what; a race varies one of them. */
const VARIED_GROUPS: ReadonlySet<string> = new Set(["sampling", "advantage", "objective", "kl", "critic", "optimizer"]);
const VARIED_ALSO: ReadonlySet<string> = new Set(["seed", "hiddenSize", "layers", "loraRank"]);

/** Fields a race may vary, the algorithm first. */
export function variedFields(catalog: Catalog, isFork: boolean): readonly Field[] {
  const algorithm = catalog.fields.filter(({ key }) => key === "algorithm");
  const others = catalog.fields.filter(({ key, group }) => VARIED_GROUPS.has(group) || VARIED_ALSO.has(key));
  return [...algorithm, ...others].filter(({ fixed }) => !isFork || !fixed);
}

/** A setting's value as people read it. */
export function settingText(catalog: Catalog, key: string, value: unknown): string {
  const field = catalog.fields.find((each) => each.key === key);
  return field?.kind === "choice" && typeof value === "string" ? choiceTitle(field, value) : valueText(value);
}

/** What a value of the varied field is called: in full, and alone. */
function namesOf(catalog: Catalog, key: RunConfigKey, value: Setting): Pick<PlannedRacer, "label" | "short"> {
  if (key !== "algorithm")
    return { label: `${fieldTitle(key)} ${settingText(catalog, key, value)}`, short: settingText(catalog, key, value) };
  const title = catalog.algorithms.find((entry) => entry.id === value)?.title ?? String(value);
  return { label: title, short: title };
}

/** How often a batch is passed over: no part of what an algorithm is, and so equal for all unless asked otherwise. */
const PASSES: ReadonlySet<string> = new Set(["innerEpochs", "minibatches"]);

/**
 * Settings that make a configuration run another algorithm: every switch that algorithm sets, and those
 * the present one sets go back to what the task has under the other.
 * @param ownEpochs whether how often a batch is passed over is one of them.
 */
export function algorithmSettings(catalog: Catalog, base: RunConfig, id: string, ownEpochs: boolean): Record<string, Setting> {
  const other = catalog.algorithms.find((entry) => entry.id === id)?.config ?? {};
  const { shown } = resolveInput(catalog, { task: base.task, algorithm: id });
  const changed = Object.entries(settingsUnder(base, other, catalog.algorithms, shown)).filter(
    ([key, value]) => value !== undefined && value !== base[key as RunConfigKey] && (ownEpochs || !PASSES.has(key)),
  );
  return { algorithm: id, ...(Object.fromEntries(changed) as Record<string, Setting>) };
}

/** All that a value of a field sets. */
export function settingsFor(
  catalog: Catalog,
  base: RunConfig,
  key: RunConfigKey,
  value: Setting,
  ownEpochs: boolean,
): Record<string, Setting> {
  if (key === "algorithm") return value === base.algorithm ? {} : algorithmSettings(catalog, base, String(value), ownEpochs);
  return { [key]: value };
}

/** The seeds of a racer's runs: its own and those after it. */
function seedsFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, i) => (first + i) % 2 ** 32);
}

/** What a race starts from and who races. */
export interface RacePlan {
  readonly base: RunConfig;
  readonly key: RunConfigKey;
  readonly values: readonly Setting[];
  readonly racers: readonly PlannedRacer[];
}

/** The race of a set-up; null while its base is no run of reinforcement learning. @param screen the Train screen's form. */
export function raceOf(catalog: Catalog, setup: RaceSetup, screen: Draft): RacePlan | null {
  const base = resolveDraft(catalog, setup.base ?? screen).config;
  const key = variedKey(setup);
  const field = variedFields(catalog, false).find((each) => each.key === key);
  if (base?.kind !== "reinforcement" || !field) return null;
  const values = setup.values ?? suggestedValues(base, field);
  return { base, key, values, racers: plannedRacers(catalog, base, key, values, setup) };
}

/** Why runs of a configuration can be compared with nothing; null where they can. */
export function unrepeatable(config: RunConfig): string | null {
  if (!beginsWithRun(config)) return null;
  return "This run began with the weights of another. No setting holds those, so no racer and no branch can begin where it began. Choose a preset to race; what this run learns is on the Train screen.";
}

/** One racer for each value of the varied field, from one base and so from the same seeds. */
export function plannedRacers(
  catalog: Catalog,
  base: RunConfig,
  key: RunConfigKey,
  values: readonly Setting[],
  { seeds, ownEpochs }: Pick<RaceSetup, "seeds" | "ownEpochs"> = { seeds: 1, ownEpochs: false },
): readonly PlannedRacer[] {
  return values.slice(0, RACER_LIMIT).map((value, index) => {
    const input = { ...base, ...settingsFor(catalog, base, key, value, ownEpochs) } as RunConfigInput;
    const { config, problems } = resolveInput(catalog, input);
    return {
      id: LETTERS[index]!,
      ...namesOf(catalog, key, value),
      input,
      config,
      problems,
      seeds: key === "seed" ? [Number(value)] : seedsFrom(base.seed, seeds),
      forkStep: null,
    };
  });
}

/** A branch of a run: the same configuration with one more change after `step` finished steps. */
export function forkedRacer(
  catalog: Catalog,
  run: RunConfig,
  step: number,
  key: RunConfigKey,
  value: Setting,
  index: number,
): PlannedRacer {
  const settings = settingsFor(catalog, run, key, value, false);
  const input = { ...run, changes: [...run.changes, { afterStep: step, settings }] } as RunConfigInput;
  const branch = resolveInput(catalog, { ...run, ...settings } as RunConfigInput);
  const problems = [...branch.problems];
  if (branch.config?.advantageBaseline === "critic" && run.advantageBaseline !== "critic")
    problems.push({ field: key, message: "a critic must be there from the start of a run, so no branch can begin to use one" });
  const { config } = resolveInput(catalog, input);
  return {
    id: LETTERS[index] ?? "D",
    ...namesOf(catalog, key, value),
    input,
    config: problems.length > 0 ? null : config,
    problems,
    seeds: [run.seed],
    forkStep: step,
  };
}

/** The branch that has a remedy's one setting from the start, or why there can be none. @param place among the racers */
export function remedyBranch(
  catalog: Catalog,
  config: RunConfig,
  [key, value]: readonly [RunConfigKey, Setting],
  place: number,
): PlannedRacer | string {
  const given = unrepeatable(config);
  if (given !== null) return given;
  if (config.steps === 0) return "The run has no last step, so a branch of it would never end: give it one first.";
  if (place >= RACER_LIMIT) return `There are ${RACER_LIMIT} racers: clear them on the Compare screen to try this.`;
  const branch = forkedRacer(catalog, config, 0, key, value, place);
  if (branch.config === null) return branch.problems.map(({ message }) => inTitles(catalog, message)).join("; ");
  return branch;
}

/** The run that a branch leaves, as a racer. */
export function trunkRacer(config: RunConfig): PlannedRacer {
  return { id: "A", label: "the run", short: "the run", input: config, config, problems: [], seeds: [config.seed], forkStep: null };
}

/** Two values to begin with: the base's own and another that differs visibly. */
export function suggestedValues(base: RunConfig, field: Field): readonly Setting[] {
  const own = base[field.key as RunConfigKey] as Setting;
  return [own, otherValue(field, own)];
}

/** A value of the field that is not `own`. */
export function otherValue(field: Field, own: Setting): Setting {
  if (field.key === "algorithm") return own === "dr-grpo" ? "grpo" : "dr-grpo";
  if (field.kind === "flag") return own !== true;
  if (field.kind === "choice") return field.choices?.find((choice) => choice !== own) ?? own;
  if (typeof own !== "number") return own;
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = field;
  if (field.key === "seed") return own + 1;
  const doubled = own === 0 ? (field.kind === "integer" ? 1 : Math.min(max, 0.1)) : own * 2;
  const value = doubled <= max ? doubled : own / 2;
  return Math.max(min, field.kind === "integer" ? Math.floor(value) : Number(value.toPrecision(6)));
}

/** How many racers run at once, and threads for each: one where there are as many racers as cores. */
export function raceThreads(racers: number, cores: number): { readonly racing: number; readonly threads: number } {
  return { racing: Math.max(1, Math.min(racers, cores)), threads: racers >= cores ? 1 : Math.max(1, Math.floor(cores / racers)) };
}
