// Settings that change nothing in the chosen combination. They are shown as such, with the reason,
// because an option that is silently ignored is the easiest way to fool oneself.
import type { RunConfig, RunConfigKey } from "../protocol/config.ts";

export interface InertField {
  readonly key: RunConfigKey;
  readonly reason: string;
}

interface Rule {
  readonly keys: readonly RunConfigKey[];
  readonly isInert: (config: RunConfig) => boolean;
  readonly reason: string;
}

const usesCritic = (config: RunConfig) => config.advantageBaseline === "critic";
const usesReference = (config: RunConfig) => config.klCoef > 0;
/** One optimizer step per batch: the policy that is trained is the one that sampled. */
const isOnPolicy = (config: RunConfig) => config.innerEpochs * config.minibatches === 1;
const normalizesParts = (config: RunConfig) => config.rewardAggregation === "normalize-then-sum" && !usesCritic(config);

const RULES: readonly Rule[] = [
  {
    keys: ["hiddenSize", "layers", "heads", "kvHeads", "intermediateSize"],
    isInert: ({ model, startFrom }) => model === "tabular" || startFrom === "checkpoint",
    reason: "the model's shape is given by its checkpoint or table",
  },
  { keys: ["startFrom"], isInert: ({ model }) => model === "tabular", reason: "the tabular policy always starts uniform" },
  {
    keys: ["checkpoint"],
    isInert: ({ model, startFrom }) => model === "tabular" || startFrom === "random",
    reason: "no checkpoint is loaded",
  },
  {
    keys: ["backend", "threads", "reproducible", "microBatchTokens"],
    isInert: ({ model }) => model === "tabular",
    reason: "the tabular policy needs no tensor backend",
  },
  { keys: ["advantageScale"], isInert: usesCritic, reason: "advantages come from the critic" },
  {
    keys: ["advantageBaseline", "advantageScale"],
    isInert: normalizesParts,
    reason: "each reward part is normalised by its own group's mean and deviation",
  },
  {
    keys: ["advantageStd", "advantageEps"],
    isInert: (config) => usesCritic(config) || (config.advantageScale === "none" && !normalizesParts(config)),
    reason: "nothing is divided by a standard deviation",
  },
  { keys: ["rewardAggregation"], isInert: usesCritic, reason: "the critic learns the weighted sum" },
  {
    keys: ["gaeLambda", "criticTrunk", "valueCoef", "valueClip", "valueEpochs", "valueLearningRate"],
    isInert: (config) => !usesCritic(config),
    reason: "there is no critic",
  },
  {
    keys: ["valueEpochs", "valueLearningRate"],
    isInert: (config) => usesCritic(config) && config.criticTrunk === "shared",
    reason: "the critic shares the policy's trunk and optimizer",
  },
  {
    keys: ["valueCoef"],
    isInert: (config) => usesCritic(config) && config.criticTrunk === "own",
    reason: "a critic with its own trunk has its own optimizer",
  },
  {
    keys: ["clipLow", "clipHigh", "clipDelta", "dualClip"],
    isInert: ({ surrogate }) => surrogate !== "clip",
    reason: "only the clip surrogate clips the ratio",
  },
  {
    keys: ["clipLow", "clipHigh", "clipDelta", "dualClip"],
    isInert: (config) => config.surrogate === "clip" && isOnPolicy(config),
    reason: "with one optimizer step per batch the ratio stays 1",
  },
  {
    keys: ["ratioLevel"],
    isInert: ({ surrogate, klBiasCorrection, klCoef }) =>
      (surrogate === "reinforce" || surrogate === "vespo") && !(klBiasCorrection && klCoef > 0),
    reason: "this surrogate does not use the ratio",
  },
  { keys: ["cispoMax"], isInert: ({ surrogate }) => surrogate !== "cispo", reason: "used by the cispo surrogate only" },
  {
    keys: ["sapoTemperaturePos", "sapoTemperatureNeg"],
    isInert: ({ surrogate }) => surrogate !== "sapo",
    reason: "used by the sapo surrogate only",
  },
  {
    keys: ["vespoKPos", "vespoLambdaPos", "vespoKNeg", "vespoLambdaNeg", "vespoFixedWeight"],
    isInert: ({ surrogate }) => surrogate !== "vespo",
    reason: "used by the vespo surrogate only",
  },
  { keys: ["offPolicyThreshold"], isInert: isOnPolicy, reason: "with one optimizer step per batch the policy has not moved" },
  {
    keys: ["entropyDelta", "entropyCoefMax"],
    isInert: ({ entropyTarget }) => entropyTarget === 0,
    reason: "the entropy bonus is not adaptive",
  },
  {
    keys: ["maxCompletionTokens", "overlongBuffer"],
    isInert: ({ task }) => task === "digit-sum",
    reason: "the task's own length says how many tokens there are",
  },
  { keys: ["dynamicSamplingMax"], isInert: ({ dynamicSampling }) => !dynamicSampling, reason: "dynamic sampling is off" },
  {
    keys: ["klEstimator", "klPlacement", "klBiasCorrection", "klTarget", "klHorizon", "referenceSyncEvery", "referenceMix"],
    isInert: (config) => !usesReference(config),
    reason: "the KL weight is 0, so there is no reference",
  },
  {
    keys: ["klBiasCorrection"],
    isInert: (config) => usesReference(config) && (config.klPlacement === "reward" || config.klEstimator === "exact"),
    reason: "only an estimate in the loss can be corrected by the ratio",
  },
  { keys: ["klHorizon"], isInert: (config) => usesReference(config) && config.klTarget === 0, reason: "the KL weight is not adaptive" },
  {
    keys: ["referenceMix"],
    isInert: (config) => usesReference(config) && config.referenceSyncEvery === 0,
    reason: "the reference is never refreshed",
  },
  {
    keys: ["beta1", "beta2", "adamEps", "weightDecay"],
    isInert: ({ optimizer }) => optimizer === "sgd",
    reason: "plain gradient descent has neither moments nor decay",
  },
  {
    keys: ["finalLearningRateShare"],
    isInert: ({ schedule, steps }) => schedule === "constant" || steps === 0,
    reason: "the learning rate does not fall",
  },
  { keys: ["schedule"], isInert: ({ steps }) => steps === 0, reason: "a run without a last step has nothing to fall towards" },
  { keys: ["evalProblems", "evalSamples"], isInert: ({ evalEvery }) => evalEvery === 0, reason: "there are no evaluations" },
];

const REINFORCEMENT_ONLY: readonly RunConfigKey[] = [
  "algorithm",
  "promptsPerStep",
  "groupSize",
  "rewardAggregation",
  "advantageBaseline",
  "advantageScale",
  "advantageStd",
  "advantageEps",
  "whitenAdvantages",
  "discount",
  "surrogate",
  "aggregation",
  "ratioLevel",
  "innerEpochs",
  "minibatches",
  "entropyCoef",
  "entropyTarget",
  "topEntropyQuantile",
  "maskTruncated",
  "dynamicSampling",
  "overlongBuffer",
  "klCoef",
  "splitGradNormEvery",
];

/** Fields without effect under this configuration, each once, with the reason. */
export function inertFields(config: RunConfig): readonly InertField[] {
  const found = new Map<RunConfigKey, string>();
  const add = (keys: readonly RunConfigKey[], reason: string) => {
    for (const key of keys) if (!found.has(key)) found.set(key, reason);
  };
  if (config.kind === "supervised") add(REINFORCEMENT_ONLY, "used by reinforcement learning only");
  else add(["batchSequences"], "used by supervised training only");
  for (const rule of RULES) if (rule.isInert(config)) add(rule.keys, rule.reason);
  return Array.from(found, ([key, reason]) => ({ key, reason }));
}
