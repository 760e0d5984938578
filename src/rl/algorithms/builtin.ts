// The loop to read first, on the logits table: advantages from the group's mean and population
// deviation, the mean over completions of A·Σ log π, an exact KL to the reference averaged over the
// positions, and plain gradient descent. No ratio, no clip, no optimizer state.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const builtin: AlgorithmEntry = {
  id: "builtin",
  title: "Readable loop",
  paper: "Shao et al. 2024, arXiv 2402.03300; Williams 1992",
  summary: "One plain gradient step on group-relative advantages with an exact KL: all of it fits on a page.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    advantageStd: "population",
    advantageEps: 0.0001,
    surrogate: "reinforce",
    aggregation: "sequence-sum",
    innerEpochs: 1,
    minibatches: 1,
    klCoef: 0.02,
    klEstimator: "exact",
    klPlacement: "loss",
    optimizer: "sgd",
    learningRate: 0.5,
    maxGradNorm: 0,
  },
};
