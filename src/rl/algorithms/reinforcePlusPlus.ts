// REINFORCE++: Hu et al. (2025, arXiv 2501.03262). Each token's advantage is its return-to-go, with a
// k1 penalty per token in the reward, whitened over the batch instead of compared within a group; the
// update is PPO's clip. Departure: rewards are not clipped.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const reinforcePlusPlus: AlgorithmEntry = {
  id: "reinforce-plus-plus",
  title: "REINFORCE++",
  paper: "Hu et al. 2025, arXiv 2501.03262",
  summary: "Token returns with KL in the reward, whitened over the whole batch; PPO without a critic.",
  config: {
    advantageBaseline: "none",
    advantageScale: "none",
    whitenAdvantages: true,
    discount: 1,
    surrogate: "clip",
    clipLow: 0.2,
    clipHigh: 0.2,
    aggregation: "token-mean",
    klCoef: 0.01,
    klEstimator: "k1",
    klPlacement: "reward",
    innerEpochs: 2,
  },
};
