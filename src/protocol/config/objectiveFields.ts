// How advantages become a loss, and the pull towards the reference: two sections of the run configuration
// (config.ts). An algorithm is a choice among these fields and those of the advantage.
import { type KlEstimatorId, klEstimatorIds, klEstimators, usualKl } from "../../rl/kl/index.ts";
import { aggregations } from "../../rl/objective/aggregation.ts";
import { type AnySurrogate, type SurrogateFields, type SurrogateId, surrogates } from "../../rl/surrogates/index.ts";
import { weighs } from "../../rl/surrogates/surrogate.ts";
import { choice, flag, integer, number, section } from "./field.ts";
import { FIXED_LENGTH, type NoEffect, ON_POLICY } from "./noEffect.ts";

const RATIO_UNUSED = "this surrogate does not use the ratio";
const BONUS_FIXED: NoEffect = { when: { entropyTarget: 0 }, why: "the entropy bonus is not adaptive" };
const NO_REFERENCE: NoEffect = { when: { klCoef: 0 }, why: "the KL weight is 0, so there is no reference" };
const NOT_CORRECTED = "only an estimate in the loss can be corrected by the ratio";

type AggregationId = (typeof aggregations)[number]["id"];
const aggregationIds = aggregations.map(({ id }) => id) as unknown as readonly [AggregationId, ...AggregationId[]];

const ids = surrogates.map(({ id }) => id) as unknown as readonly [SurrogateId, ...SurrogateId[]];
const unused = surrogates.filter(({ ratio }: AnySurrogate) => ratio === "unused").map(({ id }) => id);

export const objectiveFields = section("objective", {
  surrogate: choice(ids, ids[0], "Surrogate", "The per-token objective that is maximised.", {
    ...weighs,
    titles: Object.fromEntries(surrogates.map(({ id, title }) => [id, title])),
  }),
  ratioLevel: choice(["token", "sequence"], "token", "Ratio level", "Importance ratio per token, or one per completion (GSPO).", {
    ...weighs,
    titles: { token: "Per token", sequence: "Per completion" },
    noEffect: [
      { when: { surrogate: unused, klBiasCorrection: false }, why: RATIO_UNUSED },
      { when: { surrogate: unused, klCoef: 0 }, why: RATIO_UNUSED },
    ],
  }),
  ...(Object.assign({}, ...surrogates.map(({ settings }) => settings)) as SurrogateFields),
  aggregation: choice(
    aggregationIds,
    aggregationIds[0],
    "Aggregation",
    "How token losses become one number: mean per completion, mean over all tokens, over a micro-batch's tokens, over a constant length, or sum per completion.",
    {
      ...weighs,
      titles: Object.fromEntries(aggregations.map(({ id, title }) => [id, title])),
    },
  ),
  innerEpochs: integer(1, 16, 1, "Inner epochs μ", "How often one batch of rollouts is used; above 1 the ratio leaves 1.", {
    compared: true,
  }),
  minibatches: integer(1, 16, 1, "Minibatches", "Optimizer steps in one inner epoch."),
  entropyCoef: number(-1, 1, 0, "Entropy bonus", "Weight of the mean token entropy added to the objective.", {
    live: true,
    compared: true,
    inObjective: true,
  }),
  entropyTarget: number(0, 10, 0, "Entropy target", "Adapt the entropy bonus towards this entropy; 0 keeps it fixed.", {
    unit: "nats",
    advanced: true,
  }),
  entropyDelta: number(0, 1, 0.005, "Entropy bonus step", "Change of the adaptive bonus per update.", {
    advanced: true,
    noEffect: [BONUS_FIXED],
  }),
  entropyCoefMax: number(0, 10, 1, "Entropy bonus limit", "Largest adaptive bonus.", { advanced: true, noEffect: [BONUS_FIXED] }),
  topEntropyQuantile: number(0.01, 1, 1, "Top-entropy share", "Train only this share of tokens, the most uncertain; 1 trains all.", {
    advanced: true,
    ...weighs,
  }),
  offPolicyThreshold: number(
    0,
    100,
    0,
    "Off-policy mask",
    "Drop completions with negative advantage whose mean log-prob fell by more than this; 0 turns it off.",
    {
      advanced: true,
      ...weighs,
      noEffect: [{ when: ON_POLICY, why: "with one optimizer step per batch the policy has not moved" }],
    },
  ),
  maskTruncated: flag(false, "Mask truncated", "Completions cut off by the length limit train no token.", {
    advanced: true,
    weighsTokens: true,
  }),
  dynamicSampling: flag(false, "Dynamic sampling", "Drop groups with equal rewards and sample others in their place.", { advanced: true }),
  dynamicSamplingMax: integer(1, 20, 3, "Refill limit", "Most sampling rounds of one step under dynamic sampling.", {
    advanced: true,
    noEffect: [{ when: { dynamicSampling: false }, why: "dynamic sampling is off" }],
  }),
  overlongBuffer: integer(
    0,
    2048,
    0,
    "Overlong buffer",
    "Length before the limit in which the reward falls linearly to -1; 0 turns it off.",
    { unit: "tokens", advanced: true, inReward: true, weighsTokens: true, noEffect: [FIXED_LENGTH] },
  ),
});

const estimatorIds = klEstimators.map(({ id }) => id) as unknown as readonly [KlEstimatorId, ...KlEstimatorId[]];

export const klFields = section("kl", {
  klCoef: number(
    0,
    10,
    0,
    "KL weight β",
    "Pull towards the reference: the policy as it was when the weight first rose above 0. At 0 the reference is freed.",
    { live: true, compared: true, inAdvantages: true, ...weighs },
  ),
  klEstimator: choice(
    estimatorIds,
    usualKl.id,
    "Estimator",
    "How the divergence is estimated from the sampled token; exact sums over the vocabulary (tabular policy).",
    {
      inAdvantages: true,
      ...weighs,
      titles: Object.fromEntries(klEstimators.map(({ id, title }) => [id, title])),
      noEffect: [NO_REFERENCE],
    },
  ),
  klPlacement: choice(["loss", "reward"], "loss", "Placement", "In the loss, or subtracted from the reward.", {
    inAdvantages: true,
    titles: { loss: "In the loss", reward: "In the reward" },
    ...weighs,
    noEffect: [NO_REFERENCE],
  }),
  klBiasCorrection: flag(false, "Bias correction", "Multiply the estimator by the importance ratio.", {
    advanced: true,
    ...weighs,
    noEffect: [
      NO_REFERENCE,
      { when: { klPlacement: "reward" }, why: NOT_CORRECTED },
      { when: { klEstimator: klEstimatorIds({ isOverRows: true }) }, why: NOT_CORRECTED },
    ],
  }),
  klTarget: number(0, 10, 0, "Adaptive target", "Adapt β towards this divergence; 0 keeps β fixed.", {
    unit: "nats",
    advanced: true,
    noEffect: [NO_REFERENCE],
  }),
  klHorizon: integer(1, 1_000_000, 10_000, "Adaptive horizon", "Completions over which the adaptive controller acts.", {
    advanced: true,
    noEffect: [NO_REFERENCE, { when: { klTarget: 0 }, why: "the KL weight is not adaptive" }],
  }),
  referenceSyncEvery: integer(0, 100_000, 0, "Refresh reference", "Copy the policy into the reference every this many steps; 0 never.", {
    advanced: true,
    noEffect: [NO_REFERENCE],
  }),
  referenceMix: number(0, 1, 1, "Refresh mix α", "reference = α·policy + (1 - α)·reference.", {
    advanced: true,
    noEffect: [NO_REFERENCE, { when: { referenceSyncEvery: 0 }, why: "the reference is never refreshed" }],
  }),
});
