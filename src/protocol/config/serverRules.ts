// What a run on a server cannot do, refused before it starts: the server tells the log-probs of what was said and nothing else of
// its model, trains adapters beside a base alone, and scores at temperature 1.

import { baselineIds, baselines, usesCritic } from "../../rl/baselines/index.ts";
import { isKlOverRows, klEstimatorIds, usualKl } from "../../rl/kl/index.ts";
import { surrogateOf } from "../../rl/surrogates/index.ts";
import type { ServerLoss } from "../../rl/surrogates/surrogate.ts";
import type { RunConfig } from "../config.ts";
import { type Problem, showValue } from "../problems.ts";

/** A field, whether it is fine, what it must be, why, and a value that is fine. */
type Rule = readonly [
  field: keyof RunConfig,
  isFine: (config: RunConfig) => boolean,
  must: string,
  why: string,
  fine: RunConfig[keyof RunConfig],
];

const NO_ENTROPIES = "a server does not give entropies";
const isZero =
  (field: keyof RunConfig) =>
  (config: RunConfig): boolean =>
    config[field] === 0;

const mustNotBe = (ids: readonly string[]): string => `must not be ${ids.map((id) => showValue(id)).join(" or ")}`;

const RULES: readonly Rule[] = [
  ["model", ({ model }) => model === "transformer", 'must be "transformer"', "a table is computed here", "transformer"],
  [
    "startFrom",
    ({ startFrom }) => startFrom === "checkpoint",
    'must be "checkpoint"',
    "a server begins with a model that it has",
    "checkpoint",
  ],
  ["loraRank", ({ loraRank }) => loraRank > 0, "must be >= 1", "a server trains adapters beside its model", 8],
  ["temperature", ({ temperature }) => temperature === 1, "must be 1", "a server scores at temperature 1", 1],
  ["minP", isZero("minP"), "must be 0", "a server does not know it", 0],
  ["optimizer", ({ optimizer }) => optimizer === "adamw", 'must be "adamw"', "a server knows no other", "adamw"],
  ["entropyCoef", isZero("entropyCoef"), "must be 0", NO_ENTROPIES, 0],
  ["entropyTarget", isZero("entropyTarget"), "must be 0", NO_ENTROPIES, 0],
  ["topEntropyQuantile", ({ topEntropyQuantile }) => topEntropyQuantile === 1, "must be 1", NO_ENTROPIES, 1],
  [
    "advantageBaseline",
    (config) => !usesCritic(config),
    mustNotBe(baselineIds({ withCritic: true })),
    "a server has no value head",
    baselines[0].id,
  ],
  [
    "klEstimator",
    (config) => !isKlOverRows(config),
    mustNotBe(klEstimatorIds({ isOverRows: true })),
    "a server gives no log-probs of all tokens",
    usualKl.id,
  ],
  ["referenceSyncEvery", isZero("referenceSyncEvery"), "must be 0", "the reference on a server is the base", 0],
  ["splitGradNormEvery", isZero("splitGradNormEvery"), "must be 0", "a server does not show gradients", 0],
];

/** The objective as a loss that servers know by name; else why it is none, as the end of a sentence. */
export function lossOnServer(config: RunConfig): ServerLoss | string {
  const { ratioLevel, klCoef, klPlacement, offPolicyThreshold } = config;
  const { id, ratio, tinker } = surrogateOf(config);
  if (klCoef > 0 && klPlacement === "loss") return "no server has a KL in its loss";
  if (offPolicyThreshold > 0) return "no server drops completions by their log-probs";
  if (ratio !== "unused" && ratioLevel !== "token") return "servers take ratios by token";
  return tinker ? tinker(config) : `no server has the surrogate ${id}`;
}

/** The rules that a configuration breaks. */
const broken = (config: RunConfig): readonly Rule[] => RULES.filter(([, isFine]) => !isFine(config));

function problemsOf(config: RunConfig): readonly Problem[] {
  const loss = config.serverLoss === "own" ? null : lossOnServer(config);
  const message = `serverLoss must be "own" here, got "server": ${loss}`;
  return [...brokenRules(config), ...(typeof loss === "string" ? [{ field: "serverLoss", message }] : [])];
}

function brokenRules(config: RunConfig): readonly Problem[] {
  return broken(config).map(([field, , must, why]) => ({
    field,
    message: `${field} ${must} with backend: tinker, got ${showValue(config[field])}: ${why}`,
  }));
}

/** What a run on a server, its changes included, needs and no server gives; nothing for any other run. */
export function serverProblems(config: RunConfig): readonly Problem[] {
  if (config.backend !== "tinker") return [];
  return [config, ...config.changes.map(({ settings }) => ({ ...config, ...settings }))].flatMap(problemsOf);
}

/** The settings with which a configuration can go to a server, where its own cannot. */
export function serverSettings(config: RunConfig): Partial<RunConfig> {
  return Object.fromEntries([["backend", "tinker"], ...broken(config).map(([field, , , , fine]) => [field, fine])]) as Partial<RunConfig>;
}
