// What a run's configuration becomes when only its algorithm is exchanged, and which of the switches
// that decide a token's weight then differ. Used to compare algorithms on the same rollouts, so whatever
// decides how often the optimizer steps stays as the run has it.
import type { AlgorithmEntry, TaskEntry } from "../../protocol/catalog.ts";
import { inertFields, keysWith } from "../../protocol/config/configFacts.ts";
import { type RunConfig, type RunConfigKey, runConfigSchema } from "../../protocol/config.ts";

/** Switches that decide how hard a sampled token is pushed. */
const WEIGHT_KEYS = keysWith("weighsTokens");

export interface SwitchDifference {
  readonly key: RunConfigKey;
  readonly run: RunConfig[RunConfigKey];
  readonly other: RunConfig[RunConfigKey];
}

/** Every setting that another algorithm makes; those that only the run's own algorithm made go back to what is usual. */
export function settingsUnder(
  config: RunConfig,
  other: AlgorithmEntry["config"],
  algorithms: readonly AlgorithmEntry[],
  usual: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const own = Object.entries(algorithms.find(({ id }) => id === config.algorithm)?.config ?? {});
  const back = own.filter(([key, value]) => value === config[key as RunConfigKey]).map(([key]) => [key, usual[key]]);
  return { ...Object.fromEntries(back), ...other };
}

/**
 * The run's configuration under another algorithm. A weight switch the other algorithm sets takes its
 * value; one that only the run's own algorithm set goes back to its default; what the user set, and
 * everything that is no weight switch, stays. The run's own algorithm leaves the configuration as it is.
 */
export function underAlgorithm(config: RunConfig, other: AlgorithmEntry, algorithms: readonly AlgorithmEntry[]): RunConfig {
  if (other.id === config.algorithm) return config;
  const settings = settingsUnder(config, other.config, algorithms, runConfigSchema.parse({}));
  const switches = WEIGHT_KEYS.flatMap((key) => (settings[key] === undefined ? [] : [[key, settings[key]]]));
  return { ...config, ...Object.fromEntries(switches), algorithm: other.id };
}

/** Weight switches in which two configurations differ, those without effect in both left out. */
export function switchDifferences(run: RunConfig, other: RunConfig, tasks: readonly TaskEntry[]): readonly SwitchDifference[] {
  const inert = [run, other].map((config) => new Set(inertFields(config, tasks).map(({ key }) => key)));
  return WEIGHT_KEYS.filter((key) => run[key] !== other[key] && !inert.every((keys) => keys.has(key))).map((key) => ({
    key,
    run: run[key],
    other: other[key],
  }));
}
