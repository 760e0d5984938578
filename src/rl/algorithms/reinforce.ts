// REINFORCE with a baseline: R. J. Williams, "Simple statistical gradient-following algorithms for
// connectionist reinforcement learning" (1992). No ratio, no clip, no groups: the baseline is the mean
// reward of the batch. Departure: the batch mean includes the completion itself, which scales the
// gradient by 1 - 1/n.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const reinforce: AlgorithmEntry = {
  id: "reinforce",
  title: "REINFORCE with baseline",
  paper: "Williams 1992, Simple statistical gradient-following algorithms",
  summary: "Push up the log-probability of completions that beat the batch mean.",
  config: {
    advantageBaseline: "batch-mean",
    advantageScale: "none",
    surrogate: "reinforce",
    aggregation: "sequence-sum",
    klCoef: 0,
    innerEpochs: 1,
  },
};
