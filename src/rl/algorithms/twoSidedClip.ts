// Two-sided GRPO clipping: INTELLECT-2 (2025, arXiv 2505.07291, section 3.4). For A < 0 the usual clip
// leaves the ratio unbounded above; δ bounds it. Departure: the token mean is over the optimizer batch.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const twoSidedClip: AlgorithmEntry = {
  id: "two-sided-clip",
  title: "Two-sided clip",
  paper: "INTELLECT-2, 2025, arXiv 2505.07291",
  summary: "Bound the ratio for negative advantages too, so that no single token can blow up a step.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    surrogate: "clip",
    ratioLevel: "token",
    clipLow: 0.2,
    clipHigh: 0.2,
    clipDelta: 4,
    aggregation: "token-mean",
    klCoef: 0.001,
    klEstimator: "k3",
    klPlacement: "loss",
    innerEpochs: 2,
  },
};
