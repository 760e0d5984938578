// The switches of the objective: how rewards become advantages and advantages a loss. Every algorithm is
// a choice among them; a part of the run configuration (config.ts) that has grown a file of its own.
import { choice, flag, integer, number } from "./field.ts";

export const objectiveFields = {
  // --- advantage
  advantageBaseline: choice(
    ["group-mean", "leave-one-out", "length-weighted", "batch-mean", "critic", "none"],
    "group-mean",
    "advantage",
    "Baseline",
    "What is subtracted from a completion's reward.",
  ),
  advantageScale: choice(["none", "group-std", "batch-std"], "group-std", "advantage", "Scale", "What the centred reward is divided by."),
  advantageStd: choice(
    ["sample", "population"],
    "sample",
    "advantage",
    "Standard deviation",
    "Sample (n - 1) as TRL and verl, or population (n).",
    { advanced: true },
  ),
  advantageEps: number(0, 1, 1e-4, "advantage", "Epsilon", "Added to the standard deviation before dividing.", { advanced: true }),
  rewardAggregation: choice(
    ["sum-then-normalize", "normalize-then-sum"],
    "sum-then-normalize",
    "advantage",
    "Several rewards",
    "Weighted sum first, or normalise each part per group first (GDPO).",
    { advanced: true },
  ),
  whitenAdvantages: flag(
    false,
    "advantage",
    "Whiten",
    "Shift and scale token advantages to mean 0 and standard deviation 1 over the batch.",
    { advanced: true },
  ),
  discount: number(0, 1, 1, "advantage", "Discount γ", "Discount of later rewards, per token.", { advanced: true }),
  gaeLambda: number(0, 1, 1, "advantage", "GAE λ", "Trade of bias for variance in generalised advantage estimation; used with a critic.", {
    advanced: true,
  }),

  // --- objective
  surrogate: choice(
    ["clip", "reinforce", "cispo", "sapo", "vespo"],
    "clip",
    "objective",
    "Surrogate",
    "The per-token objective that is maximised.",
  ),
  ratioLevel: choice(
    ["token", "sequence"],
    "token",
    "objective",
    "Ratio level",
    "Importance ratio per token, or one per completion (GSPO).",
  ),
  clipLow: number(0, 10, 0.2, "objective", "Clip below ε", "The ratio is clipped below 1 - ε.", { live: true }),
  clipHigh: number(0, 10, 0.2, "objective", "Clip above ε", "The ratio is clipped above 1 + ε (clip-higher when larger than below).", {
    live: true,
  }),
  clipDelta: number(0, 100, 0, "objective", "Two-sided bound δ", "Upper bound of the ratio for negative advantages too; 0 turns it off.", {
    advanced: true,
  }),
  dualClip: number(0, 100, 0, "objective", "Dual clip c", "Lower bound c·A of the objective for negative advantages; 0 turns it off.", {
    advanced: true,
  }),
  cispoMax: number(0.01, 100, 5, "objective", "CISPO bound", "Absolute upper bound of the detached ratio; used by the cispo surrogate.", {
    advanced: true,
  }),
  sapoTemperaturePos: number(0.01, 10, 1, "objective", "SAPO τ+", "Gate temperature for positive advantages.", { advanced: true }),
  sapoTemperatureNeg: number(0.01, 10, 1.05, "objective", "SAPO τ-", "Gate temperature for negative advantages.", { advanced: true }),
  vespoKPos: number(0.01, 20, 2, "objective", "VESPO k+", "Shape for advantages >= 0.", { advanced: true }),
  vespoLambdaPos: number(0.01, 20, 3, "objective", "VESPO λ+", "Rate for advantages >= 0.", { advanced: true }),
  vespoKNeg: number(0.01, 20, 3, "objective", "VESPO k-", "Shape for advantages < 0.", { advanced: true }),
  vespoLambdaNeg: number(0.01, 20, 2, "objective", "VESPO λ-", "Rate for advantages < 0.", { advanced: true }),
  vespoFixedWeight: flag(
    true,
    "objective",
    "VESPO fixed weight",
    "Hold the sequence weight φ fixed as the paper does; off lets the gradient flow through it.",
    { advanced: true },
  ),
  aggregation: choice(
    ["sequence-mean", "token-mean", "micro-token-mean", "constant-length", "sequence-sum"],
    "sequence-mean",
    "objective",
    "Aggregation",
    "How token losses become one number: mean per completion, mean over all tokens, over a micro-batch's tokens, over a constant length, or sum per completion.",
  ),
  innerEpochs: integer(1, 16, 1, "objective", "Inner epochs μ", "Passes over one batch of rollouts; above 1 the ratio leaves 1."),
  minibatches: integer(1, 16, 1, "objective", "Minibatches", "Optimizer steps in one pass."),
  entropyCoef: number(-1, 1, 0, "objective", "Entropy bonus", "Weight of the mean token entropy added to the objective.", { live: true }),
  entropyTarget: number(0, 10, 0, "objective", "Entropy target", "Adapt the entropy bonus towards this entropy; 0 keeps it fixed.", {
    unit: "nats",
    advanced: true,
  }),
  entropyDelta: number(0, 1, 0.005, "objective", "Entropy bonus step", "Change of the adaptive bonus per update.", { advanced: true }),
  entropyCoefMax: number(0, 10, 1, "objective", "Entropy bonus limit", "Largest adaptive bonus.", { advanced: true }),
  topEntropyQuantile: number(
    0.01,
    1,
    1,
    "objective",
    "Top-entropy share",
    "Train only this share of tokens, the most uncertain; 1 trains all.",
    { advanced: true },
  ),
  offPolicyThreshold: number(
    0,
    100,
    0,
    "objective",
    "Off-policy mask",
    "Drop completions with negative advantage whose mean log-prob fell by more than this; 0 turns it off.",
    { advanced: true },
  ),
  maskTruncated: flag(false, "objective", "Mask truncated", "Completions cut off by the length limit train no token.", { advanced: true }),
  dynamicSampling: flag(false, "objective", "Dynamic sampling", "Drop groups with equal rewards and sample others in their place.", {
    advanced: true,
  }),
  dynamicSamplingMax: integer(1, 20, 3, "objective", "Refill limit", "Most sampling rounds of one step under dynamic sampling.", {
    advanced: true,
  }),
  overlongBuffer: integer(
    0,
    512,
    0,
    "objective",
    "Overlong buffer",
    "Length before the limit in which the reward falls linearly to -1; 0 turns it off.",
    { unit: "tokens", advanced: true },
  ),

  // --- KL
  klCoef: number(0, 10, 0, "kl", "KL weight β", "Pull towards the frozen reference policy; 0 keeps no reference.", { live: true }),
  klEstimator: choice(
    ["k1", "k2", "k3", "k3+", "exact"],
    "k3",
    "kl",
    "Estimator",
    "How the divergence is estimated from the sampled token; exact sums over the vocabulary (tabular policy).",
  ),
  klPlacement: choice(["loss", "reward"], "loss", "kl", "Placement", "In the loss, or subtracted from the reward."),
  klBiasCorrection: flag(false, "kl", "Bias correction", "Multiply the estimator by the importance ratio.", { advanced: true }),
  klTarget: number(0, 10, 0, "kl", "Adaptive target", "Adapt β towards this divergence; 0 keeps β fixed.", {
    unit: "nats",
    advanced: true,
  }),
  klHorizon: integer(1, 1_000_000, 10_000, "kl", "Adaptive horizon", "Completions over which the adaptive controller acts.", {
    advanced: true,
  }),
  referenceSyncEvery: integer(
    0,
    100_000,
    0,
    "kl",
    "Refresh reference",
    "Copy the policy into the reference every this many steps; 0 never.",
    { advanced: true },
  ),
  referenceMix: number(0, 1, 1, "kl", "Refresh mix α", "reference = α·policy + (1 - α)·reference.", { advanced: true }),

  // --- critic (PPO)
  criticTrunk: choice(["shared", "own"], "shared", "critic", "Critic trunk", "A value head on the policy, or on a copy of it.", {
    advanced: true,
  }),
  valueCoef: number(0, 10, 0.5, "critic", "Value weight", "Weight of the value loss.", { advanced: true }),
  valueClip: number(0, 10, 0.2, "critic", "Value clip", "Values move at most this far from their old ones; 0 turns it off.", {
    advanced: true,
  }),
  valueEpochs: integer(1, 16, 1, "critic", "Value epochs", "Passes over a batch for the critic alone, when it has its own trunk.", {
    advanced: true,
  }),
  valueLearningRate: number(0, 10, 1e-3, "critic", "Value learning rate", "Learning rate of a critic with its own trunk.", {
    advanced: true,
  }),
};
