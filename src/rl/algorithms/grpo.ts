// Group relative policy optimization: Shao et al., "DeepSeekMath" (2024, arXiv 2402.03300, eq. 3).
// PPO's clip without its critic: the baseline is the group's mean, the unit its standard deviation, and
// a k3 KL is in the loss. Departures: β is DeepSeek-R1's 0.001 (arXiv 2501.12948) rather than the
// paper's 0.04; the standard deviation is the sample's plus 1e-4, as in TRL.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const grpo: AlgorithmEntry = {
  id: "grpo",
  title: "GRPO",
  fullName: "group relative policy optimization",
  paper: "Shao et al. 2024, arXiv 2402.03300",
  summary: "Compare each completion with its group, in units of the group's standard deviation.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    advantageStd: "sample",
    advantageEps: 0.0001,
    surrogate: "clip",
    ratioLevel: "token",
    clipLow: 0.2,
    clipHigh: 0.2,
    aggregation: "sequence-mean",
    klCoef: 0.001,
    klEstimator: "k3",
    klPlacement: "loss",
    innerEpochs: 1,
  },
};
