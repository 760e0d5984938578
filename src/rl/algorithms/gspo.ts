// Group sequence policy optimization: Zheng et al. (2025, arXiv 2507.18071, eq. 5 to 7). Rewards judge
// completions, so the ratio is taken per completion too: the geometric mean of its token ratios, with
// the paper's clip range. Departure: two passes over a batch instead of four minibatches.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const gspo: AlgorithmEntry = {
  id: "gspo",
  title: "GSPO",
  fullName: "group sequence policy optimization",
  paper: "Zheng et al. 2025, arXiv 2507.18071",
  summary: "One importance ratio per completion, clipped in a very narrow range.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    surrogate: "clip",
    ratioLevel: "sequence",
    clipLow: 0.0003,
    clipHigh: 0.0004,
    aggregation: "sequence-mean",
    klCoef: 0,
    innerEpochs: 2,
  },
};
