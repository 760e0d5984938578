// Configurations written by earlier versions, brought up to date one version at a time. Saved runs, links
// and committed results outlive a field's name; whatever reads one of them passes through here first.
import { InputError, isRecord, showValue } from "../problems.ts";

/** The version written today. */
export const CONFIG_VERSION = 3;

type Settings = Readonly<Record<string, unknown>>;

/** Gives a field another name; where both are there, the old one stays to be refused as unknown. */
function renamed(settings: Settings, from: string, to: string): Settings {
  if (!(from in settings) || to in settings) return settings;
  return Object.fromEntries(Object.entries(settings).map(([key, value]) => [key === from ? to : key, value]));
}

/** Applies a change of fields to a configuration and to the settings of its changes on the way. */
function everywhere(config: Settings, change: (settings: Settings) => Settings): Settings {
  const { changes } = config;
  if (!Array.isArray(changes)) return change(config);
  const changed = changes.map((each: unknown) =>
    isRecord(each) && isRecord(each.settings) ? { ...each, settings: change(each.settings) } : each,
  );
  return change({ ...config, changes: changed });
}

/** Whose reward an agent has was an option of the one task with two agents; its own was the share of turns that were right. */
function agentRewardsOutOfTask(config: Settings): Settings {
  const { taskOptions, rewardWeights } = config;
  if (!isRecord(taskOptions) || !("credit" in taskOptions)) return config;
  const { credit, ...options } = taskOptions;
  const weights = { checked: 0, answers: 1, verdicts: 1, ...(isRecord(rewardWeights) ? rewardWeights : {}) };
  return { ...config, taskOptions: options, ...(credit === "own" ? { agentRewards: "own", rewardWeights: weights } : {}) };
}

/** The first brings version 1 to version 2, and so on. Each takes any subset of the fields, checked or not. */
export const migrations: readonly ((config: Settings) => Settings)[] = [
  // The name sounded like the batch of every run; it is the supervised counterpart of promptsPerStep.
  (config) => everywhere(config, (settings) => renamed(settings, "batchSequences", "demonstrationsPerStep")),
  agentRewardsOutOfTask,
];

/**
 * A configuration in the present form, still unchecked; what is no record is passed on for the schema to refuse.
 * @param unversioned the version meant where none is given: 1 for what is stored, the present one for what is written by hand.
 * @throws InputError for a version that is not known, a newer one above all.
 */
export function migrateConfig(config: unknown, unversioned = CONFIG_VERSION): unknown {
  if (!isRecord(config)) return config;
  const version = config.version ?? unversioned;
  if (typeof version === "number" && version > CONFIG_VERSION) {
    const message = `version must be <= ${CONFIG_VERSION}, got ${version}: a newer version of the lab wrote this configuration`;
    throw new InputError([{ field: "version", message }]);
  }
  if (typeof version !== "number" || !Number.isInteger(version) || version < 1)
    throw new InputError([
      { field: "version", message: `version must be a whole number from 1 to ${CONFIG_VERSION}, got ${showValue(version)}` },
    ]);
  const current = migrations.slice(version - 1).reduce((settings, migrate) => migrate(settings), config);
  return { ...current, version: CONFIG_VERSION };
}
