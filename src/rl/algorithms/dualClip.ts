// Dual-clip PPO: Ye et al. (2020, arXiv 1912.09729, eq. 5), verl's default policy loss. For A < 0 the
// objective is bounded from below by c·A. Departure: group-relative advantages instead of a critic's.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const dualClip: AlgorithmEntry = {
  id: "dual-clip",
  title: "Dual clip",
  paper: "Ye et al. 2020, arXiv 1912.09729",
  summary: "Let no token with a negative advantage cost more than c times it.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    surrogate: "clip",
    ratioLevel: "token",
    clipLow: 0.2,
    clipHigh: 0.2,
    dualClip: 3,
    aggregation: "token-mean",
    klCoef: 0,
    innerEpochs: 2,
  },
};
