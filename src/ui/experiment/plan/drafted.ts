// What a set-up comes to: its combinations, why it cannot begin, and the plan that is kept and trained. Pure.

import type { Catalog } from "../../../protocol/catalog.ts";
import type { Field } from "../../../protocol/config/fields.ts";
import type { RunConfig, RunConfigInput, RunConfigKey } from "../../../protocol/config.ts";
import type { Problem } from "../../../protocol/problems.ts";
import {
  combinationLetter,
  combinationsOf,
  type ExperimentPlan,
  type Setting,
  seedsOf,
  type VariedField,
  withSettings,
} from "../../../protocol/run/experimentPlan.ts";
import { usesCritic } from "../../../rl/baselines/index.ts";
import { type Draft, resolveDraft, resolveInput } from "../../engine/store/draft/draftConfig.ts";
import { inTitles } from "../../engine/store/inTitles.ts";
import { firstShape, shapeOf } from "../shapes/index.ts";
import { chosenFields, type Setup } from "./setup.ts";
import { combinationName, settingsFor, suggestedValues, unrepeatable } from "./varied.ts";

export interface DraftedCombination {
  /** A letter. */
  readonly id: string;
  readonly values: readonly Setting[];
  readonly settings: Readonly<Record<string, unknown>>;
  readonly label: string;
  readonly short: string;
  /** Null while something is wrong with it. */
  readonly config: RunConfig | null;
  readonly problems: readonly Problem[];
  /** Of its runs, one for each; fewer than asked for where the seed itself varies. */
  readonly seeds: readonly number[];
}

export interface DraftedExperiment {
  readonly shape: string;
  readonly base: RunConfig | null;
  /** Fields that can vary. */
  readonly fields: readonly Field[];
  readonly over: readonly VariedField[];
  readonly combinations: readonly DraftedCombination[];
  readonly runs: number;
  /** Why it cannot begin, in sentences without their full stops; what is wrong with a combination is among them under its name. */
  readonly refusals: readonly string[];
}

type Chosen = Pick<Setup, "seeds" | "ownEpochs"> & { readonly over: readonly VariedField[] };

function combinationOf(
  catalog: Catalog,
  base: RunConfig,
  { over, seeds, ownEpochs }: Chosen,
  values: readonly Setting[],
  place: number,
): DraftedCombination {
  // What an algorithm sets comes first, so that a switch of it can be the other field.
  const order = over.map((_, i) => i).sort((a, b) => Number(over[b]?.field === "algorithm") - Number(over[a]?.field === "algorithm"));
  const set = order.map((i) => settingsFor(catalog, base, over[i]!.field, values[i]!, ownEpochs));
  const settings: Readonly<Record<string, unknown>> = Object.assign({}, ...set);
  const { config, problems } = resolveInput(catalog, withSettings(base, settings) as RunConfigInput);
  return {
    id: combinationLetter(place),
    values,
    settings,
    config,
    problems,
    ...combinationName(catalog, { base, over: [...over] }, { values: [...values], settings: { ...settings } }),
    seeds: seedsOf(over, values, base.seed, seeds),
  };
}

/** The combinations of some fields' values, all from one base and so from the same seeds. */
export function draftedCombinations(catalog: Catalog, base: RunConfig, chosen: Chosen): readonly DraftedCombination[] {
  return combinationsOf(chosen.over).map((values, place) => combinationOf(catalog, base, chosen, values, place));
}

/** The experiment of a set-up. @param screen the Train screen's form */
export function draftedOf(catalog: Catalog, setup: Setup, screen: Draft): DraftedExperiment {
  const shape = shapeOf(setup.kind);
  const { most, words } = shape;
  const { config: base } = resolveDraft(catalog, setup.base ?? screen);
  const fields = shape.fields(catalog, base);
  const over = chosenFields(setup).map(({ field, values }): VariedField => {
    const found = fields.find(({ key }) => key === field);
    return { field, values: [...(values ?? (base && found ? suggestedValues(base, found) : []))] };
  });
  const drafted = { shape: shape.id, base, fields, over, combinations: [], runs: 0 };
  if (!base) return { ...drafted, refusals: ["Something is wrong with the settings that the runs share"] };
  const cannot = [
    ...(base.kind === "reinforcement"
      ? []
      : [`A ${words.what} compares runs that learn from rewards, and these settings are for worked examples`]),
    ...(base.steps > 0 ? [] : [`A ${words.what} needs a last step: steps must be at least 1, got 0`]),
    ...[unrepeatable(base) ?? []].flat(),
    ...shape.refusals(catalog, base, over).map((each) => inTitles(catalog, each)),
    ...(Number.isInteger(setup.seeds) && setup.seeds >= 1 && setup.seeds <= most.seeds
      ? []
      : [`Seeds must be a whole number from 1 to ${most.seeds}, got ${setup.seeds}`]),
  ];
  const count = over.reduce((product, { values }) => product * values.length, 1);
  const atMost = (counted: string, limit: number, got: number) =>
    got > limit ? [`A ${words.what} must have at most ${limit} ${counted}, got ${got}`] : [];
  if (count > most.combinations) return { ...drafted, refusals: [...cannot, ...atMost(words.combinations, most.combinations, count)] };
  const combinations = draftedCombinations(catalog, base, { ...setup, over });
  const runs = combinations.reduce((sum, { seeds }) => sum + seeds.length, 0);
  const wrong = combinations.flatMap(({ label, problems }) => problems.map(({ message }) => `${label}: ${inTitles(catalog, message)}`));
  return { ...drafted, combinations, runs, refusals: [...cannot, ...atMost("runs", most.runs, runs), ...wrong] };
}

/** The plan that is kept and trained. Throws where it cannot begin. @param newId a name for a run that no other has */
export function planOf(
  { shape, base, over, combinations, refusals }: DraftedExperiment,
  name: string,
  newId: () => string,
): ExperimentPlan {
  if (!base || refusals.length > 0) throw new Error(refusals[0] ?? "internal: an experiment without settings");
  return {
    version: 1,
    shape,
    name,
    base,
    over: over.map(({ field, values }) => ({ field, values: [...values] })),
    combinations: combinations.map(({ values, settings }) => ({ values: [...values], settings: { ...settings } })),
    // All combinations of the first seed come before the next seed, so that something is told soon.
    runs: combinations
      .flatMap(({ seeds }, combination) => seeds.map((seed, turn) => ({ runId: newId(), combination, seed, turn })))
      .sort((a, b) => a.turn - b.turn || a.combination - b.combination)
      .map(({ turn: _, ...run }) => run),
  };
}

/** A run with one other setting after some of its finished steps. */
export interface DraftedBranch {
  readonly settings: Readonly<Record<string, Setting>>;
  readonly afterStep: number;
  /** Null while something is wrong with it. */
  readonly config: RunConfig | null;
  readonly problems: readonly Problem[];
}

export function branchOf(catalog: Catalog, run: RunConfig, afterStep: number, key: RunConfigKey, value: Setting): DraftedBranch {
  const settings = settingsFor(catalog, run, key, value, false);
  const branch = resolveInput(catalog, { ...run, ...settings } as RunConfigInput);
  const problems = [...branch.problems];
  if (branch.config && usesCritic(branch.config) && !usesCritic(run))
    problems.push({ field: key, message: "a run must have its critic from the start, so a branch cannot add one" });
  const whole = resolveInput(catalog, { ...run, changes: [...run.changes, { afterStep, settings }] } as RunConfigInput);
  if (problems.length === 0) problems.push(...whole.problems);
  return { settings, afterStep, config: problems.length > 0 ? null : whole.config, problems };
}

/** A plan of a run alone, which branches are added to. @param shape its id @param runId of the run where it is trained elsewhere, null where it is not */
export function trunkPlan(shape: string, run: RunConfig, name: string, runId: string | null, newId: () => string): ExperimentPlan {
  const trunk = { combination: 0, seed: run.seed };
  return {
    version: 1,
    shape,
    name,
    base: run,
    over: [],
    combinations: [{ values: [], settings: {} }],
    runs: [runId === null ? { runId: newId(), ...trunk } : { runId, ...trunk, isElsewhere: true }],
  };
}

/** A plan with one branch more. */
export function withBranch(plan: ExperimentPlan, { settings, afterStep }: DraftedBranch, newId: () => string): ExperimentPlan {
  return {
    ...plan,
    combinations: [...plan.combinations, { values: [], settings: { ...settings }, afterStep }],
    runs: [...plan.runs, { runId: newId(), combination: plan.combinations.length, seed: plan.base.seed }],
  };
}

/** The branch that has a remedy's one setting from the start, or why there can be none. @param place among the combinations */
export function remedyBranch(
  catalog: Catalog,
  config: RunConfig,
  [key, value]: readonly [RunConfigKey, Setting],
  place: number,
): DraftedBranch | string {
  const given = unrepeatable(config);
  if (given !== null) return given;
  if (config.steps === 0) return "The run has no last step, so a branch of it would never end. Set its number of steps first.";
  const { combinations: most } = firstShape("compare", "branch").most;
  if (place >= most) return `There are ${most} runs already: clear them on the Compare screen to try this.`;
  const branch = branchOf(catalog, config, 0, key, value);
  if (branch.config === null) return branch.problems.map(({ message }) => inTitles(catalog, message)).join("; ");
  return branch;
}
