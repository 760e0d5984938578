// Soft adaptive policy optimization: Gao et al. (2025, arXiv 2511.20347). A sigmoid of the ratio stands
// in for the clip: tokens far from the sampling policy fade out instead of dropping out, sooner when
// their advantage is negative. No departures from TRL's form.
import type { AlgorithmEntry } from "../../protocol/catalog.ts";

export const sapo: AlgorithmEntry = {
  id: "sapo",
  title: "SAPO",
  fullName: "soft adaptive policy optimization",
  paper: "Gao et al. 2025, arXiv 2511.20347",
  summary: "Replace the hard clip by a smooth gate, steeper for negative advantages.",
  config: {
    advantageBaseline: "group-mean",
    advantageScale: "group-std",
    surrogate: "sapo",
    ratioLevel: "token",
    sapoTemperaturePos: 1,
    sapoTemperatureNeg: 1.05,
    aggregation: "sequence-mean",
    klCoef: 0,
    innerEpochs: 2,
  },
};
