// On-policy RL with optimal reward baseline: Hao et al. (2025, arXiv 2505.23585). Where every token
// contributes about the same gradient noise, the baseline of least variance weighs rewards by length.
// One exactly on-policy step, no clip, KL or entropy term. No departures.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const opo: AlgorithmEntry = {
  id: "opo",
  title: "OPO",
  fullName: "on-policy reinforcement learning with the optimal reward baseline",
  paper: "Hao et al. 2025, arXiv 2505.23585",
  summary: "Exactly on-policy, with the baseline of least variance: the length-weighted mean reward.",
  config: {
    advantageBaseline: "length-weighted",
    advantageScale: "none",
    surrogate: "reinforce",
    aggregation: "sequence-sum",
    klCoef: 0,
    entropyCoef: 0,
    innerEpochs: 1,
    minibatches: 1,
  },
};
