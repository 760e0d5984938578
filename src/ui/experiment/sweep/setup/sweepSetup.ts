// What a sweep is set up as, and what follows from it: its fields with their values, from the settings of the form, as a plan to train.
import { create } from "zustand";
import type { Catalog } from "../../../../protocol/catalog.ts";
import type { Field } from "../../../../protocol/config/fields.ts";
import { type RunConfig, type RunConfigInput, type RunConfigKey, runConfigSchema } from "../../../../protocol/config.ts";
import {
  combinationLetter,
  combinationsOf,
  SWEEP_LIMITS,
  type SweepPlan,
  type SweptField,
  type SweptValue,
  seedsOf,
  withSettings,
} from "../../../../protocol/run/sweepPlan.ts";
import { sweepableFields, sweepRefusals } from "../../../../rl/race/sweptField.ts";
import { type Draft, resolveDraft, resolveInput } from "../../../engine/store/draft/draftConfig.ts";
import { inTitles } from "../../../engine/store/inTitles.ts";
import { settingsFor, settingText, suggestedValues, unrepeatable } from "../../compare/setup/racePlan.ts";

export interface SweepSetup {
  /** What all runs share; null is the form on the Train screen. */
  readonly base: Draft | null;
  /** None are the usual field with some values. */
  readonly over: readonly SweptField[];
  readonly seeds: number;
}

export const NEW_SWEEP: SweepSetup = { base: null, over: [], seeds: 3 };
export const useSweepSetup = create<SweepSetup>()(() => NEW_SWEEP);

export function setSweep(change: Partial<SweepSetup>): void {
  useSweepSetup.setState(change);
}

/** The fields that can be swept from these settings: the configuration's, the task's options, the rewards' weights. */
export function sweptFields(catalog: Catalog, base: Pick<RunConfig, "task" | "rewardWeights"> | null): readonly Field[] {
  const own = sweepableFields(catalog.fields);
  const algorithm = catalog.fields.filter(({ key }) => key === "algorithm");
  const task = catalog.tasks.find(({ id }) => id === base?.task);
  const options = sweepableFields(task?.fields ?? []).map((field) => ({ ...field, key: `taskOptions.${field.key}` }));
  const parts = new Map([
    ...(task?.rewards ?? []).map(({ name, weight }) => [name, weight] as const),
    ...Object.entries(base?.rewardWeights ?? {}),
  ]);
  const weights = [...parts].map(
    ([name, preset]): Field => ({
      ...{ key: `rewardWeights.${name}`, kind: "number", group: "task", preset, live: true, fixed: false, advanced: false },
      ...{ title: `Weight of ${task?.rewards.find((each) => each.name === name)?.title ?? name}`, help: "How much this part counts." },
    }),
  );
  return [...algorithm, ...own.filter(({ key }) => key !== "algorithm"), ...options, ...weights];
}

/** The value that a field has in a configuration. */
export function valueIn(config: RunConfig, field: string): SweptValue {
  const [key = "", ...rest] = field.split(".");
  const value: unknown = config[key as RunConfigKey];
  return (rest.length === 0 ? value : (value as Readonly<Record<string, unknown>> | undefined)?.[rest.join(".")]) as SweptValue;
}

/** Values to begin with: the field's own and one that differs visibly. */
export function firstValues(base: RunConfig, field: Field): SweptField {
  const own = { ...base, [field.key]: valueIn(base, field.key) ?? field.preset };
  return { field: field.key, values: [...new Set(suggestedValues(own, field))] };
}

export interface SweepCombination {
  readonly letter: string;
  readonly values: readonly SweptValue[];
  readonly settings: Readonly<Record<string, unknown>>;
  /** "Learning rate 0.5, Group size 8". */
  readonly label: string;
  readonly config: RunConfig | null;
  readonly problems: readonly string[];
  readonly seeds: readonly number[];
}

export interface DraftedSweep {
  readonly base: RunConfig | null;
  readonly fields: readonly Field[];
  readonly over: readonly SweptField[];
  readonly combinations: readonly SweepCombination[];
  readonly runs: number;
  /** Why it cannot begin, in sentences. */
  readonly refusals: readonly string[];
}

/** A field's value as people read it. */
export function sweptText(catalog: Catalog, field: Field | undefined, value: SweptValue): string {
  if (field?.key === "algorithm") return catalog.algorithms.find(({ id }) => id === value)?.title ?? String(value);
  return settingText(catalog, field?.key ?? "", value);
}

function combinationOf(
  catalog: Catalog,
  base: RunConfig,
  fields: readonly Field[],
  { over, seeds }: Pick<SweepSetup, "over" | "seeds">,
  values: readonly SweptValue[],
  place: number,
): SweepCombination {
  // What an algorithm sets comes first, so that a switch of it can be the other field.
  const order = over.map((_, i) => i).sort((a, b) => Number(over[b]?.field === "algorithm") - Number(over[a]?.field === "algorithm"));
  const set = order.map((i) => settingsFor(catalog, base, over[i]!.field as RunConfigKey, values[i]!, false));
  const settings: Readonly<Record<string, unknown>> = Object.assign({}, ...set);
  const { config, problems } = resolveInput(catalog, withSettings(base, settings) as RunConfigInput);
  const label = over.map(({ field }, i) => {
    const found = fields.find(({ key }) => key === field);
    return field === "algorithm"
      ? sweptText(catalog, found, values[i]!)
      : `${found?.title ?? field} ${sweptText(catalog, found, values[i]!)}`;
  });
  return {
    ...{ letter: combinationLetter(place), values, settings, label: label.join(", "), config },
    problems: problems.map(({ message }) => inTitles(catalog, message)),
    seeds: seedsOf(over, values, base.seed, seeds),
  };
}

function tooMuch(combinations: number, runs: number, { seeds }: SweepSetup): readonly string[] {
  const most = SWEEP_LIMITS;
  return [
    ...(combinations > most.combinations ? [`A sweep must have at most ${most.combinations} combinations, got ${combinations}`] : []),
    ...(runs > most.runs ? [`A sweep must have at most ${most.runs} runs, got ${runs}`] : []),
    ...(Number.isInteger(seeds) && seeds >= 1 && seeds <= most.seeds
      ? []
      : [`Seeds must be a whole number from 1 to ${most.seeds}, got ${seeds}`]),
  ];
}

/** The sweep of a set-up. @param screen the Train screen's form */
export function sweepOf(catalog: Catalog, setup: SweepSetup, screen: Draft): DraftedSweep {
  const { config: base } = resolveDraft(catalog, setup.base ?? screen);
  const fields = sweptFields(catalog, base);
  const usual = fields.find(({ key }) => key === "learningRate");
  const over = setup.over.length > 0 || !base || !usual ? setup.over : [firstValues(base, usual)];
  if (!base)
    return { base, fields, over, combinations: [], runs: 0, refusals: ["Something is wrong with the settings that the runs share"] };
  const cannot = [
    ...(base.kind === "reinforcement" ? [] : ["A sweep compares runs that learn from rewards, and these settings are for worked examples"]),
    ...(base.steps > 0 ? [] : ["A sweep needs a last step: steps must be at least 1, got 0"]),
    ...[unrepeatable(base) ?? []].flat(),
    ...sweepRefusals(over, base, { keys: runConfigSchema.keyof().options, tasks: catalog.tasks }).map((each) => inTitles(catalog, each)),
  ];
  const count = over.reduce((product, { values }) => product * values.length, 1);
  if (count > SWEEP_LIMITS.combinations)
    return { base, fields, over, combinations: [], runs: 0, refusals: [...cannot, ...tooMuch(count, 0, setup)] };
  const combinations = combinationsOf(over).map((values, i) => combinationOf(catalog, base, fields, { ...setup, over }, values, i));
  const runs = combinations.reduce((sum, { seeds }) => sum + seeds.length, 0);
  const wrong = combinations.flatMap(({ label, problems }) => problems.map((problem) => `${label}: ${problem}`));
  return { base, fields, over, combinations, runs, refusals: [...cannot, ...tooMuch(count, runs, setup), ...wrong] };
}

/** The plan that is kept and trained. Throws where the sweep cannot begin. @param newId a name for a run that no other has */
export function planOf({ base, over, combinations, refusals }: DraftedSweep, name: string, newId: () => string): SweepPlan {
  if (!base || refusals.length > 0) throw new Error(refusals[0] ?? "internal: a sweep without settings");
  return {
    ...{ version: 1, name, base, over: over.map(({ field, values }) => ({ field, values: [...values] })) },
    combinations: combinations.map(({ values, settings }) => ({ values: [...values], settings: { ...settings } })),
    // All combinations of the first seed come before the next seed, so that something is told soon.
    runs: combinations
      .flatMap(({ seeds }, combination) => seeds.map((seed, turn) => ({ runId: newId(), combination, seed, turn })))
      .sort((a, b) => a.turn - b.turn || a.combination - b.combination)
      .map(({ turn: _, ...run }) => run),
  };
}
