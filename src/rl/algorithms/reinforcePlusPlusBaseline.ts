// REINFORCE++ with the group mean as baseline: Hu et al. (2025, arXiv 2501.03262, section on the
// baseline variant). The spread is the batch's, so easy and hard prompts are not stretched to the same
// size, and the KL (k2) sits in the loss. Whitening over tokens shifts groups of equal rewards slightly
// off zero, as it does in verl.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const reinforcePlusPlusBaseline: AlgorithmEntry = {
  id: "reinforce-plus-plus-baseline",
  title: "REINFORCE++ with group baseline",
  paper: "Hu et al. 2025, arXiv 2501.03262",
  summary: "Subtract the group mean, then whiten over the whole batch.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "none",
    whitenAdvantages: true,
    surrogate: "clip",
    clipLow: 0.2,
    clipHigh: 0.2,
    aggregation: "token-mean",
    klCoef: 0.001,
    klEstimator: "k2",
    klPlacement: "loss",
    innerEpochs: 2,
  },
};
