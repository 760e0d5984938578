// REINFORCE leave-one-out: Ahmadian et al., "Back to Basics" (2024, arXiv 2402.14740). A whole
// completion is one action, its baseline the mean reward of the group's other members, and the KL to
// the reference (k1) is subtracted from the reward. Defaults as TRL's RLOOTrainer. Departure: TRL wraps
// it in a clipped sequence ratio, which is 1 in the single pass taken here.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const rloo: AlgorithmEntry = {
  id: "rloo",
  title: "RLOO",
  fullName: "REINFORCE leave-one-out",
  paper: "Ahmadian et al. 2024, arXiv 2402.14740",
  summary: "Compare each completion with the mean of the others in its group; KL is part of the reward.",
  config: {
    advantageBaseline: "leave-one-out",
    advantageScale: "none",
    surrogate: "reinforce",
    aggregation: "sequence-sum",
    klCoef: 0.05,
    klEstimator: "k1",
    klPlacement: "reward",
    innerEpochs: 1,
  },
};
