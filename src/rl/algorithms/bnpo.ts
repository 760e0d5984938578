// BNPO as TRL names it: the token mean within the local batch, so that the result depends on how the
// batch is cut. Departure: the paper (Xiao et al. 2025, arXiv 2506.02864) also normalises rewards by a
// fitted Beta distribution, which TRL's loss type leaves out, and so does this.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const bnpo: AlgorithmEntry = {
  id: "bnpo",
  title: "BNPO",
  fullName: "beta normalization policy optimization",
  paper: "Xiao et al. 2025, arXiv 2506.02864",
  summary: "GRPO with the mean taken over the tokens of each micro-batch.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    surrogate: "clip",
    clipLow: 0.2,
    clipHigh: 0.2,
    aggregation: "micro-token-mean",
    klCoef: 0,
    innerEpochs: 1,
  },
};
