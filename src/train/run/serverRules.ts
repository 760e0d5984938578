// What a run on a server cannot do, refused before it starts: the server tells the log-probs of what was said and nothing else of
// its model, trains adapters beside a base alone, and scores at temperature 1.
import type { LiveSettings } from "../../protocol/config/configFacts.ts";
import type { RunConfig } from "../../protocol/config.ts";
import { InputError, type Problem, showValue } from "../../protocol/problems.ts";

type Rule = readonly [field: keyof RunConfig, isFine: (config: RunConfig) => boolean, must: string, why: string];

const RULES: readonly Rule[] = [
  ["model", ({ model }) => model === "transformer", 'must be "transformer"', "a table is computed here"],
  ["startFrom", ({ startFrom }) => startFrom === "checkpoint", 'must be "checkpoint"', "a server begins with a model that it has"],
  ["loraRank", ({ loraRank }) => loraRank > 0, "must be >= 1", "a server trains adapters beside its model"],
  ["temperature", ({ temperature }) => temperature === 1, "must be 1", "a server scores at temperature 1"],
  ["minP", ({ minP }) => minP === 0, "must be 0", "a server does not know it"],
  ["optimizer", ({ optimizer }) => optimizer === "adamw", 'must be "adamw"', "a server knows no other"],
  ["entropyCoef", ({ entropyCoef }) => entropyCoef === 0, "must be 0", "a server does not tell entropies"],
  ["entropyTarget", ({ entropyTarget }) => entropyTarget === 0, "must be 0", "a server does not tell entropies"],
  ["topEntropyQuantile", ({ topEntropyQuantile }) => topEntropyQuantile === 1, "must be 1", "a server does not tell entropies"],
  ["advantageBaseline", ({ advantageBaseline }) => advantageBaseline !== "critic", 'must not be "critic"', "a server has no value head"],
  ["klEstimator", ({ klEstimator }) => klEstimator !== "exact", 'must not be "exact"', "a server tells no whole rows of log-probs"],
  ["referenceSyncEvery", (config) => config.referenceSyncEvery === 0, "must be 0", "the reference on a server is the base"],
  ["splitGradNormEvery", (config) => config.splitGradNormEvery === 0, "must be 0", "a server does not show gradients"],
];

function problemsOf(config: RunConfig): readonly Problem[] {
  return RULES.filter(([, isFine]) => !isFine(config)).map(([field, , must, why]) => ({
    field,
    message: `${field} ${must} with backend: tinker, got ${showValue(config[field])}: ${why}`,
  }));
}

/** Throws an InputError where a run on a server, its changes included, needs what no server gives. */
export function checkOnServer(config: RunConfig): void {
  if (config.backend !== "tinker") return;
  const asked = [config, ...config.changes.map(({ settings }) => ({ ...config, ...settings }))];
  const problems = asked.flatMap(problemsOf);
  if (problems.length > 0) throw new InputError(problems);
}

/** Settings that change while a run goes on, once it is sure that its server can follow. */
export function allowedSettings(config: RunConfig, settings: LiveSettings): LiveSettings {
  checkOnServer({ ...config, ...settings });
  return settings;
}
