// Proximal policy optimization: Schulman et al. (2017, arXiv 1707.06347) as used for language models
// (Ouyang et al. 2022, arXiv 2203.02155): generalised advantages, clipped policy and value losses,
// several passes, a k1 KL per token in the reward. The critic is a network of its own that starts as the
// policy, as there. A head on the policy (criticTrunk "shared") costs half as much but stays near
// blind: whitened advantages push the shared weights several times harder than its errors do.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const ppo: AlgorithmEntry = {
  id: "ppo",
  title: "PPO",
  fullName: "proximal policy optimization",
  paper: "Schulman et al. 2017, arXiv 1707.06347",
  summary: "A learned critic predicts the reward at every token; advantages are what it did not predict.",
  config: {
    advantageBaseline: "critic",
    whitenAdvantages: true,
    discount: 1,
    gaeLambda: 0.95,
    surrogate: "clip",
    ratioLevel: "token",
    clipLow: 0.2,
    clipHigh: 0.2,
    aggregation: "token-mean",
    klCoef: 0.05,
    klEstimator: "k1",
    klPlacement: "reward",
    criticTrunk: "own",
    valueClip: 0.2,
    valueEpochs: 4,
    valueLearningRate: 3e-3,
    innerEpochs: 4,
  },
};
