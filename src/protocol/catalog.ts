// What an engine can do, as plain data: the page's forms and the command line build themselves
// from it, so that adding a task or an algorithm needs no edit outside its own file and registry.

import type { Field } from "./config/fields.ts";
import type { RunConfigInput } from "./config.ts";

/** A name in the catalog, with what people read of it. */
export interface CatalogEntry {
  readonly id: string;
  readonly title: string;
  readonly summary: string;
}

/** What holds for a task whatever its options; a field can name them as conditions ("task.fixedLength"). */
export interface TaskFacts {
  /** Its options say how many tokens every completion has. */
  readonly fixedLength: boolean;
  /** Its conversations may have several turns of the policy. */
  readonly severalTurns: boolean;
  /** Several agents speak in them. */
  readonly severalAgents: boolean;
  /** Tools are offered in them, which not every model's chat template can write. */
  readonly callsTools?: true;
}

/** A reward part as the catalog lists it. */
export interface CatalogReward {
  readonly name: string;
  readonly title: string;
  /** 0 for a metric. */
  readonly weight: number;
  /** It pays for right answers, wholly or in part: where no such part is paid, accuracy is no measure of a run. */
  readonly paysAnswers?: true;
  readonly help: string;
}

/** A rule of the rewards' library, which any task can be scored with. */
export interface RewardRuleEntry extends CatalogReward {
  /** Its settings, edited under rewardRules. */
  readonly fields: readonly Field[];
}

/** A task as the catalog lists it. */
export interface TaskEntry extends CatalogEntry {
  /** Of a configuration, not of the registry. */
  readonly isCustom?: true;
  readonly facts: TaskFacts;
  /** The task's own options, edited under taskOptions. */
  readonly fields: readonly Field[];
  readonly rewards: readonly CatalogReward[];
  /** Configuration that suits the task; applied under whatever the user sets. */
  readonly config: RunConfigInput;
}

/** An algorithm as the catalog lists it. */
export interface AlgorithmEntry extends CatalogEntry {
  /** What the title's letters stand for. */
  readonly fullName?: string;
  readonly paper: string;
  /** The switches this algorithm sets. */
  readonly config: RunConfigInput;
}

/** A named starting point: task, algorithm and settings known to work together. */
export interface PresetEntry extends CatalogEntry {
  /** Heading it is listed under; those without one come first. */
  readonly group?: string;
  /** Diagnosis that it ends with, for one that goes wrong on purpose. */
  readonly shows?: string;
  readonly config: RunConfigInput;
}

/** All that can be chosen, as plain data. */
export interface Catalog {
  readonly fields: readonly Field[];
  readonly tasks: readonly TaskEntry[];
  readonly algorithms: readonly AlgorithmEntry[];
  readonly rewardRules: readonly RewardRuleEntry[];
  readonly presets: readonly PresetEntry[];
}
