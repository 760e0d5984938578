// Clipped importance-sampling weights: MiniMax-M1 (2025, arXiv 2506.13585, eq. 4 and 5). The ratio only
// weighs the token, capped and without gradient, so rare tokens that start a new line of thought keep
// learning after the first pass. The cap is absolute, as in TRL; verl's is 1 + ε.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const cispo: AlgorithmEntry = {
  id: "cispo",
  title: "CISPO",
  fullName: "clipped importance sampling policy optimization",
  paper: "MiniMax 2025, arXiv 2506.13585",
  summary: "Cap the importance weight but never drop a token's gradient.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    surrogate: "cispo",
    ratioLevel: "token",
    cispoMax: 5,
    aggregation: "token-mean",
    klCoef: 0,
    innerEpochs: 2,
  },
};
