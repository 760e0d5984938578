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

/**
 * The run's configuration under another algorithm. A weight switch the other algorithm sets takes its
 * value; one that only the run's own algorithm set goes back to its default; what the user set, and
 * everything that is no weight switch, stays. The run's own algorithm leaves the configuration as it is.
 */
export function underAlgorithm(config: RunConfig, other: AlgorithmEntry, algorithms: readonly AlgorithmEntry[]): RunConfig {
  if (other.id === config.algorithm) return config;
  const ofOwn = algorithms.find(({ id }) => id === config.algorithm)?.config ?? {};
  const defaults = runConfigSchema.parse({});
  const changed: Record<string, unknown> = { algorithm: other.id };
  for (const key of WEIGHT_KEYS) {
    const set = other.config[key];
    if (set !== undefined) changed[key] = set;
    else if (ofOwn[key] !== undefined && ofOwn[key] === config[key]) changed[key] = defaults[key];
  }
  return { ...config, ...changed };
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
